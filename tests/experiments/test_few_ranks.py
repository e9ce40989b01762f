"""In large worlds few ranks take the passes that repeat those of the usual epochs."""

from __future__ import annotations

from typing import ClassVar

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._run import carry_out
from samplercheck.engine.plan import Plan
from samplercheck.experiments.few_ranks import BY_FEW, is_stopped, ranks_that_repeat
from samplercheck.laws.pickles import LAW as PICKLES
from samplercheck.values.record import LONG
from samplercheck.worlds import open_world
from tests.zoo import short_batches_counted_as_full as zoo

WIDE = sc.Case(length=100, world_size=64, shuffle=True, epochs=2)
EXPERIMENTS = ("epochs", "lengths", "jumps", "again", "interleaved", "abandoned", "pickled", "unplaced")


ODD = 2


class Counted(DistributedSampler):
    """Counts its passes by rank."""

    passes: ClassVar[dict[int, int]] = {}

    def __iter__(self):
        self.passes[self.rank] = self.passes.get(self.rank, 0) + 1
        return super().__iter__()


class ForgetsItsEpoch(DistributedSampler):
    def __getstate__(self):
        return {**self.__dict__, "epoch": 0}


@pytest.fixture
def world():
    with open_world("simulated") as opened:
        yield opened


def test_the_first_the_last_and_those_at_borders_are_among_them():
    ranks = ranks_that_repeat(WIDE, sc.Contract())
    assert {0, 1, 7, 8, 32, 35, 36, 63} <= ranks <= set(range(64))
    assert len(ranks) <= 10


@pytest.mark.parametrize(
    ("case", "contract"),
    [
        (WIDE.but(world_size=8), sc.Contract()),
        (WIDE, sc.Contract(ambient_rng="shared")),
        (WIDE, sc.Contract(epochs="advance")),
    ],
)
def test_all_ranks_take_them_in_small_worlds_and_where_ranks_can_be_compared_together_alone(case, contract):
    assert ranks_that_repeat(case, contract) is None


def test_the_others_take_the_usual_epochs_and_lengths(world):
    Counted.passes = {}
    world.trace(sc.target(Counted).bind(), WIDE, EXPERIMENTS)
    few = ranks_that_repeat(WIDE, sc.Contract())
    usual = {Counted.passes[rank] for rank in range(64) if rank not in few}
    assert usual == {2}  # the epochs: lengths are asked for without another pass
    assert min(Counted.passes[rank] for rank in few) > 4


def test_they_count_as_having_yielded_what_they_did_in_the_usual_epochs(world):
    trace = world.trace(sc.target(Counted).bind(), WIDE, EXPERIMENTS)
    usual = trace.of("epochs")[50]
    for name in BY_FEW:
        assert [one.epoch for one in trace.of(name)[50].passes] == [
            one.epoch for one in trace.of(name)[0].passes
        ]
        assert all(one is usual.passes[one.epoch] for one in trace.of(name)[50].passes)
    assert trace.faithful == {*EXPERIMENTS} - {"epochs"}


def test_what_few_of_many_ranks_show_is_found(world):
    trace = world.trace(sc.target(ForgetsItsEpoch).bind(), WIDE, EXPERIMENTS)
    found = list(PICKLES.judge(trace))
    assert [one.rank for one in found] == [0, 1, 7]


def test_equal_passes_share_one_array(world):
    case = WIDE.but(length=LONG * 3, world_size=3)
    trace = world.trace(sc.target(DistributedSampler).bind(), case, EXPERIMENTS)
    usual = trace.of("epochs")[2].passes
    assert [one.items for one in usual] == [one.items for one in trace.of("lengths")[2].passes]
    assert all(one.items is usual[one.epoch].items for one in trace.of("lengths")[2].passes)


def stopped(case, *, by_two=False, **promised):
    contract = sc.Contract(**promised)
    return [rank for rank in range(case.world_size) if is_stopped(rank, case, contract, by_two=by_two)]


@pytest.mark.parametrize("how", [{"sharding": "none"}, {"by_two": True}])
def test_two_ranks_are_stopped_where_each_goes_through_all_data_or_by_two_and_another_one_in_each_case(how):
    small = WIDE.but(world_size=5)
    assert stopped(small) == [0, 1, 2, 3, 4]
    pairs = [stopped(small.but(length=length), **how) for length in range(4)]
    assert [first for first, _ in pairs] == [0] * 4
    assert {second for _, second in pairs} == {1, 2, 3, 4}
    assert stopped(WIDE.but(world_size=2), **how) == [0, 1]
    assert stopped(WIDE, **how) == stopped(WIDE) == [0, 1, 32, 63]


class ForgetsItsPlaceOnOneRank(zoo.OneLabelABatch):
    """Every rank goes through all samples; the state of one of them is always that of the beginning."""

    def __init__(self, labels, batch_size, seed, rank):
        super().__init__(labels, batch_size, seed)
        self.forgets = rank == ODD

    def state_dict(self):
        return super().state_dict() | ({"done": 0} if self.forgets else {})


@pytest.mark.thorough
def test_what_one_rank_alone_forgets_is_found_where_two_are_stopped():
    target = sc.target(ForgetsItsPlaceOnOneRank, contract=sc.Contract(**zoo.CONTRACT))
    report = sc.run(target, profile="quick", select=["SC701"])
    (result,) = report.failures
    assert (result.code, result.failure.case.world_size) == ("SC701", 3)
    assert any("two were stopped" in text for text in report.not_tried)


def test_a_run_says_so():
    wide = sc.Case(length=20, world_size=16, epochs=2)
    plan = Plan(target=DistributedSampler, profile="quick", worlds=("simulated",), cases=(wide,))
    assert any("up to 10 in worlds of more than 8" in one for one in carry_out(plan).not_tried)
