"""How much memory a long case takes beyond the target's own: all experiments, all laws."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 30_000


class Strided:
    """Yields its share one by one, and keeps nothing."""

    def __init__(self, dataset: object, num_replicas: int, rank: int) -> None:
        self.length, self.world, self.rank = len(dataset), num_replicas, rank  # type: ignore[arg-type]

    def __len__(self) -> int:
        return (self.length + self.world - 1) // self.world

    def __iter__(self) -> Iterator[int]:
        return ((step * self.world + self.rank) % self.length for step in range(len(self)))


@pytest.mark.thorough
@pytest.mark.parametrize(("world_size", "most"), [(1, 32), (8, 56)])
def test_a_long_case_takes_few_bytes_an_index(world_size: int, most: int) -> None:
    binding = sc.target(Strided).bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
        search = Search(world, binding, scope, tuple(law for law in ALL_LAWS if law.applies(scope)))
        search.try_case(sc.Case(length=10, world_size=world_size), counts=True)
        tracemalloc.start()
        try:
            search.try_case(sc.Case(length=LENGTH, world_size=world_size, epochs=3), counts=True)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert search.ledger.broken == ()
    assert peak / LENGTH < most
