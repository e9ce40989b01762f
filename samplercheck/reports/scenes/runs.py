"""Runs: in a scene, the epochs that nobody stopped, and the passes of a run that was stopped and resumed.

Used by the text picture of a resumed run and by the SVG timeline. Pure. Standard library alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Stoppable(Protocol):
    """A pass of all ranks, as it was recorded or as a scene holds it."""

    @property
    def epoch(self) -> int | None:
        """Its epoch."""

    @property
    def stopped(self) -> int | None:
        """After how many of its steps it was stopped."""


Seen = TypeVar("Seen", bound=_Stoppable)


@dataclass(frozen=True, slots=True)
class Leg(Generic[Seen]):
    """One pass of a run, its number in the scene, and the step at which it began."""

    place: int
    start: int
    seen: Seen


@dataclass(frozen=True, slots=True)
class Run(Generic[Seen]):
    """A run that was stopped in an epoch and resumed; ``after`` are passes of other epochs behind it.

    ``whole`` has the epochs of the run that nobody stopped, by their number.
    """

    epoch: int | None
    whole: dict[int | None, Leg[Seen]]
    legs: tuple[Leg[Seen], ...]
    after: tuple[Leg[Seen], ...]

    @property
    def stops(self) -> list[int]:
        """After how many steps it was stopped."""
        return [leg.start + leg.seen.stopped for leg in self.legs if leg.seen.stopped is not None]


def run_of(passes: Sequence[Seen]) -> Run[Seen] | None:
    """Return the first run of a scene that was stopped; None where none was."""
    first = next((place for place, one in enumerate(passes) if one.stopped is not None), None)
    if first is None:
        return None
    epoch = passes[first].epoch
    whole: dict[int | None, Leg[Seen]] = {}
    for place, one in enumerate(passes[:first]):
        whole.setdefault(one.epoch, Leg(place, 0, one))
    legs: list[Leg[Seen]] = []
    after: list[Leg[Seen]] = []
    start = 0
    for place, one in enumerate(passes[first:], first):
        is_over = bool(legs) and legs[-1].seen.stopped is None
        if one.epoch == epoch and not is_over:
            legs.append(Leg(place, start, one))
            start += one.stopped or 0
        elif one.epoch == epoch or one.stopped is not None:
            break  # another run
        else:
            after.append(Leg(place, 0, one))
    return Run(epoch, whole, tuple(legs), tuple(after))
