"""The JSON Schema of ``report.json``, made from its types and published as ``schemas/report-2.json``.

Run ``python -m samplercheck.report_file.schema > samplercheck/schemas/report-2.json`` when the types
change; a test compares the two.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec

from samplercheck.report_file import FORMAT
from samplercheck.report_file.form import ReportFile

__all__ = ["report_schema", "schema_text"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def report_schema() -> dict[str, Any]:
    """Return the schema as plain data."""
    made = msgspec.json.schema(ReportFile)
    return {"$schema": DIALECT, "$id": f"urn:samplercheck:report:{FORMAT}", **made}


def schema_text() -> str:
    """Return the text of the published file."""
    return json.dumps(report_schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
