"""Scene: what the ranks of one case really did, as plain data for pictures.

Made by the engine for the case that shows a failure, and by ``samplercheck show``; part of
``report.json``; drawn by ``reports.pictures``. Bounded, whatever was recorded. Imports the form of
the file alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from samplercheck.values.failure_form import (
    MOST_PASSES,
    MOST_RANKS,
    MOST_SAMPLES,
    MOST_STEPS,
    PassData,
    SceneData,
)
from samplercheck.values.report_form import read, write

Steps = tuple[tuple[int, ...], ...]
"""The steps that one rank took, each with its samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPass:
    """One pass of all ranks: who got what in which step.

    ``label`` says what it is. ``stopped`` counts the steps before an interruption,
    ``cut`` says that ranks or steps are left out, and ``ended`` says by rank why its pass ended early.
    """

    experiment: str
    label: str
    epoch: int | None
    ranks: tuple[Steps, ...]
    stopped: int | None = None
    cut: bool = False
    ended: tuple[str, ...] = ()

    def trim(self, room: int) -> SeenPass:
        """Return it with no more ranks and steps than fit into the bounds, and into so many samples."""
        within: list[Steps] = []
        for steps in self.ranks[:MOST_RANKS]:
            fitting: list[tuple[int, ...]] = []
            for step in steps[:MOST_STEPS]:
                if len(step) > room:
                    break
                room -= len(step)
                fitting.append(step)
            within.append(tuple(fitting))
        ranks = tuple(within)
        return replace(self, ranks=ranks, ended=self.ended[:MOST_RANKS], cut=self.cut or ranks != self.ranks)

    @property
    def samples(self) -> int:
        """The number of samples in it."""
        return sum(len(step) for steps in self.ranks for step in steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The passes that show what is wrong in one case, or just what happens in it.

    ``marked`` names the offending cells: pass, rank, step; a step behind the end of a pass is one that
    lacks. ``observed`` and ``expected`` count draws sample by sample, where a law is about frequencies.
    ``token`` is the case.
    """

    length: int
    world_size: int
    passes: tuple[SeenPass, ...]
    marked: tuple[tuple[int, int, int], ...] = ()
    observed: tuple[float, ...] = ()
    expected: tuple[float, ...] = ()
    token: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return write(SceneData, self, passes=[write(PassData, one) for one in self.passes])

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Scene:
        """Return the scene that ``data`` describes, the inverse of ``to_dict``."""
        passes = tuple(read(PassData, SeenPass, one) for one in data["passes"])
        return read(SceneData, cls, data, passes=passes)

    def trim(self) -> Scene:
        """Return it within the bounds: whole passes first, in their order, then what still fits."""
        room, within = MOST_SAMPLES, []
        for one in self.passes[:MOST_PASSES]:
            within.append(one.trim(room))
            room -= within[-1].samples
        marked = tuple(cell for cell in self.marked if _is_within(cell, len(within)))
        return replace(
            self,
            passes=tuple(within),
            marked=marked[:MOST_SAMPLES],
            observed=self.observed[:MOST_SAMPLES],
            expected=self.expected[:MOST_SAMPLES],
        )


def _is_within(cell: tuple[int, int, int], passes: int) -> bool:
    number, rank, step = cell
    return number < passes and rank < MOST_RANKS and step < MOST_STEPS


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
class StoppedRun(Generic[Seen]):
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


def run_of(passes: Sequence[Seen]) -> StoppedRun[Seen] | None:
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
    for place, pass_ in enumerate(passes[first:], first):
        is_over = bool(legs) and legs[-1].seen.stopped is None
        if pass_.epoch == epoch and not is_over:
            legs.append(Leg(place, start, pass_))
            start += pass_.stopped or 0
        elif pass_.epoch == epoch or pass_.stopped is not None:
            break  # another run
        else:
            after.append(Leg(place, 0, pass_))
    return StoppedRun(epoch, whole, tuple(legs), tuple(after))
