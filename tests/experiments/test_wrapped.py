"""A wrapper around the kit's own inner sampler: who tells it of epochs, and who is asked for a length."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck import Case
from samplercheck.worlds import open_world


class Passes:
    """Yields what it wraps; its length says how often it was asked."""

    def __init__(self, sampler):
        self.sampler, self.asked = sampler, 0

    def __len__(self):
        self.asked += 1
        return self.asked

    def __iter__(self):
        return iter(self.sampler)


class Tells(Passes):
    """The same, which passes on set_epoch."""

    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)


def record(wrapper, experiment):
    """What a wrapper of a shuffle records in one case of three epochs."""
    target = sc.target(wrapper, contract=sc.Contract(sharding="none", order="shuffled"))
    with open_world("simulated") as world:
        trace = world.trace(target.bind(), Case(length=6, epochs=3, shuffle=True), ("epochs", experiment))
    assert trace.is_whole, trace.faults
    (found,) = trace.of(experiment)
    return found


@pytest.mark.parametrize(("wrapper", "told"), [(Passes, False), (Tells, True)])
def test_the_inner_sampler_goes_to_each_epoch_by_the_wrapper_or_else_by_the_kit(wrapper, told):
    found = record(wrapper, "wrapped")
    assert (found.notes["is_told"], found.notes["has_set_epoch"]) == (told, told)
    assert found.notes["inner_epochs"] == (0, 1, 2)
    assert tuple(tuple(one.items) for one in found.passes) == found.notes["inner_orders"]
    assert len({*found.notes["inner_orders"]}) == 3
    assert found.lengths == []


def test_a_wrapper_is_asked_for_its_length_after_each_pass_in_an_experiment_of_its_own():
    found = record(Tells, "counted")
    assert [(one.when, one.epoch) for one in found.lengths] == [("after", epoch) for epoch in range(3)]
    assert [one.value for one in found.lengths] == [1, 2, 3]
    assert found.notes["inner_epochs"] == (0, 1, 2)


class TellsButZero(Passes):
    """Takes epoch 0 for none."""

    def set_epoch(self, epoch):
        if epoch:
            self.sampler.set_epoch(epoch)


class TellsLate(Passes):
    """Passes on in the pass what was noted before."""

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        self.sampler.set_epoch(self.epoch)
        yield from self.sampler


class Rises(Tells):
    """Refuses to go back."""

    epoch = 0

    def set_epoch(self, epoch):
        if epoch < self.epoch:
            raise ValueError(epoch)
        self.epoch = epoch
        super().set_epoch(epoch)


@pytest.mark.parametrize(("wrapper", "at"), [(Tells, 0), (TellsLate, 0), (Rises, 0), (TellsButZero, 2)])
def test_a_wrapper_is_told_to_go_back_to_epoch_0(wrapper, at):
    found = record(wrapper, "wrapped")
    assert found.notes["back_at"] == at
    assert found.notes["inner_epochs"] == (0, 1, 2)
