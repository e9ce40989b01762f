"""The experiment on states of another place: where a state is loaded, and what counts as said aloud."""

from __future__ import annotations

import os
import warnings
from functools import partial

import pytest
import torch.distributed as dist

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.worlds import open_world
from tests.zoo._resumable import Resumable

REFUSED = Contract(foreign_state="refused")


def is_told(length, rank, world_size, seed, kind=Resumable):
    return kind(length, rank, world_size, seed=seed)


def reads_the_environment(length, seed):
    return Resumable(length, int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), seed=seed)


def asks_its_group(length, seed):
    return Resumable(length, dist.get_rank(), dist.get_world_size(), seed=seed)


def trace_of(build, experiment, contract, **case):
    with open_world("simulated") as world:
        binding = sc.target(build, contract=contract).bind()
        trace = world.trace(binding, Case(**{"length": 5, "world_size": 2, **case}), (experiment,))
    assert trace.is_whole
    return trace


def trials_of(kind, *, contract=REFUSED, **case):
    """Return the trials of all ranks, each with its place."""
    trace = trace_of(partial(is_told, kind=kind), "foreign", contract, **case)
    notes = [record.notes for record in trace.of("foreign")]
    return [list(zip(one.get("trials", ()), one.get("places", ()), strict=True)) for one in notes]


def test_each_rank_goes_on_in_each_other_place():
    first, second = trials_of(Resumable)
    assert [(trial.way, *place) for trial, place in first] == [
        ("world_size", 3, 0),
        ("world_size", 3, 2),
        ("world_size", 1, 0),
        ("rank", 2, 0),
        ("length", 2, 0),
        ("seed", 2, 0),
    ]
    assert [(trial.way, *place) for trial, place in second] == [
        ("world_size", 3, 1),
        ("world_size", 1, -1),
        ("rank", 2, 1),
        ("length", 2, 1),
        ("seed", 2, 1),
    ]
    assert {(trial.epoch, trial.stops, trial.error) for trial, _ in first + second} == {(0, (2,), "")}


@pytest.mark.parametrize(
    ("experiment", "contract"), [("foreign", REFUSED), ("elastic", Contract(elastic=True))]
)
@pytest.mark.parametrize("build", [reads_the_environment, asks_its_group])
def test_a_target_that_finds_its_place_goes_on_where_one_does_that_is_told(build, experiment, contract):
    told, found = (trace_of(one, experiment, contract).of(experiment) for one in (is_told, build))
    assert [record.notes["places"] for record in found] == [record.notes["places"] for record in told]
    assert [record.notes["trials"] for record in found] == [record.notes["trials"] for record in told]
    assert [[list(one.items) for one in record.passes] for record in found] == [
        [list(one.items) for one in record.passes] for record in told
    ]
    assert os.environ.get("RANK") is None


def test_what_is_only_advice_is_looked_for_in_very_small_cases():
    assert trials_of(Resumable, contract=Contract()) == [[], []]
    assert trials_of(Resumable, contract=Contract(), length=4) != [[], []]
    assert trials_of(Resumable, world_size=9) == [[]] * 9


class Warns(Resumable):
    """Tells that the seed is another, and goes on."""

    category: type[Warning] = UserWarning

    def state_dict(self):
        return {**super().state_dict(), "seed": self.seed}

    def load_state_dict(self, state):
        if state["seed"] != self.seed:
            warnings.warn(f"saved with seed {state['seed']}", self.category, stacklevel=2)
        super().load_state_dict(state)


class SpeaksOfElse(Warns):
    category = DeprecationWarning


class NeverEnds(Warns):
    """Does not end from a state of another seed."""

    def load_state_dict(self, state):
        super(Warns, self).load_state_dict(state)
        self.is_lost = state["seed"] != self.seed

    def run(self, mine, start):
        while getattr(self, "is_lost", False):
            yield from mine or [0]
        yield from super().run(mine, start)


@pytest.mark.parametrize(
    ("kind", "error"),
    [(Warns, "warned: saved with seed 0"), (SpeaksOfElse, ""), (NeverEnds, "still yielding after")],
)
def test_what_says_aloud_that_it_cannot_go_on_has_an_error(kind, error):
    for rank in trials_of(kind):
        errors = {trial.way: trial.error for trial, _ in rank}
        assert errors.pop("seed").startswith(error)
        assert set(errors.values()) == {""}
