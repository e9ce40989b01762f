"""Markdown that stays what it is, whatever a target or an error message holds: no HTML, links or mentions.

Called by ``summary`` and ``diff``. Pure. Standard library alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from samplercheck.reports.text import cut, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["block", "code", "prose", "table_row"]

LONGEST = 300
_SPECIAL = re.compile(r"[&<>`*_{}\[\]#|~\\!@$]|:(?=\S)|^[-+=]|(?<=^\d)[.)]|(?<=www)\.", re.IGNORECASE)


def prose(text: object, width: int = LONGEST) -> str:
    """Return words on one line; what Markdown or HTML would read is written as an entity."""
    flat = _line(" ".join(str(text).split()), width)
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", flat)


def code(text: object, width: int = LONGEST) -> str:
    """Return a code span on one line, also fit for a cell of a table."""
    flat = _line(str(text), width).strip() or "-"
    fence = "`" * (_longest_run(flat) + 1)
    room = " " if "`" in (flat[0], flat[-1]) else ""
    return f"{fence}{room}{flat}{room}{fence}".replace("|", "\\|")


def block(lines: Iterable[str]) -> list[str]:
    """Return lines of code, fenced."""
    shown = [printable(line.rstrip()) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return [f"{fence}text", *shown, fence]


def table_row(*cells: str) -> str:
    """Return one row of a table; its cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def _line(text: str, width: int) -> str:
    """Return a printable line, of a text that may be millions of characters long."""
    return cut(printable(cut(text, 2 * width)), width)


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
