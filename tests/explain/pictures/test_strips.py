"""Strips: orders that a law compares stand one below the other, with a word on where they part."""

from __future__ import annotations

from itertools import islice, permutations

from samplercheck.explain.pictures.lists import strips
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.deterministic import LAW as DETERMINISTIC
from samplercheck.laws.equal_steps import LAW as EQUAL_STEPS
from samplercheck.laws.independent_iterators import LAW as INDEPENDENT
from samplercheck.laws.order_from_seed_and_epoch import LAW as PLACES
from samplercheck.laws.ranks_mix import LAW as RANKS_MIX
from samplercheck.laws.reshuffles import LAW as RESHUFFLES
from samplercheck.laws.seed_matters import LAW as SEEDS
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Fault
from tests.support.traces import a_pass, a_record, a_trace

SEEN = Violation(found="something", rank=0, epoch=0)


def test_epochs_with_one_order_are_shown_below_one_another() -> None:
    trace = a_trace([[0, 1], [0, 1], [1, 0]], length=2)
    assert strips(trace, SEEN, RESHUFFLES) == (
        "rank 0",
        "step     0  1",
        "epoch 0  0  1",
        "epoch 1  0  1   <- the same",
        "epoch 2  1  0   <- differs at step 0",
    )


def test_where_members_count_epochs_with_the_same_samples_are_alike_in_whatever_order() -> None:
    trace = a_trace([[0, 2], [2, 0], [0, 1]], [[1], [1], [2]], length=3)
    assert strips(trace, SEEN, RANKS_MIX) == (
        "          rank 0   rank 1",
        "epoch 0   0  2     1",
        "epoch 1   2  0     1        <- the same samples",
        "epoch 2   0  1     2        <- other samples",
    )


def test_an_epoch_is_compared_with_what_another_experiment_saw_of_it() -> None:
    jumps = [a_record(a_pass([2, 0, 1], epoch=1), a_pass([0, 1, 2]))]
    trace = a_trace([[0, 1, 2], [2, 1, 0]], length=3, others={"jumps": jumps})
    lines = strips(trace, Violation(found="x", rank=0, epoch=1), PLACES)
    assert lines[2].startswith("epoch 1 ")
    assert lines[3].startswith("epoch 1, out of order")
    assert lines[3].endswith("<- differs at step 1")
    assert len(lines) == 4


def test_what_fresh_processes_alone_show_is_drawn_beside_the_epoch_that_differs() -> None:
    again = [a_record(a_pass([0, 1]), a_pass([0, 1]))]
    fresh = a_trace([[0, 1], [0, 1]], length=2)
    trace = a_trace([[0, 1], [1, 0]], length=2, others={"again": again}, twins={"fresh": fresh})
    seen = Violation(found="x", rank=0, epoch=1)
    assert strips(trace, seen, DETERMINISTIC)[2:] == (
        "epoch 1                      1  0",
        "epoch 1, in fresh processes  0  1   <- differs at step 0",
    )
    alike = a_trace([[0, 1], [1, 0]], length=2, others={"again": again}, twins={"fresh": trace})
    assert "by a second object" in strips(alike, SEEN, DETERMINISTIC)[3]


def test_what_another_object_changes_is_drawn_and_not_what_two_iterators_do() -> None:
    others = {
        "interleaved": [a_record(a_pass([0, 1]), a_pass([0, 1]))],
        "beside": [a_record(a_pass([0, 1]), a_pass([0, 1], epoch=1))],
    }
    trace = a_trace([[0, 1], [1, 0]], length=2, others=others)
    seen = Violation(found="x", rank=0, epoch=1, experiment="beside")
    assert strips(trace, seen, INDEPENDENT)[2:] == (
        "epoch 1                         1  0",
        "epoch 1, beside another object  0  1   <- differs at step 0",
    )


def test_passes_under_other_seeds_are_named() -> None:
    seeds = [a_record(a_pass([0, 1]), a_pass([0, 1]), seeds=(1, 104_729))]
    lines = strips(a_trace([[0, 1]], length=2, others={"seeds": seeds}), SEEN, SEEDS)
    assert "epoch 0, seeds, seed 1 " in lines[3]
    assert "epoch 0, seeds, seed 104729" in lines[4]


def test_a_law_that_compares_no_orders_has_no_strips() -> None:
    assert strips(a_trace([[0, 1], [0, 1]], length=2), SEEN, EQUAL_STEPS) == ()


def test_there_is_nothing_to_compare_with_one_pass_or_after_a_fault() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="next", rank=0)
    assert strips(a_trace([[0, 1]], length=2), SEEN, RESHUFFLES) == ()
    assert strips(a_trace([[0, 1], [0, 1]], length=2, faults=(fault,)), SEEN, RESHUFFLES) == ()


def test_long_orders_fit_the_width_and_show_where_they_part() -> None:
    other = [*range(700), 1000, *range(701, 1000)]
    trace = a_trace([list(range(1000)), other], length=1001)
    lines = strips(trace, SEEN, RESHUFFLES)
    assert all(len(line) <= 76 for line in lines)
    assert "700" in lines[1]
    assert "1000" in lines[3]


def test_orders_are_shown_of_experiments_that_the_law_reads() -> None:
    compared = {law.code: law for law in ALL_LAWS if law.orders_of}
    assert [law.code for law in ALL_LAWS if law.picture in ("orders", "samples")] == list(compared)
    assert all(law.orders_of in law.reads for law in compared.values())


def test_of_orders_that_recur_those_around_the_two_that_are_alike_are_shown() -> None:
    orders = [list(order) for order in islice(permutations(range(4)), 20)]
    orders[9] = orders[3]
    seen = Violation(found="x", rank=0, epoch=9, evidence=Evidence(kind="recurs", epochs=(3, 9)))
    assert strips(a_trace(orders, length=4), seen, RESHUFFLES) == (
        "rank 0",
        "step     0  1  2  3",
        "epoch 2  0  2  1  3",
        "epoch 3  0  2  3  1",
        "epoch 4  0  3  1  2",
        "epoch 8  1  2  0  3",
        "epoch 9  0  2  3  1   <- the order of epoch 3",
    )
