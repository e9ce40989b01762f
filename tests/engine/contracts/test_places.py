"""What ranks that share a place in the data seem to be: replicas, and not samplers of one process."""

from __future__ import annotations

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import BatchSampler, DistributedSampler

import samplercheck as sc
from samplercheck.engine.contracts import propose
from samplercheck.running.inferring import propose_for
from samplercheck.targets.target import as_target
from samplercheck.worlds import open_world
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


class Clips(Placed):
    """Two clips of each video, all clips shuffled and dealt out: of two ranks each gets one of each video."""

    def __init__(self, length, rank, world_size, shuffle=True, seed=0):
        super().__init__(length, rank, world_size)
        self.shuffle, self.seed = shuffle, seed

    def __len__(self):
        return (2 * self.length + self.world_size - 1) // self.world_size

    def order(self):
        clips = torch.arange(2 * self.length)
        if self.shuffle:
            clips = torch.randperm(2 * self.length, generator=self.generator(self.seed))
        return self.padded([clip // 2 for clip in clips.tolist()])


def test_clips_of_which_neighbours_get_the_same_videos_are_no_replicas():
    found = propose_for(sc.target(Clips))
    assert found is not None
    assert (found.contract, found.left) == ({"coverage": "sampled", "frequencies": "at_least_once"}, ())


class DropsOfOneModel(OfOneModel):
    """The same, and what the places cannot share evenly is left out."""

    size = 1

    def __len__(self):
        return self.length // self.world_size // self.size

    def padded(self, order):
        return order[: len(self) * self.size * self.world_size]


class DropsBatchesOfOneModel(DropsOfOneModel):
    """What does not fill batches on all places is."""

    def __init__(self, length, rank, world_size, batch_size):
        super().__init__(length, rank, world_size)
        self.size = batch_size

    def __iter__(self):
        share = self.share()
        return iter([share[at * self.size : (at + 1) * self.size] for at in range(len(self))])


def test_of_replicas_what_happens_to_the_tail_is_told_too():
    broken = [sc.Case(length=5, world_size=4)]  # as a run has found them, which proposes after that
    with open_world("simulated") as world:
        found = propose(world, as_target(DropsOfOneModel), broken)
    assert found is not None
    assert (found.contract, found.left) == ({"replicas": SIZE, "tail": "drop", "order": "shuffled"}, ())


def batches_of_one_model(dataset, batch_size):
    """Finds its place in the group; a group of three ranks has none for the last of them."""
    place, places = dist.get_rank() // SIZE, max(1, dist.get_world_size() // SIZE)
    shared = DistributedSampler(dataset, places, place, shuffle=False)
    return BatchSampler(shared, batch_size, drop_last=False)


class OfEvenWorlds(OfOneModel):
    """Refuses what its pairs do not fill, one process too."""

    def __init__(self, length, rank, world_size):
        if world_size % SIZE:
            raise ValueError(f"{world_size} ranks are no pairs")
        super().__init__(length, rank, world_size)


def test_replicas_are_told_though_odd_worlds_and_one_process_are_refused():
    found = propose_for(sc.target(OfEvenWorlds))
    assert found is not None
    assert (found.contract, found.left) == ({"replicas": SIZE, "order": "shuffled"}, ())


def test_replicas_are_told_though_they_raise_in_worlds_that_have_no_room_for_them():
    found = propose_for(sc.target(batches_of_one_model))
    assert found is not None
    assert (found.contract, found.left) == ({"replicas": SIZE}, ())


def test_of_declared_replicas_the_unit_of_a_declared_tail_is_told():
    said = sc.Contract(replicas=SIZE, tail="drop", order="shuffled")
    found = propose_for(sc.target(DropsBatchesOfOneModel, contract=said))
    assert found is not None
    assert (found.contract, found.left) == ({"tail_unit": "batch"}, ())


def test_no_sign_contradicts_what_is_declared():
    said = sc.Contract(replicas=SIZE, tail="pad", order="shuffled")
    assert propose_for(sc.target(DropsBatchesOfOneModel, contract=said)) is None


@pytest.mark.parametrize("bug", [OfOtherModels, OfOneNode])
def test_who_shares_a_place_with_no_neighbour_or_leaves_some_out_is_not_excused(bug):
    found = propose_for(sc.target(bug))
    assert found is None or not {"replicas", "sharding"} & found.contract.keys()
