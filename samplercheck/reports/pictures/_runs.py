"""Runs: of a scene, the epoch that nobody stopped, the passes of a run that was, and what became of samples.

Used by the timeline. Reads plain data. Standard library alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Seen = Mapping[str, Any]
    Steps = Sequence[Sequence[int]]

__all__ = ["Leg", "Run", "run_of"]


@dataclass(frozen=True, slots=True)
class Leg:
    """One pass of a run, its number in the scene, and the step at which it began."""

    place: int
    start: int
    seen: Seen

    def steps(self, rank: int) -> Steps:
        """Return what a rank yielded in it."""
        ranks: Sequence[Steps] = self.seen["ranks"]
        return ranks[rank] if rank < len(ranks) else ()


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was stopped in an epoch and resumed; ``after`` are passes of other epochs behind it.

    ``whole`` has the epochs of the run that nobody stopped, by their number.
    """

    epoch: int
    whole: dict[int, Leg]
    legs: tuple[Leg, ...]
    after: tuple[Leg, ...]

    @property
    def stops(self) -> list[int]:
        """After how many steps it was stopped."""
        return [leg.start + leg.seen["stopped"] for leg in self.legs if leg.seen["stopped"] is not None]

    @property
    def is_of_one_world(self) -> bool:
        """Whether it was resumed by as many ranks as were stopped."""
        return len({len(leg.seen["ranks"]) for leg in (*self.whole.values(), *self.legs)}) == 1

    def ranks(self) -> int:
        """Return the number of ranks, the most of any pass."""
        return max(len(leg.seen["ranks"]) for leg in (*self.whole.values(), *self.legs, *self.after))

    def came_again(self, rank: int) -> set[int]:
        """Return the samples that came after a stop though they had come before it."""
        return {sample for leg in self.legs for sample in self.repeated(leg, rank)}

    def repeated(self, leg: Leg, rank: int) -> set[int]:
        """Return what one pass repeats of those before it, of all ranks together where they were others."""
        earlier = [one for one in self.legs if one.place < leg.place]
        before, here = self._samples(earlier, rank), self._samples([leg], rank)
        due = self._due(rank)
        return {sample for sample in before & here if before[sample] + here[sample] > max(1, due[sample])}

    def lost(self, rank: int) -> set[int]:
        """Return the samples that the epoch has and the run never yielded, as far as that is known."""
        if any(leg.seen["cut"] for leg in self.legs) or len(self.legs) == len(self.stops):
            return set()
        return set(self._due(rank)) - set(self._samples(self.legs, rank))

    def _due(self, rank: int) -> Counter[int]:
        whole = self.whole.get(self.epoch)
        return self._samples([whole] if whole is not None else [], rank)

    def _samples(self, legs: Iterable[Leg], rank: int) -> Counter[int]:
        return Counter(sample for leg in legs for sample in self._of(leg, rank))

    def _of(self, leg: Leg, rank: int) -> Iterator[int]:
        ranks = [rank] if self.is_of_one_world else range(len(leg.seen["ranks"]))
        for one in ranks:
            for step in leg.steps(one):
                yield from step


def run_of(passes: Sequence[Seen]) -> Run | None:
    """Return the first run of a scene that was stopped; None where none was."""
    first = next((place for place, one in enumerate(passes) if one["stopped"] is not None), None)
    if first is None:
        return None
    epoch = passes[first]["epoch"]
    whole: dict[int, Leg] = {}
    for place, one in enumerate(passes[:first]):
        whole.setdefault(one["epoch"], Leg(place, 0, one))
    legs: list[Leg] = []
    after: list[Leg] = []
    start = 0
    for place, one in enumerate(passes[first:], first):
        is_over = bool(legs) and legs[-1].seen["stopped"] is None
        if one["epoch"] == epoch and not is_over:
            legs.append(Leg(place, start, one))
            start += one["stopped"] or 0
        elif one["epoch"] == epoch or one["stopped"] is not None:
            break  # another run
        else:
            after.append(Leg(place, 0, one))
    return Run(epoch, whole, tuple(legs), tuple(after))
