"""``report.json``: the report as data, written whole or not at all.

Called by ``Report.save`` and where reports are published, with plain data; ``report_reading`` reads it again,
``report_form`` says what is in it. This file imports the standard library alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samplercheck.storage.atomic import blame_place, write_whole

NAME = "report.json"
FIX = "Name a directory that can be written and has room."
_ESCAPES = re.compile(r"\\(?:u(?P<pair>d[89ab]..\\ud[c-f]..)|u(?P<lone>d[89a-f]..)|.)")


def as_json(plain: Mapping[str, Any] | list[Any]) -> str:
    """Return a report as indented ASCII JSON; half a surrogate pair is written as the text of its escape."""
    text = json.dumps(plain, indent=2, allow_nan=False) + "\n"
    return _ESCAPES.sub(lambda found: "\\" * bool(found["lone"]) + found[0], text)


def save(plain: Mapping[str, Any], directory: str | Path) -> Path:
    """Write ``report.json`` into ``directory`` and return its path."""
    return save_text(as_json(plain), Path(directory) / NAME)


def save_text(text: str, path: Path, what: str = "report", fix: str = FIX) -> Path:
    """Write a file whole, or leave what was there; an error says ``what`` it is and how to ``fix`` that."""
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise blame_place(error, f"The {what} cannot be written to {str(path)!r}: {reason}. {fix}") from None
    return path
