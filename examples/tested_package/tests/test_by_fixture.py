"""The second way: fixtures, inside your own tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch.distributed as dist
from hypothesis import given, settings
from shards.samplers import Strided, Unpadded, WholeBatches

import samplercheck as sc

if TYPE_CHECKING:
    from samplercheck.pytesting import Kit, ProcessGroups, SimulatedWorlds


def test_strided(samplercheck: Kit) -> None:
    """Judge it by all laws at once."""
    samplercheck.run(Strided).raise_for_failures()


def test_whole_batches(samplercheck: Kit) -> None:
    """Judge it by its own contract."""
    samplercheck.run(WholeBatches, sc.Contract(tail="drop", tail_unit="batch")).raise_for_failures()


def test_unpadded(samplercheck: Kit) -> None:
    """Show the bug: the block names the smallest case."""
    samplercheck.run(Unpadded, select=["SC104"]).raise_for_failures()


def shares(length: int) -> list[Any]:
    """Return what all ranks hold; runs in every rank, where torch.distributed knows which."""
    mine = list(Strided(range(length), dist.get_rank(), dist.get_world_size(), shuffle=False))
    found: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(found, mine)
    return found


def test_ranks_talk_in_simulation(simulated_world: SimulatedWorlds) -> None:
    """Run a function in three ranks, one after the other."""
    assert simulated_world(3).run(shares, 5) == [[[0, 3], [1, 4], [2, 0]]] * 3


def test_ranks_talk_in_processes(process_group: ProcessGroups) -> None:
    """Run the same function in two real ranks."""
    assert process_group(2).run(shares, 5) == [[[0, 2, 4], [1, 3, 0]]] * 2


@settings(max_examples=50, deadline=None, database=None)
@given(case=sc.strategies.cases(min_length=1, max_length=50))
def test_every_sample_is_somewhere(case: sc.Case) -> None:
    """Check your own property over the kit's cases."""
    ranks = range(case.world_size)
    dealt = [Strided(range(case.length), rank, case.world_size, shuffle=case.shuffle) for rank in ranks]
    assert {index for sampler in dealt for index in sampler} == set(range(case.length))
