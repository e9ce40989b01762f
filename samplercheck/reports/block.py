"""The block of one failure, as the terminal, pytest and the report show it.

Called by the engine, once for each broken law. Pure. At most 45 lines of 80 columns, ASCII.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from samplercheck.reports.ways import SIMULATED, Ways, list_ways
from samplercheck.values.layout import (
    WIDTH,
    after_colon,
    case_text,
    cut,
    hint_label,
    last_frames,
    printable,
    row,
    sentence,
    shorten_place,
    wrap,
)
from samplercheck.values.wording import pluralise

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.values.finding import Failure

MOST_LINES = 45
RULE = "-" * WIDTH
TRAINING_LINES = 4
COMMAND_LINES = 4
ALSO_LINES = 4
COLUMN = 11


class _Room(NamedTuple):
    """How much a block may say: on training, of a traceback, how it is drawn, how long sentences are."""

    training: bool
    traceback: int
    drawn: bool = True
    brief: bool = False

    def lines(self, most: int) -> int:
        """Return how many lines something gets that takes ``most`` where there is space."""
        return (most + 1) // 2 if self.brief else most


ROOMS = (
    _Room(training=True, traceback=8),
    _Room(training=False, traceback=8),
    _Room(training=False, traceback=4),
    _Room(training=False, traceback=4, drawn=False),
    _Room(training=False, traceback=4, drawn=False, brief=True),
    _Room(training=False, traceback=0, drawn=False, brief=True),
)
"""Where space is short, the words about training go first, then the beginning of the traceback."""


def failure_block(
    law: Law, target: str, failure: Failure, ways: Ways | None = None, names: Mapping[str, str] | None = None
) -> str:
    """Return the block that tells a person what is broken, in which case, and how to look at it.

    ``ways`` says by what it can be seen again; without it, by the target's name. ``names`` says more of
    the laws that are broken for the same cause than their codes.
    """
    ways = ways or Ways(place=target)
    also = [(names or {}).get(code, code) for code in failure.also]
    for room in ROOMS:
        sections = [
            _head(law, target, failure),
            [*_statement(law, failure, room), *(_training(law) if room.training else [])],
            _cases(failure, room),
            [f"    {line}" for line in failure.grid],
            last_frames((failure.shown or failure.violation).detail, room.traceback, WIDTH),
            _cause(failure, room, also),
            row(hint_label(failure.fix), sentence(failure.hint), column=COLUMN, most=room.lines(4)),
            row("usually", sentence(failure.usual), column=COLUMN, most=room.lines(3)),
            _meant(failure),
            [*list_ways(law, failure, ways, with_picture=room.drawn, most=COMMAND_LINES - room.brief)],
        ]
        text = [RULE, *_join(sections), RULE]
        if len(text) <= MOST_LINES:
            break
    return "\n".join(line.rstrip() for line in text)


def _meant(failure: Failure) -> list[str]:
    """Name the field of a contract that would be kept, where the fix is about something else."""
    if not failure.meant or failure.meant in failure.hint:
        return []
    return row("if meant", sentence(f"Declare {failure.meant}"), column=COLUMN)


def _join(sections: list[list[str]]) -> list[str]:
    """Put an empty line between the sections that say something."""
    lines: list[str] = []
    for section in sections:
        if section:
            lines += ["", *section] if lines else section
    return lines


def _head(law: Law, target: str, failure: Failure) -> list[str]:
    label = cut(printable(f"BROKEN  {law.code} {law.name}"), 44)
    consequence = cut(printable(failure.violation.consequence or law.consequence), 18)
    first = f"{label:<45}{consequence:<20}case {failure.case.id}"
    said = failure.violation.fault or law.fault
    fault = [f"        {cut(sentence(said), WIDTH - 8)}"] if said else []
    return [first, *fault, f"        {cut(printable(target), WIDTH - 8)}"]


def _statement(law: Law, failure: Failure, room: _Room) -> list[str]:
    return [
        *wrap(sentence(law.statement), indent=2, most=room.lines(3)),
        *wrap(f"Found: {after_colon(failure.message)}", indent=2, most=room.lines(4)),
    ]


def _training(law: Law) -> list[str]:
    """Return as many whole sentences on what happens in training as a few lines hold."""
    lines: list[str] = []
    training = "In training:"
    for part in printable(" ".join(law.why.split())).replace(". ", ".\n").split("\n"):
        training = f"{training} {part}"
        more = wrap(training, indent=2)
        if not part or len(more) > TRAINING_LINES:
            break
        lines = more
    return lines


def _cases(failure: Failure, room: _Room) -> list[str]:
    lines = row("smallest case", case_text(failure.case.to_dict()), most=2)
    if failure.shown_case != failure.case:
        lines += row("case found and drawn", case_text(failure.shown_case.to_dict()), most=room.lines(2))
    where = ""
    if failure.world != SIMULATED:
        ranks = pluralise(failure.case.world_size, "process", "processes")
        lines += row("seen in", f"a real {printable(failure.world)} group of {ranks}")
        where = " in simulation"
    if failure.tried:
        lines += row("small cases", f"{failure.failing} of {failure.tried} tried break it{where}")
        claim, when, condition = failure.region.partition(" when ")
        label, text = (f"fails {claim} when", condition) if when else ("fails", claim)
        lines += row(label, printable(text), most=room.lines(4))
    return lines


def _cause(failure: Failure, room: _Room, names: list[str]) -> list[str]:
    """Return why the law is broken, as far as it was tested, and which others are for the same reason."""
    tested = printable(f"tested: {failure.evidence}") if failure.evidence else ""
    also = row("also", _list_laws(names), column=COLUMN)
    if len(also) > room.lines(ALSO_LINES):
        also = row("also", _list_laws(failure.also), column=COLUMN, most=room.lines(ALSO_LINES))
    return [
        *row("where", shorten_place(failure.line), column=COLUMN, most=room.lines(2)),
        *row("cause", after_colon(failure.cause) if failure.cause else "", column=COLUMN, most=room.lines(4)),
        *row("", tested, column=COLUMN, most=room.lines(2)),
        *also,
    ]


def _list_laws(laws: Sequence[str]) -> str:
    return f"broken for this cause: {', '.join(map(printable, laws))}" if laws else ""
