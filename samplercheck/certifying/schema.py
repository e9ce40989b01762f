"""The JSON Schema of the scope statement, made from its types and published in ``schemas/``.

Run ``python -m samplercheck.certifying.schema > samplercheck/schemas/certificate-scope-1.json`` when the
types change; a test compares the two.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from samplercheck.certifying.form import SCOPE_TYPE, ScopeStatement

__all__ = ["schema_text", "scope_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def scope_schema() -> dict[str, Any]:
    """Return the schema as plain data."""
    return {"$schema": DIALECT, "$id": SCOPE_TYPE, **msgspec.json.schema(ScopeStatement)}


def schema_text() -> str:
    """Return the text of the published file."""
    return json.dumps(scope_schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
