"""Whatever ranks recorded before they failed, each where it will, can be drawn for every law."""

from __future__ import annotations

import random

import pytest

import samplercheck as sc
from samplercheck.experiments import EXPERIMENTS
from samplercheck.explain.pictures.lists import strips
from samplercheck.explain.pictures.resumption import resumption
from samplercheck.explain.pictures.shown import show_case
from samplercheck.explain.pictures.table import epoch_grid, grid
from samplercheck.explain.scenes import scene_of, scene_of_experiment
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.disjoint import LAW as DISJOINT
from samplercheck.values.finding import Violation
from samplercheck.worlds import open_world

WORLD = 3


class Failing:
    """A sampler whose ranks fail each at a moment of its own: at the n-th thing that is asked of it."""

    moments = [0] * WORLD

    def __init__(self, dataset, rank, world_size, seed=0):
        self.asked = 0
        self.items = list(range(rank, len(dataset), world_size))
        self.rank = rank
        self.done = 0
        self.epoch = 0

    def _ask(self):
        Failing.moments[self.rank] -= 1
        if not Failing.moments[self.rank]:
            raise IndexError("no more")

    def set_epoch(self, epoch):
        self._ask()
        self.epoch = epoch

    def __len__(self):
        self._ask()
        return len(self.items) + self.epoch % 2

    def __iter__(self):
        self._ask()
        start, self.done = self.done, 0
        for step in range(start, len(self.items) - (self.epoch + self.rank) % 2):
            self._ask()
            self.done = step + 1
            yield self.items[step] + (self.epoch == 1)
        self.done = 0

    def state_dict(self):
        self._ask()
        return {"done": self.done}

    def load_state_dict(self, state):
        self.done = state["done"]


def a_ragged_trace(world, moments, experiments=tuple(EXPERIMENTS), **case):
    Failing.moments[:] = moments
    binding = sc.target(Failing).bind()
    return world.trace(binding, sc.Case(world_size=WORLD, **case), experiments)


def draw_some(trace, dice):
    """Draw every experiment, and some of what each kind of law could say of it."""
    for experiment in EXPERIMENTS:
        scene_of_experiment(trace, experiment)
        epoch_grid(trace, experiment, 0)
        show_case("x", "Contract()", trace, experiment, ())
        for law in DRAWN:
            said = Violation(
                found="x",
                rank=dice.choice([None, *range(WORLD)]),
                epoch=dice.choice([None, 0, 2]),
                step=dice.choice([None, 0, 1, 9]),
                indices=dice.choice([(), (0, 1), (1, 99)]),
                experiment=experiment,
            )
            grid(trace, said)
            resumption(trace, said)
            strips(trace, said, law)
            scene_of(trace, said, law)


DRAWN = list({(law.picture, law.orders_of, law.twin, law.same_is_wrong): law for law in ALL_LAWS}.values())


def test_a_rank_that_fails_in_an_experiment_beside_one_that_failed_before_is_drawn_at_its_own_place():
    with open_world("simulated") as world:
        trace = a_ragged_trace(world, [4, 12, 400], ("epochs", "jumps"), length=5, epochs=3)
        assert {fault.rank: fault.experiment for fault in trace.faults} == {0: "epochs", 1: "jumps"}
        assert [bool(record.passes) for record in trace.of("jumps")] == [False, False, True]
        said = Violation(found="x", epoch=0, indices=(0,), experiment="jumps")
        seen = scene_of(trace, said, DISJOINT)
    assert [len(one.ranks) for one in seen.passes] == [WORLD] * len(seen.passes)
    assert all(one.ranks[0] == () for one in seen.passes if one.experiment == "jumps")


@pytest.mark.parametrize("seed", range(6))
def test_ragged_traces_are_drawn(seed):
    dice = random.Random(seed)
    with open_world("simulated") as world:
        for _ in range(3):
            moments = [dice.choice([1, 2, 9, dice.randrange(3, 120), 10**6]) for _ in range(WORLD)]
            draw_some(a_ragged_trace(world, moments, length=dice.randrange(6), epochs=3), dice)
