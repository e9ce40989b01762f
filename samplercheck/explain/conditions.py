"""Conditions: the region of a broken law, found on what a run has tried and tested on larger cases.

Called by the engine. A larger case that refutes a condition joins what is known, and the search begins
again; only what a whole round of larger cases agrees with is told. What runs a case is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.atoms import Atom, atoms_of
from samplercheck.explain.candidates import CandidatePool
from samplercheck.explain.large_atoms import large_atoms, power_atoms
from samplercheck.explain.larger import FAR, FAR_WORK, far_cases, larger_cases, near_cases, odd_cases
from samplercheck.explain.own_atoms import own_atoms
from samplercheck.explain.region import (
    Region,
    exact_regions,
    necessary_regions,
    pack,
    sufficient_regions,
)
from samplercheck.explain.table import Table
from samplercheck.explain.words import EXACT, NECESSARY, SUFFICIENT, TRIED
from samplercheck.values.case import Case

Fails = Callable[[Case], bool | None]
"""Says of a case whether it fails, or None where that cannot be said."""

ROUND = 24
ROUNDS = 5
FEWEST = 4
SHORT_OF_FAR = 128


@dataclass(slots=True)
class Places:
    """Where in a list of cases a law is broken and where it stays undecided; anywhere else it is not."""

    failing: list[int] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, told: Sequence[bool | None]) -> Places:
        """Return the places in a list of what was said of its cases, None where nothing could be."""
        return cls(
            [place for place, fails in enumerate(told) if fails],
            [place for place, fails in enumerate(told) if fails is None],
        )


class Conditions:
    """Finds regions of the laws that a run's small scope breaks; ``tried`` counts the larger cases run.

    ``met`` are those that could be decided, and whether they fail. ``round`` is how many are to agree.

    ``beyond`` are cases that the run has tried besides, ``around`` those of them that break a law which no
    small case breaks: then cases around these are what refutes a condition. Where a case costs much more
    than elsewhere, with ``collectives`` or where it ``stays_near`` for another reason, none is far away. A
    target that is ``alone``, in one process, has no ranks to speak of. Conditions name the ``own``
    numbers that parameters of the target are by default.
    """

    def __init__(
        self,
        small: Sequence[Case],
        beyond: Sequence[Case] = (),
        *,
        step: int = 1,
        collectives: bool = False,
        stays_near: bool = False,
        around: Sequence[Case] = (),
        alone: bool = False,
        own: Mapping[str, int] | None = None,
    ) -> None:
        names = sorted({name for case in small[-1:] for name, _ in case.features})
        longest = SHORT_OF_FAR if names else None  # values for samples are made for each case
        self._number = len(small), len(beyond)
        self._compared = _comparable(beyond, small, longest)
        tables = [Table(cases, names) for cases in (small, [beyond[place] for place in self._compared])]
        self.longest = max((case.length for case in small), default=0)
        self._larger = (
            near_cases(small, around, step=step)
            if around
            else larger_cases(small, step=step, collectives=collectives)
        )
        told = Table([*small, *around, *self._larger], names) if around else tables[0]
        more = [*(large_atoms(told, around) if around else power_atoms()), *own_atoms(own or {}, names)]
        wider = Table([*small, *self._larger], names) if own and not around else None
        self.atoms = atoms_of(told, more, alone=alone, wider=wider)
        self.bits = [np.concatenate([atom.holds(table) for table in tables]) for atom in self.atoms]
        self._names = names
        lengths = FAR[:1] if names else FAR
        is_near = collectives or stays_near or around
        self._far = [] if is_near else far_cases(small, lengths=lengths, step=step)
        self._odd = [] if is_near or names else odd_cases(small, step=step)
        self.round = _round_of(around)
        self.tried = 0
        self.met: list[tuple[Case, bool]] = []

    def keep(self, affords: Callable[[Case], bool]) -> None:
        """Leave out the larger cases that are too dear, so that a round is of others."""
        self._larger = [case for case in self._larger if affords(case)]

    def region(
        self,
        small: Places,
        fails: Fails,
        beyond: Places | None = None,
        left_out: Mapping[str, AbstractSet[str]] | None = None,
    ) -> tuple[str, Region] | None:
        """Return the region of a law that fails at these places of the small scope and of the cases beyond.

        ``fails`` says of a larger case whether the law is broken there, or None where that cannot
        be said. The text says how much is claimed; where nothing stands the test, nothing is said, but what
        was tried where no larger case can be run.
        Some conditions are ``left_out`` of what is claimed.
        """
        rows = [_rows(small, self._number[0])]
        rows.append(_rows(beyond or Places(), self._number[1])[:, self._compared])
        known, broken = np.concatenate(rows, axis=1)
        trial, met = _Trial(self, known, broken, fails, left_out or {}), len(self.met)
        for claim, find in CLAIMS.items():
            region = trial.run(find, claim)
            if region is not None:
                return claim, region
        return None if len(self.met) > met else trial.of_tried()

    def describe(self, chosen: list[int]) -> str:
        """Return a condition of exactly these cases of the small scope; empty where there is none."""
        inside = np.zeros(self._number[0], dtype=bool)
        inside[chosen] = True
        pairs = zip(self.atoms, self.bits, strict=True)
        masks = [(atom, pack(bits[: len(inside)])) for atom, bits in pairs]
        found = exact_regions(masks, pack(inside), pack(~inside))
        return found[0].text if found else ""

    def pool(self) -> CandidatePool:
        """Return the larger cases, none of them used."""
        return CandidatePool(self._larger, self._names, self._far, self._odd)


def _round_of(around: Sequence[Case]) -> int:
    """Return how many larger cases are to agree: more where no small one fails, fewer where each is dear."""
    if not around:
        return ROUND
    least = min(case.length * case.world_size for case in around)
    return 2 * ROUND if least <= FAR_WORK else ROUND // 2


def _comparable(beyond: Sequence[Case], small: Sequence[Case], longest: int | None) -> list[int]:
    """Return the places of the cases whose options are those of a small case, as conditions ask for them."""
    options = {case.options for case in small}
    return [
        place
        for place, case in enumerate(beyond)
        if case.options in options and (longest is None or case.length <= longest)
    ]


def _rows(places: Places, number: int) -> NDArray[np.bool_]:
    """Return of so many cases whether something is known of each, and whether it breaks the law."""
    rows = np.zeros((2, number), dtype=bool)
    rows[0] = True
    rows[0, places.undecided] = False
    rows[1, places.failing] = True
    return rows


CLAIMS: dict[str, Callable[..., list[Region]]] = {
    EXACT: exact_regions,
    SUFFICIENT: sufficient_regions,
    NECESSARY: necessary_regions,
}
"""What is said of a region, what says most first, and how such a region is found."""


class _Trial:
    """What is known of one law: what the run has tried, and the larger cases that were run for it."""

    def __init__(
        self,
        conditions: Conditions,
        known: NDArray[np.bool_],
        broken: NDArray[np.bool_],
        fails: Fails,
        left_out: Mapping[str, AbstractSet[str]],
    ) -> None:
        self._left_out = left_out
        self._conditions = conditions
        self._known = known
        self._broken = broken
        self._fails = fails
        self._pool = conditions.pool()
        self._met: list[tuple[int, bool]] = []

    def run(self, find: Callable[..., list[Region]], claim: str) -> Region | None:
        """Return the first region that a round of larger cases does not refute."""
        for _ in range(ROUNDS):
            regions = find(*self._evidence(self._left_out.get(claim, frozenset())))
            if not regions:
                return None
            stands = self._stands(regions, claim)
            if stands is not None:
                return regions[0] if stands else None
        return None

    def of_tried(self) -> tuple[str, Region] | None:
        """Return the region of what the run has tried, where no larger case can be run to refute it."""
        regions = exact_regions(*self._evidence(self._left_out.get(EXACT, frozenset())))
        return (TRIED, regions[0]) if regions and any(regions[0].clauses) else None

    def _evidence(self, left_out: AbstractSet[str]) -> tuple[list[tuple[Atom, int]], int, int]:
        """Return the atoms with the cases that each is true of, the failing cases and the passing ones."""
        conditions, table = self._conditions, self._pool.table
        places = [place for place, _ in self._met]
        fails = np.concatenate([self._broken[self._known], [told for _, told in self._met]]).astype(bool)
        masks = [
            (atom, pack(np.concatenate([bits[self._known], atom.holds(table)[places]])))
            for atom, bits in zip(conditions.atoms, conditions.bits, strict=True)
            if atom.text not in left_out
        ]
        return masks, pack(fails), pack(~fails)

    def _stands(self, regions: Sequence[Region], claim: str) -> bool | None:
        """Run a round of larger cases; None where one of them refutes the first region.

        False where too few of them could be decided to call it tested.
        """
        agreed = [0, 0]
        refuted = False
        longest = self._conditions.longest if claim == SUFFICIENT else 0
        for place, says in self._pool.against(regions, self._conditions.round, longest):
            if claim == (NECESSARY if says else SUFFICIENT):
                continue  # either outcome agrees with it
            told = self._fails(self._pool.table.cases[place])
            self._conditions.tried += 1
            if told is None:
                continue
            self._met.append((place, told))
            self._conditions.met.append((self._pool.table.cases[place], told))
            refuted |= told != says
            agreed[says] += told == says
        if refuted:
            return None
        if regions[0].clauses == ((),):
            return agreed[True] >= FEWEST
        sides = {EXACT: agreed, SUFFICIENT: agreed[True:], NECESSARY: agreed[:True]}
        return min(sides[claim]) >= FEWEST
