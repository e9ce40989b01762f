"""``report.json``: the report as data, written whole or not at all.

Called by ``Report.save`` and the command line, with plain data. Standard library alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.errors import StoreError
from samplercheck.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NAME", "as_json", "save"]

NAME = "report.json"


def as_json(plain: Mapping[str, Any] | list[Any]) -> str:
    """Return the one JSON text of a report's plain data: ASCII, indented by two."""
    return json.dumps(plain, indent=2, allow_nan=False) + "\n"


def save(plain: Mapping[str, Any], directory: str | Path) -> Path:
    """Write ``report.json`` into ``directory`` and return its path."""
    path = Path(directory) / NAME
    try:
        write_whole(path, as_json(plain).encode("ascii"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(
            f"The report cannot be written to {str(path)!r}: {reason}. "
            "Name a directory that can be written and has room."
        ) from None
    return path
