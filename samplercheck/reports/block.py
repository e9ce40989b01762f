"""The block of one failure, as the terminal, pytest and the report show it.

Called by the engine, once for each broken law. Pure. At most 45 lines of 80 columns, ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.command import run_command, show_command
from samplercheck.reports.text import (
    WIDTH,
    after_colon,
    case_text,
    cut,
    frame,
    printable,
    row,
    sentence,
    wrapped,
)
from samplercheck.words import counted

if TYPE_CHECKING:
    from samplercheck.contract import Contract
    from samplercheck.finding import Failure
    from samplercheck.laws._law import Law

__all__ = ["MOST_LINES", "failure_block"]

MOST_LINES = 45
RULE = "-" * WIDTH
TRACEBACK_LINES = 8
SHORT_TRACEBACK = 4
TRAINING_LINES = 4
COMMAND_LINES = 4
COLUMN = 11
SIMULATED = "simulated"


def failure_block(law: Law, target: str, failure: Failure, contract: Contract | None = None) -> str:
    """Return the block that tells a person what is broken, in which case, and how to look at it.

    With ``contract`` the command that shows the case carries it. Where space is short, the words
    about training go first and then the beginning of the traceback.
    """
    for training, lines in ((True, TRACEBACK_LINES), (False, TRACEBACK_LINES), (False, SHORT_TRACEBACK)):
        sections = [
            _head(law, target, failure),
            [*_sayings(law, failure), *(_training(law) if training else [])],
            _cases(failure),
            [f"    {line}" for line in failure.grid],
            _traceback(failure, lines),
            _cause(failure),
            row("mend", sentence(failure.hint), column=COLUMN, most=3),
            _commands(law, target, failure, contract),
        ]
        text = [RULE, *_joined(sections), RULE]
        if len(text) <= MOST_LINES:
            break
    return "\n".join(line.rstrip() for line in text)


def _joined(sections: list[list[str]]) -> list[str]:
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
    return [first, f"        {cut(printable(target), WIDTH - 8)}"]


def _sayings(law: Law, failure: Failure) -> list[str]:
    return [
        *wrapped(sentence(law.statement), indent=2, most=3),
        *wrapped(f"Found: {after_colon(failure.message)}", indent=2, most=4),
    ]


def _training(law: Law) -> list[str]:
    """Return as many whole sentences on what happens in training as a few lines hold."""
    lines: list[str] = []
    told = "In training:"
    for part in printable(" ".join(law.why.split())).replace(". ", ".\n").split("\n"):
        told = f"{told} {part}"
        more = wrapped(told, indent=2)
        if not part or len(more) > TRAINING_LINES:
            break
        lines = more
    return lines


def _cases(failure: Failure) -> list[str]:
    realistic = failure.realistic_case
    lines = row("smallest case", case_text(failure.case.to_dict()), most=2)
    if realistic is not None and realistic != failure.case:
        lines += row("smallest realistic case", case_text(realistic.to_dict()), most=2)
    where = ""
    if failure.world != SIMULATED:
        ranks = counted(failure.case.world_size, "process", "processes")
        lines += row("seen in", f"a real {printable(failure.world)} group of {ranks}")
        where = " in simulation"
    if failure.tried:
        lines += row("small cases", f"{failure.failing} of {failure.tried} tried break it{where}")
        lines += row("fails", printable(failure.region), most=4)
    return lines


def _cause(failure: Failure) -> list[str]:
    """Return why the law is broken, as far as it was tested, and which other laws are for the same reason."""
    lines = row("cause", sentence(failure.cause), column=COLUMN, most=3)
    if failure.evidence:
        lines += row("", printable(f"tested: {failure.evidence}"), column=COLUMN, most=2)
    if failure.also:
        lines += row("also", f"broken for this cause: {', '.join(failure.also)}", column=COLUMN, most=2)
    return lines


def _traceback(failure: Failure, most: int) -> list[str]:
    """Return the end of the target's own traceback, which is nearest to the fault."""
    lines = [line for line in failure.violation.detail.splitlines() if line.strip()]
    return [f"    {frame(line, WIDTH - 4)}" for line in lines[-most:]]


def _commands(law: Law, target: str, failure: Failure, contract: Contract | None) -> list[str]:
    lines: list[str] = []
    if failure.world == SIMULATED:
        label, is_of_use = "see it", bool(failure.grid or failure.violation.detail)
        shown = show_command(target, failure.case, failure.violation, contract, column=COLUMN)
    else:  # what a real group did, a picture of the simulation does not show
        label, is_of_use = "again", True
        shown = run_command(target, failure.case, law.code, failure.world, contract, column=COLUMN)
    for number, line in enumerate(shown if is_of_use and len(shown) <= COMMAND_LINES else []):
        lines.append(f"{'' if number else f'  {label}':<{COLUMN}}{line}")
    # Codes in SC are the kit's own; explain does not know the laws of the user's modules.
    if law.code.startswith("SC"):
        lines += row("more", f"samplercheck explain {law.code}", column=COLUMN)
    return lines
