"""What replaying found, a line for each law and case, and the counts.

Called by ``samplercheck replay``. Pure. ASCII, 80 columns: signs and words carry the meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from samplercheck.values.layout import cut, printable, row, sentence

if TYPE_CHECKING:
    from samplercheck.running.replaying import ReplayVerdict

SIGNS = {"FIXED": "+", "FAILED": "x", "FLAKY": "~", "ERROR": "!"}
COLUMN = 16
MOST_LINES = 8


def replay_line(one: ReplayVerdict) -> str:
    """Return the lines of one verdict."""
    word = f"{SIGNS[one.word]} {one.word}"
    if one.word == "FLAKY":
        word += f" {one.failed} of {one.runs}"
    case = f"{one.case.id}  {printable(one.law) or 'all laws':<9}" if one.case else ""
    lines = [f"{word:<{COLUMN - 1}} {case}{cut(printable(one.name), 80 - COLUMN - 19)}".rstrip()]
    if one.case is not None:
        lines += row("", printable(one.case.token), indent=0, column=COLUMN, most=2)
    if one.is_known:
        known = {"FIXED": "stale: remove it from the known failures", "FAILED": "known: it still fails"}
        lines += row("", sentence(known.get(one.word, "")), indent=0, column=COLUMN)
    lines += row("", sentence(one.why), indent=0, column=COLUMN, most=MOST_LINES)
    for note in one.notes:
        lines += row("", sentence(note), indent=0, column=COLUMN)
    return "\n".join(lines)


def replay_summary(verdicts: Sequence[ReplayVerdict], seconds: float, exit_code: int) -> str:
    """Return the counts and the ending."""
    counts = Counter(one.word for one in verdicts)
    words = {"FIXED": "fixed", "FAILED": "FAILED", "FLAKY": "flaky", "ERROR": "error"}
    numbers = "   ".join(f"{counts[word]} {text}" for word, text in words.items())
    return f"\n{numbers}\n{seconds:.1f} s    exit {exit_code}"
