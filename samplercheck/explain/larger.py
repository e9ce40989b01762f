"""Larger cases, chosen to refute a condition that is exact on the small scope.

Called by ``conditions``. Pure and deterministic: one pool of cases for a whole run, drawn once from a
fixed seed and without torch, and from it those on which rival conditions differ or one atom decides.
"""

from __future__ import annotations

from itertools import zip_longest
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from samplercheck.explain.atoms import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from samplercheck.case import Case
    from samplercheck.explain.region import Region

__all__ = ["Pool", "larger_cases"]

POOL = 1500
LONGEST = 64
LONGEST_WITH_COLLECTIVES = 24
WORLDS = (1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16)
FEW_RANKS = 6
BATCHES = (1, 2, 2, 3, 4, 5, 6, 8)
SEEDS = (0, 0, 1, 2, 7, 1234, 2**31 - 1)
A_FEW = 7


def larger_cases(
    small: Sequence[Case], *, number: int = POOL, step: int = 1, collectives: bool = False
) -> list[Case]:
    """Return cases beyond a small scope; what never varies there does not vary here.

    ``step`` is what a world must be a multiple of. With ``collectives``, for each of which ranks are
    run again, the cases stay modest.
    """
    most = LONGEST_WITH_COLLECTIVES if collectives else LONGEST
    worlds = [world for world in WORLDS if world <= FEW_RANKS or not collectives]
    random = Random("larger cases")
    longest = max((case.length for case in small), default=0)
    options = list(dict.fromkeys(case.options for case in small))
    known = set(small)
    found: dict[Case, None] = {}
    shuffles = sorted({case.shuffle for case in small})
    drops = sorted({case.drop_last for case in small})
    many_batches = len({case.batch_size for case in small}) > 1
    many_seeds = len({case.seed for case in small}) > 1
    for _ in range(2 * number):
        world = step * random.choice(worlds)
        batch = random.choice(BATCHES) if many_batches else small[0].batch_size
        case = small[0].but(
            length=_length(random, world, batch, (longest + 1, max(most, 2 * longest))),
            world_size=world,
            batch_size=batch,
            shuffle=random.choice(shuffles),
            drop_last=random.choice(drops),
            seed=random.choice(SEEDS) if many_seeds else small[0].seed,
            features=(),
            options=random.choice(options),
        )
        if case not in known and len(found) < number:
            found[case] = None
    return list(found)


def _length(random: Random, world: int, batch: int, beyond: tuple[int, int]) -> int:
    """Return a length: beyond the small scope, near a whole number of rounds, or near the world."""
    kind = random.choice(("any", "tiny", "rounds", "batches"))
    if kind == "any":
        return random.randint(*beyond)
    if kind == "tiny":
        return random.randint(0, world + 1)
    step = world * batch if kind == "batches" else world
    rounds = random.randint(1, max(1, beyond[1] // step))
    return max(0, rounds * step + random.choice((-1, 0, 0, 1, A_FEW)))


class Pool:
    """The larger cases of one run and how far they have been used."""

    def __init__(self, cases: Sequence[Case], features: Iterable[str]) -> None:
        self.table = Table(cases, features)
        self._used: set[int] = set()

    def against(self, regions: Sequence[Region], number: int) -> list[tuple[int, bool]]:
        """Return up to ``number`` unused places that may refute the first region, and what it says of them.

        Half of them are inside and half outside, as far as there are such cases.
        """
        best = regions[0]
        says = best.covers(self.table)
        sides: list[list[int]] = [[], []]
        for place in self._interesting(says, regions):
            if place not in self._used and place not in sides[0] and place not in sides[1]:
                sides[bool(says[place])].append(place)
        inside = sides[1][: max(number - number // 2, number - len(sides[0]))]
        chosen = sorted([*inside, *sides[0][: number - len(inside)]])
        self._used.update(chosen)
        return [(place, bool(says[place])) for place in chosen]

    def _interesting(self, says: NDArray[np.bool_], regions: Sequence[Region]) -> Iterator[int]:
        """Name places in turn: where rivals differ, where one atom decides, then any."""
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
        rows = [bits.nonzero()[0].tolist() for bits in telling]
        for turn in zip_longest(*rows):
            yield from (place for place in turn if place is not None)
        yield from range(len(says))
