"""Candidates: of a run's larger cases those that may refute a condition, chosen round by round.

Called by ``conditions``. First come those on which rival conditions differ or one atom decides; a few that
are far away, or have a large batch or seed, are in each round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from math import log10

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.values.case import Case

FAR_INSIDE, FAR_OUTSIDE, FAR_MOST = 3, 2, 10
ODD_INSIDE, ODD_OUTSIDE, ODD_MOST = 4, 1, 12


class CandidatePool:
    """The larger cases of one run and how far they have been used; of the far and odd ones few.

    Far ones cost more, and odd ones, of large batches and seeds, refute what no length does.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        features: Iterable[str],
        far: Sequence[Case] = (),
        odd: Sequence[Case] = (),
    ) -> None:
        self.table = Table([*cases, *far, *odd], features)
        self._near = len(cases)
        self._far = list(range(len(cases), len(cases) + len(far)))
        self._odd = list(range(len(cases) + len(far), len(self.table.cases)))
        self._left, self._odd_left = FAR_MOST, ODD_MOST
        self._used: set[int] = set()

    def against(self, regions: Sequence[Region], number: int, longest: int = 0) -> list[tuple[int, bool]]:
        """Return up to ``number`` unused places that may refute the first region, and what it says of them.

        Half of them are inside and half outside, as far as there are such cases; those inside that are
        longer than the ``longest`` small one come first. Far ones come besides.
        """
        best = regions[0]
        says = best.covers(self.table)
        sides: list[list[int]] = [[], []]
        for place in self._interesting(says, regions):
            if place not in self._used and place not in sides[0] and place not in sides[1]:
                sides[bool(says[place])].append(place)
        longer = sorted(sides[1], key=lambda place: self.table.cases[place].length <= longest)
        inside = longer[: max(number - number // 2, number - len(sides[0]))]
        chosen = sorted([*inside, *sides[0][: number - len(inside)]])
        self._used.update(chosen)
        return [(place, bool(says[place])) for place in (*chosen, *self._afar(says), *self._oddly(says))]

    def _afar(self, says: NDArray[np.bool_]) -> list[int]:
        """Take some of the far places, more of them inside: no atom tells a large size from a small one."""
        inside = self._of_all_sizes(place for place in self._far if says[place])[:FAR_INSIDE]
        outside = self._of_all_sizes(place for place in self._far if not says[place])[:FAR_OUTSIDE]
        taken = [*inside, *outside][: self._left]
        self._left -= len(taken)
        self._far = [place for place in self._far if place not in taken]
        return taken

    def _oddly(self, says: NDArray[np.bool_]) -> list[int]:
        """Take some of the odd places, in the order in which seeds and batches take turns."""
        inside = [place for place in self._odd if says[place]][:ODD_INSIDE]
        outside = [place for place in self._odd if not says[place]]
        taken = [*inside, *outside][: min(ODD_INSIDE + ODD_OUTSIDE, self._odd_left)]
        self._odd_left -= len(taken)
        self._odd = [place for place in self._odd if place not in taken]
        return taken

    def _of_all_sizes(self, places: Iterable[int]) -> list[int]:
        """Return the places in such an order that lengths of one size come after those of the others."""
        sizes: dict[int, list[int]] = {}
        for place in places:
            sizes.setdefault(round(log10(self.table.cases[place].length + 1)), []).append(place)
        return [place for turn in zip_longest(*sizes.values()) for place in turn if place is not None]

    def _interesting(self, says: NDArray[np.bool_], regions: Sequence[Region]) -> Iterator[int]:
        """Name near places in turn: where rivals differ, where one atom decides, then any."""
        best = regions[0]
        telling = []
        for rival in regions[1:]:
            other = rival.covers(self.table)
            telling += [says & ~other, other & ~says]
        for clause in best.clauses:
            holds = [atom.holds(self.table) for atom in clause]
            for number in range(len(clause)):
                others = [bits for place, bits in enumerate(holds) if place != number]
                telling.append(~says & np.logical_and.reduce([np.ones_like(says), *others]))
        rows = [bits[: self._near].nonzero()[0].tolist() for bits in telling]
        for turn in zip_longest(*rows):
            yield from (place for place in turn if place is not None)
        yield from range(self._near)
