"""``report.json``: the report as data, written whole or not at all.

Called by ``Report.save`` and the command line. Standard library alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samplercheck.report import Report

__all__ = ["NAME", "as_json", "save"]

NAME = "report.json"


def as_json(report: Report | Mapping[str, Any] | list[Any]) -> str:
    """Return the one JSON text of a report, or of its plain data: ASCII, indented by two."""
    plain = report if isinstance(report, (dict, list)) else report.to_dict()  # type: ignore[union-attr]
    return json.dumps(plain, indent=2, allow_nan=False) + "\n"


def save(report: Report | Mapping[str, Any], directory: str | Path) -> Path:
    """Write ``report.json`` into ``directory`` and return its path.

    The file appears whole or not at all: where writing fails, an earlier report stays as it was.
    """
    folder = Path(directory)
    path = folder / NAME
    content = as_json(report).encode("ascii")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(
            f"The report cannot be written to {str(path)!r}: {reason}. "
            "Name a directory that can be written and has room."
        ) from None
    return path


def _replace(path: Path, content: bytes) -> None:
    """Write beside ``path``, then take its place in one step."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
