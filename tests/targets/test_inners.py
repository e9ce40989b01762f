"""What wrappers get to wrap is torch's in kind: wrappers ask for that when they are built."""

from __future__ import annotations

import pickle

import pytest
from torch.utils.data import BatchSampler, Sampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.targets.inners import inner_of
from tests.support.complaints import complaints


class Picky(Sampler[int]):
    """Deals out what a sampler yields, as Lightning's and accelerate's wrappers do, and asks what it is."""

    def __init__(self, sampler, rank, world_size):
        if not isinstance(sampler, Sampler):
            raise TypeError(f"{type(sampler).__name__} is no Sampler")
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("no such place")
        self.sampler, self.rank, self.world = sampler, rank, world_size

    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)  # type: ignore[attr-defined]  # the kit's has it

    def __len__(self):
        return (len(self.sampler) + self.world - 1) // self.world

    def __iter__(self):
        order = list(self.sampler)
        total = len(self) * self.world
        return iter([order[place % len(order)] for place in range(self.rank, total, self.world)])


@pytest.mark.parametrize(("name", "kind"), [("sampler", Sampler), ("batch_sampler", BatchSampler)])
@pytest.mark.parametrize("batches", ["fixed", "variable"])
def test_what_is_wrapped_is_torchs_in_kind_and_survives_pickling(name, kind, batches):
    inner = inner_of(name, sc.Case(length=7, batch_size=2, shuffle=True), sc.Contract(batches=batches))
    assert isinstance(inner, kind)
    copy = pickle.loads(pickle.dumps(inner))
    assert list(copy) == list(inner)
    assert copy.settings() == inner.settings()


@pytest.mark.thorough
def test_a_wrapper_that_asks_what_it_wraps_is_judged():
    plan = Plan(target=Picky, contract=sc.Contract(order="sequential"), profile="quick", explains=False)
    report = carry_out(plan)
    assert complaints(report) == {}
    assert report.ok
