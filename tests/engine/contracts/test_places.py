"""What ranks that share a place in the data seem to be: replicas, and not samplers of one process."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist

import samplercheck as sc
from samplercheck.running.inferring import propose_for
from tests.engine.contracts.asked import Placed

SIZE = 2


class OfOneModel(Placed):
    """Neighbours hold one model (tensor parallel) and share a place in the data."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, 0, 1)
        self.rank, self.world_size = rank // SIZE, max(1, world_size // SIZE)

    def __len__(self):
        return (self.length + self.world_size - 1) // self.world_size

    def order(self):
        return self.padded(torch.randperm(self.length, generator=self.generator()).tolist())


class OfOtherModels(OfOneModel):
    """Ranks that lie apart share a place: the peers of a model read different data."""

    def __init__(self, length):
        super().__init__(length, dist.get_rank(), dist.get_world_size())
        self.rank = dist.get_rank() % self.world_size


class OfOneNode(OfOneModel):
    """Neighbours read the same, and the places of others are read by nobody."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.world_size = world_size


def test_neighbours_that_share_a_place_are_told_as_replicas():
    found = propose_for(sc.target(OfOneModel))
    assert found is not None
    assert (found.contract, found.left) == ({"replicas": SIZE, "order": "shuffled"}, ())


@pytest.mark.parametrize("bug", [OfOtherModels, OfOneNode])
def test_who_shares_a_place_with_no_neighbour_or_leaves_some_out_is_not_excused(bug):
    found = propose_for(sc.target(bug))
    assert found is None or not {"replicas", "sharding"} & found.contract.keys()
