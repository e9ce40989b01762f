"""SC803: set_epoch takes effect where workers are kept."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.epoch_reaches_workers import LAW
from samplercheck.laws.law import Scope
from tests.support.loaded import FRESH, KEPT, TWO, a_rank, loaded
from tests.support.traces import judged

FIRST, SECOND = [0, 1, 2], [2, 1, 0]
HOME = [FIRST, SECOND]


def test_epochs_that_reach_the_worker_hold():
    assert judged(LAW, loaded(a_rank(HOME, (KEPT, HOME)), length=3)) == []


def test_a_first_epoch_that_comes_again_is_broken():
    (found,) = judged(LAW, loaded(a_rank(HOME, (KEPT, [FIRST, FIRST])), length=3))
    assert (found.rank, found.epoch, found.chance) == (0, 1, 0.0)
    assert found.found.startswith("rank 0 yielded 0, 1, 2 in epoch 0 and again after set_epoch(1), with a")


def test_of_long_epochs_that_begin_alike_the_first_step_that_differs_is_said():
    first, second = list(range(9)), [0, 1, 2, 3, 5, 4, 6, 7, 8]
    (found,) = judged(LAW, loaded(a_rank([first, second], (KEPT, [first, first])), length=9))
    assert found.found.endswith("without workers epoch 1 has 5 in step 4, and not 4")


def test_any_other_difference_is_no_matter_of_this_law():
    assert judged(LAW, loaded(a_rank(HOME, (KEPT, [FIRST, [1, 0, 2]])), length=3)) == []
    assert judged(LAW, loaded(a_rank(HOME, (KEPT, [SECOND, SECOND])), length=3)) == []


@pytest.mark.parametrize(
    "rank",
    [
        a_rank([FIRST, FIRST], (KEPT, [FIRST, FIRST])),
        a_rank(HOME, (FRESH, [FIRST])),
        a_rank(HOME, ((2, 4, True), [FIRST, FIRST])),
        a_rank(HOME, (TWO, [FIRST])),
        a_rank(HOME, (KEPT, [FIRST])),
    ],
    ids=["epochs are alike", "workers are new", "two workers are kept", "two new ones", "one epoch"],
)
def test_only_one_kept_worker_with_epochs_that_differ_is_looked_at(rank):
    assert not LAW.sees(loaded(rank, length=3))


def test_a_later_rank_is_judged_as_well():
    still = a_rank([[3], [3]], (KEPT, [[3], [3]]))
    assert judged(LAW, loaded(still, a_rank(HOME, (KEPT, [FIRST, FIRST])), length=4))[0].rank == 1


@pytest.mark.parametrize(
    ("contract", "traits", "applies"),
    [
        (Contract(order="shuffled"), {"stream"}, True),
        (Contract(order="free"), {"loader", "own_workers"}, True),
        (Contract(order="shuffled"), set(), False),
        (Contract(order="sequential"), {"loader", "own_workers"}, False),
        (Contract(), {"loader", "own_workers"}, False),
        (Contract(order="shuffled", epochs="fixed"), {"loader", "own_workers"}, False),
        (Contract(order="shuffled", epochs="advance"), {"loader", "own_workers"}, False),
    ],
)
def test_it_applies_to_loaders_whose_epochs_are_set_and_differ(contract, traits, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset(), traits=frozenset(traits))) is applies


@pytest.mark.parametrize(
    ("roles", "fault"),
    [
        (("loader",), "the next epoch is drawn before set_epoch is called"),
        (("loader", "own_set_epoch"), ""),
        (("stream",), ""),
        (("loader", "stream"), ""),
    ],
)
def test_samplers_are_never_copied_into_workers_and_are_read_ahead(roles, fault):
    rank = a_rank(HOME, (KEPT, [FIRST, FIRST]), roles=roles)
    (found,) = judged(LAW, loaded(rank, length=3))
    assert found.fault == fault
    assert ("copies of the dataset" in found.hint) is not bool(fault)
