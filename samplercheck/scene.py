"""Scene: what the ranks of one case really did, as plain data for pictures.

Made by the engine for the case that shows a failure, and by ``samplercheck show``; part of
``report.json``; drawn by ``reports.pictures``. Bounded, whatever was recorded. Imports the form of
the file alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from samplercheck.report_form import (
    MOST_PASSES,
    MOST_RANKS,
    MOST_SAMPLES,
    MOST_STEPS,
    PassData,
    SceneData,
    read,
    write,
)

__all__ = [
    "MOST_PASSES",
    "MOST_RANKS",
    "MOST_SAMPLES",
    "MOST_STEPS",
    "Scene",
    "SeenPass",
]

Steps = tuple[tuple[int, ...], ...]
"""The steps that one rank took, each with its samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPass:
    """One pass of all ranks: who got what in which step.

    ``label`` is what a reader is told of it. ``stopped`` counts the steps before an interruption,
    ``cut`` says that ranks or steps are left out, and ``ended`` says by rank why its pass ended early.
    """

    experiment: str
    label: str
    epoch: int | None
    ranks: tuple[Steps, ...]
    stopped: int | None = None
    cut: bool = False
    ended: tuple[str, ...] = ()

    def bounded(self, room: int) -> SeenPass:
        """Return it with no more ranks and steps than fit into the bounds, and into so many samples."""
        kept: list[Steps] = []
        for steps in self.ranks[:MOST_RANKS]:
            mine: list[tuple[int, ...]] = []
            for step in steps[:MOST_STEPS]:
                if len(step) > room:
                    break
                room -= len(step)
                mine.append(step)
            kept.append(tuple(mine))
        ranks = tuple(kept)
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

    def bounded(self) -> Scene:
        """Return it within the bounds: whole passes first, in their order, then what still fits."""
        room, kept = MOST_SAMPLES, []
        for one in self.passes[:MOST_PASSES]:
            kept.append(one.bounded(room))
            room -= kept[-1].samples
        marked = tuple(cell for cell in self.marked if _is_within(cell, len(kept)))
        return replace(
            self,
            passes=tuple(kept),
            marked=marked[:MOST_SAMPLES],
            observed=self.observed[:MOST_SAMPLES],
            expected=self.expected[:MOST_SAMPLES],
        )


def _is_within(cell: tuple[int, int, int], passes: int) -> bool:
    number, rank, step = cell
    return number < passes and rank < MOST_RANKS and step < MOST_STEPS
