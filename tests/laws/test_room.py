"""How much memory a long case takes beyond the target's own: all experiments, all laws."""

from __future__ import annotations

import tracemalloc
from itertools import count
from math import gcd
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 100_000


class Strided:
    """Yields its share one by one, in an order that it computes as it goes, and keeps nothing."""

    def __init__(self, dataset: object, num_replicas: int, rank: int, *, shuffle: bool, seed: int) -> None:
        self.length, self.world, self.rank = len(dataset), num_replicas, rank  # type: ignore[arg-type]
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return (self.length + self.world - 1) // self.world

    def __iter__(self) -> Iterator[int]:
        place, factor = 0, 1
        if self.shuffle:
            place = 7919 * self.seed + 104_729 * self.epoch + 12_345
            factor = next(one for one in count(place) if gcd(one, self.length) == 1)
        steps = range(self.rank, len(self) * self.world, self.world)
        return ((step % self.length * factor + place) % self.length for step in steps)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("world_size", "shuffle", "most"), [(1, False, 22), (8, False, 24), (1, True, 24), (8, True, 24)]
)
def test_a_long_case_takes_few_bytes_an_index(world_size: int, shuffle: bool, most: int) -> None:
    binding = sc.target(Strided).bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
        laws = [law for law in ALL_LAWS if law.applies(scope) and law.code != "SC1002"]  # this is no shuffle
        search = Search(world, binding, scope, tuple(laws))
        search.try_case(sc.Case(length=1_000, world_size=world_size, shuffle=shuffle, epochs=2), counts=True)
        tracemalloc.start()
        try:
            case = sc.Case(length=LENGTH, world_size=world_size, shuffle=shuffle, epochs=2)
            search.try_case(case, counts=True)
            left, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert search.ledger.broken == ()
    assert peak / LENGTH < most
    assert left < 2 * LENGTH  # else the next case has its peak on top of what this one left
