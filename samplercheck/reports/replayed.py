"""What replaying found, a line for each law and case, and the counts.

Called by ``samplercheck replay``. Pure. ASCII, 80 columns: signs and words carry the meaning.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from samplercheck.values.layout import cut, printable, row, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.values.case import Case

__all__ = ["Replayed", "replay_line", "replay_summary"]

SIGNS = {"FIXED": "+", "FAILED": "x", "FLAKY": "~", "ERROR": "!"}
COLUMN = 16
PLACE = 28
MOST_LINES = 8


class Replayed(Protocol):
    """What a verdict has to say."""

    @property
    def word(self) -> str:
        """FIXED, FAILED, FLAKY or ERROR."""

    @property
    def case(self) -> Case | None:
        """The case; None for a file that holds none."""

    @property
    def name(self) -> str:
        """The target, or the file."""

    @property
    def law(self) -> str:
        """The law's code; empty for all laws."""

    @property
    def failed(self) -> int:
        """In how many runs the law was broken."""

    @property
    def runs(self) -> int:
        """The number of runs."""

    @property
    def is_known(self) -> bool:
        """Whether the case lies among the known failures."""

    @property
    def why(self) -> str:
        """What was seen, or the reason of an error."""

    @property
    def notes(self) -> Sequence[str]:
        """What differs from the recording."""


def replay_line(one: Replayed) -> str:
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


def replay_summary(verdicts: Sequence[Replayed], seconds: float, exit_code: int) -> str:
    """Return the counts and the ending."""
    counts = Counter(one.word for one in verdicts)
    words = {"FIXED": "fixed", "FAILED": "FAILED", "FLAKY": "flaky", "ERROR": "error"}
    numbers = "   ".join(f"{counts[word]} {text}" for word, text in words.items())
    return f"\n{numbers}\n{seconds:.1f} s    exit {exit_code}"
