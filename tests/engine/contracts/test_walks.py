"""Parts of the dataset that epochs hold: cycles that go through it, and labels or tails that never come."""

from __future__ import annotations

import math

import pytest
import torch

from samplercheck.engine.contracts import propose
from samplercheck.targets.target import as_target
from samplercheck.worlds import open_world
from tests.engine.contracts.asked import Placed

PARTS = 4
IN_TIME = {"coverage": "subset", "frequencies": "eventually", "order": "shuffled"}


class InParts(Placed):
    """Goes through a shuffled dataset in four epochs; its bug leaves out what four does not divide."""

    def order(self):
        lap, part = divmod(self.epoch, PARTS)
        size = (math.floor if self.forgets else math.ceil)(self.length / PARTS)
        order = torch.randperm(self.length, generator=torch.Generator().manual_seed(lap)).tolist()
        return self.padded(order[part * size : (part + 1) * size])


class InOtherParts(InParts):
    """Shuffles in each epoch, so that its parts have samples in common: no four of them are the dataset."""

    def order(self):
        order = torch.randperm(self.length, generator=torch.Generator().manual_seed(self.epoch)).tolist()
        return self.padded(order[: math.ceil(self.length / PARTS)])


class OfTwoLabels(Placed):
    """Trains on two labels in each epoch; its bug is that the last of an odd number of labels never comes."""

    def __init__(self, labels, rank, world_size, *, forgets=False):
        super().__init__(len(labels), rank, world_size, forgets=forgets)
        self.labels = labels

    def order(self):
        number = max(self.labels, default=-1) + 1
        tasks = max(1, number // 2 if self.forgets else -(-number // 2))
        first = 2 * (self.epoch % tasks)
        own = [i for i, one in enumerate(self.labels) if one in (first, first + 1)]
        seed = torch.Generator().manual_seed(self.epoch)
        mixed = [own[at] for at in torch.randperm(len(own), generator=seed).tolist()]
        return mixed[: len(mixed) // self.world_size * self.world_size]


class Labelled(Placed):
    """Three more samples have labels in each epoch; its bug is that the last of all is always cut off."""

    def order(self):
        pool = torch.randperm(self.length, generator=torch.Generator().manual_seed(7)).tolist()
        known = pool[: 3 * (self.epoch + 1)]
        if not self.forgets:
            known = [known[i] for i in torch.randperm(len(known), generator=self.generator()).tolist()]
        return known[: len(known) // self.world_size * self.world_size]


@pytest.fixture
def told(request):
    made, forgets = request.param

    def build(length, rank, world_size):
        return made(length, rank, world_size, forgets=forgets)

    def build_by_labels(labels, rank, world_size):
        return made(labels, rank, world_size, forgets=forgets)

    with open_world("simulated") as world:
        return propose(
            world, as_target(build_by_labels if made is OfTwoLabels else build), is_long=True, may_hide=True
        )


@pytest.mark.parametrize("told", [(InParts, False)], indirect=True)
def test_epochs_that_go_through_the_dataset_together_are_told_as_a_cycle(told):
    assert told.contract == {"coverage": "subset", "cycle": PARTS, "tail": "pad", "order": "shuffled"}
    assert told.left == ()


@pytest.mark.parametrize("told", [(InParts, True)], indirect=True)
def test_a_cycle_that_leaves_samples_out_is_told_so(told):
    assert (told.contract["cycle"], told.left) == (PARTS, ("SC102",))
    assert "in the 4 epochs from" in told.found["SC102"]


@pytest.mark.parametrize("told", [(InOtherParts, False)], indirect=True)
def test_parts_with_samples_in_common_are_no_cycle(told):
    assert "cycle" not in told.contract
    assert told.left == ()


@pytest.mark.parametrize("told", [(OfTwoLabels, True), (Labelled, True)], indirect=True)
def test_what_never_comes_is_left_where_each_sample_is_to_come_in_time(told):
    assert told.contract.items() >= IN_TIME.items()
    assert told.left == ("SC1001",)


@pytest.mark.parametrize("told", [(OfTwoLabels, False), (Labelled, False)], indirect=True)
def test_what_comes_in_time_is_left_alone(told):
    assert told.contract.items() >= IN_TIME.items()
    assert told.left == ()
