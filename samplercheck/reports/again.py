"""The ways to see a failure again: here, on another machine, without this kit, and drawn.

Called by ``block``. Pure. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.reports.command import SIMULATED, changes_of, replay_command, show_command, told_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from samplercheck.contract import Contract
    from samplercheck.finding import Failure
    from samplercheck.laws.law import Law

__all__ = ["Ways", "ways_shown"]

COLUMN = 22


@dataclass(frozen=True, kw_only=True)
class Ways:
    """What is known of a target and of a stored case by the time that a failure is told.

    ``place`` is the text that names the target and ``contract`` what was promised otherwise than it
    declares, ``is_whole`` whether that is all; without a place no command can name it. ``stored`` is
    what ``replay`` takes here, an id or a file, ``file`` the stored file and ``script`` the one beside
    it; empty where there is none. ``is_shared`` says that other targets have failed in that case too.
    """

    place: str = ""
    contract: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = True
    stored: str = ""
    is_shared: bool = False
    file: str = ""
    script: str = ""

    @classmethod
    def by_name(cls, target: str, contract: Contract | None = None) -> Ways:
        """Return what the name of a target alone is good for."""
        return cls(place=target, contract=changes_of(contract))


def ways_shown(law: Law, failure: Failure, ways: Ways, *, drawn: bool, most: int) -> Iterator[str]:
    """Yield the labelled lines; a command of more than ``most`` lines is left out, and none is ever cut."""
    shown: list[tuple[str, list[str]]] = []
    if ways.place and ways.is_whole:
        if ways.stored:
            shown.append(("again", _here(ways)))
        label = "on another machine" if ways.stored else "again"
        shown.append((label, _elsewhere(law, failure, ways, most)))
    if ways.script:
        shown.append(("without this kit", told_command("python", ways.script, column=COLUMN)))
    is_of_use = failure.world == SIMULATED and bool(failure.grid or failure.violation.detail)
    if drawn and is_of_use:
        picture = show_command(ways.place, failure.case, failure.violation, ways.contract, column=COLUMN)
        shown.append(("see it", picture))
    # Codes in SC are the kit's own; explain does not know the laws of the user's modules.
    if law.code.startswith("SC"):
        shown.append(("more", [f"samplercheck explain {law.code}"]))
    for label, lines in shown:
        for number, line in enumerate(lines if len(lines) <= most else ()):
            yield f"{'' if number else f'  {label}':<{COLUMN}}{line}"


def _here(ways: Ways) -> list[str]:
    """Return the command that needs the stored case; without the target it would replay all that share it."""
    named = replay_command(ways.stored, ways.place, {}, column=COLUMN) if ways.is_shared else []
    return named or told_command("samplercheck replay", ways.stored, column=COLUMN)


def _elsewhere(law: Law, failure: Failure, ways: Ways, most: int) -> list[str]:
    """Return the command that needs nothing of this machine; where the case is too long for it, its file."""
    token = f"{law.code}?{failure.case.token}"
    lines = replay_command(token, ways.place, ways.contract, failure.world, column=COLUMN)
    if ways.file and (not lines or len(lines) > most):
        lines = replay_command(ways.file, ways.place, ways.contract, failure.world, column=COLUMN)
    return lines
