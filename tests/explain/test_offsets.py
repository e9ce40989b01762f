"""Where a resumed object begins: what was consumed in epochs that are over, and how long a place counts."""

from __future__ import annotations

import random

import pytest

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.explain.borders import of_its_epoch
from samplercheck.targets.binding import Binding
from tests.zoo._sound import Strided


class Told:
    """Keeps what it was told."""

    def __init__(self, length, consumed):
        self.length, self.consumed = length, consumed


@pytest.mark.parametrize(
    ("tail", "told", "left"), [("pad", 9, 1), ("pad", 8, 0), ("drop", 9, 3), ("keep", 9, 2)]
)
def test_it_is_told_what_was_consumed_in_its_epoch(tail, told, left):
    contract = Contract(resume="consumed", tail=tail)
    binding = of_its_epoch.binding(Binding(Told, contract, {}, "told"))
    case = Case(length=7, world_size=2)
    assert binding.build(case, 1, {"consumed": told}).consumed == left
    assert binding.build(case, 1, {}).consumed == 0


def test_where_no_epoch_has_a_known_size_it_is_told_all():
    contract = Contract(resume="consumed", epochs="fixed", endless=True)
    binding = of_its_epoch.binding(Binding(Told, contract, {}, "told"))
    assert binding.build(Case(length=7), 0, {"consumed": 9}).consumed == 9


class KeepsItsPlace(Strided):
    """Begins every pass at the place it was loaded at, in whatever epoch it is by then."""

    def __init__(self, length, rank, world_size, shuffle=False, seed=0):
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed)
        self.start = self.taken = 0

    def __iter__(self):
        self.taken = self.start
        for index in list(super().__iter__())[self.start :]:
            self.taken += 1
            yield index

    def state_dict(self):
        return {"epoch": self.epoch, "taken": self.taken}

    def load_state_dict(self, state):
        self.epoch, self.start, self.taken = state["epoch"], state["taken"], state["taken"]


@pytest.mark.thorough
def test_a_place_that_counts_in_other_epochs_too_is_named_where_the_next_epoch_is_set_at_once():
    report = sc.run(sc.target(KeepsItsPlace), profile="quick", select=["SC702"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert failure.cause == "The restored position is applied in later epochs, too."
    assert failure.fix.startswith("In set_epoch(), where the epoch is another one")
    assert any("epoch 1 after it" in line and "lost" in line for line in failure.grid)


class SavesTooLate(Strided):
    """Draws each order from a generator that goes on, and saves it as it is after the draw."""

    def __init__(self, length, rank, world_size, seed=0):
        super().__init__(length, rank, world_size, seed=seed)
        self.random, self.start, self.taken = random.Random(seed), 0, 0

    def order(self):
        return self.random.sample(range(self.length), self.length)

    def __iter__(self):
        self.taken, self.start = self.start, 0
        for index in self.share()[self.taken :]:
            self.taken += 1
            yield index
        self.taken = 0

    def state_dict(self):
        return {"random": self.random.getstate(), "taken": self.taken}

    def load_state_dict(self, state):
        self.random.setstate(state["random"])
        self.start = self.taken = state["taken"]


@pytest.mark.thorough
def test_nothing_is_said_of_a_place_where_no_object_but_the_resumed_one_can_reach_the_epoch():
    target = sc.target(SavesTooLate, contract=Contract(order="shuffled", epochs="advance"))
    report = sc.run(target, profile="quick", select=["SC702"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert "restored position" not in failure.cause


class GoesOnAsTheFirstEpoch(KeepsItsPlace):
    """Keeps the epoch it was loaded with, and makes what is left of it from the order of epoch 0."""

    def __init__(self, length, rank, world_size, seed=0):
        super().__init__(length, rank, world_size, shuffle=True, seed=seed)

    def __iter__(self):
        epoch, self.taken, self.start = self.epoch, self.start, 0
        self.epoch = 0 if self.taken else epoch
        share, self.epoch = self.share(), epoch
        for index in share[self.taken :]:
            self.taken += 1
            yield index
        self.taken = 0


def test_a_resumed_run_that_goes_on_as_the_first_epoch_is_told_so():
    target = sc.target(GoesOnAsTheFirstEpoch, contract=Contract(order="shuffled"))
    report = sc.run(target, profile="quick", select=["SC701"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert failure.fix.endswith("as in any other pass: it is that of the first epoch.")
    assert "after a stop and resume, once the first epoch is over" in " ".join(str(report).split())
