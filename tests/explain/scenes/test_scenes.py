"""A scene holds the passes that show what a law says, and marks the cells that it is about."""

from __future__ import annotations

import random
from itertools import islice, permutations

from samplercheck import Contract
from samplercheck.explain.scenes import scene_of, scene_of_experiment
from samplercheck.laws.complete import LAW as COMPLETE
from samplercheck.laws.disjoint import LAW as DISJOINT
from samplercheck.laws.elastic import LAW as ELASTIC
from samplercheck.laws.epoch_after_resume import LAW as ONCE
from samplercheck.laws.equal_steps import LAW as EQUAL_STEPS
from samplercheck.laws.follows_weights import LAW as WEIGHTS
from samplercheck.laws.group_agrees import LAW as GROUP_AGREES
from samplercheck.laws.in_range import LAW as IN_RANGE
from samplercheck.laws.keeps_dataset_order import LAW as STANDS_STILL
from samplercheck.laws.loader_agrees import LAW as LOADER_AGREES
from samplercheck.laws.no_sample_always_dropped import LAW as NOTHING_LOST
from samplercheck.laws.reiterates import LAW as REITERATES
from samplercheck.laws.reshuffles import LAW as RESHUFFLES
from samplercheck.laws.resumes_exactly import LAW as EXACTLY
from samplercheck.laws.runs import LAW as RUNS
from samplercheck.laws.state_counts_delivered import LAW as DELIVERED
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import a_pass, a_record, a_trace, judged


def scene(law, trace):
    """The scene of the first violation."""
    return scene_of(trace, judged(law, trace)[0], law)


def labels(seen):
    return [one.label for one in seen.passes]


def test_a_rank_that_left_an_epoch_is_marked_behind_its_end():
    seen = scene(EQUAL_STEPS, a_trace([[0, 2], [2, 0]], [[1], [1]], length=3))
    assert seen.marked == ((0, 1, 1),)
    assert labels(seen) == ["epoch 0", "epoch 1"]
    assert seen.passes[0].ranks == (((0,), (2,)), ((1,),))
    assert (seen.length, seen.world_size, seen.token) == (3, 2, "n=3,world=2,batch=1,epochs=2")


def test_batches_stay_together_and_what_came_again_is_marked_where_it_came_last():
    seen = scene(DISJOINT, a_trace([[[0, 2], [4]]], [[[1, 3], [2]]], length=6, batch_size=2))
    assert seen.passes[0].ranks == (((0, 2), (4,)), ((1, 3), (2,)))
    assert seen.marked == ((0, 1, 1),)


def test_what_is_missing_marks_no_cell():
    assert scene(COMPLETE, a_trace([[0]], [[1]], length=4, contract=Contract(tail="keep"))).marked == ()


def test_epochs_do_not_show_what_a_target_is_built_with():
    asked = a_record(tried=("rank=-1",), accepted=("rank=-1",))
    trace = a_trace([[0, 1]], length=2, others={"nonsense": [asked]})
    assert scene_of(trace, Violation(found="built", experiment="nonsense"), RUNS) is None


def test_a_stranger_is_marked_where_it_came():
    assert scene(IN_RANGE, a_trace([[0, 7]], [[1, 2]], length=4)).marked == ((0, 0, 1),)


def test_epochs_alike_are_told_in_words_and_an_order_that_must_stay_is_marked_where_it_parts():
    orders = [[0, 1, 2, 3, 4, 5, 6, 7]] * 3
    seen = scene(RESHUFFLES, a_trace(orders, length=8, shuffle=True))
    assert labels(seen) == ["epoch 0", "epoch 1: the same order", "epoch 2: the same order"]
    assert seen.marked == ()
    again = a_record(a_pass([0, 1, 2]), a_pass([0, 2, 1]))
    seen = scene(REITERATES, a_trace([[0, 1, 2]], length=3, others={"again": [again]}))
    assert labels(seen)[1:] == [
        "epoch 0, by a second object, pass 1: the same order",
        "epoch 0, by a second object, pass 2",
    ]
    assert seen.marked == ((2, 0, 1),)


def test_a_rank_that_failed_keeps_what_it_yielded_and_says_why_there_is_no_more():
    begun = a_pass([1], ending="broken off")
    fault = Fault(
        experiment="epochs",
        kind="raised",
        phase="next",
        rank=1,
        epoch=0,
        step=1,
        error="KeyError",
        begun=begun,
    )
    trace = a_trace([[0, 2]], a_record(), length=4, faults=(fault,))
    violation = Violation(found="raises", rank=1, epoch=0, step=1)
    seen = scene_of(trace, violation, RUNS)
    assert seen.passes[0].ranks == (((0,), (2,)), ((1,),))
    assert seen.passes[0].ended == ("", "raised KeyError")
    assert seen.marked == ((0, 1, 1),)
    nothing = a_trace(a_record(), a_record(), length=4, faults=(fault.__class__(
        experiment="epochs", kind="raised", phase="build", rank=0, error="KeyError"),))  # fmt: skip
    assert scene_of(nothing, violation, RUNS) is None


def test_a_resumed_run_is_told_beside_the_one_that_nobody_stopped_on_all_ranks():
    wrong = resumed(a_trial("plain", 0, (2,), [0, 1], [1, 2], [2, 1, 0]))
    right = resumed(a_trial("plain", 0, (2,), [0, 1], [2], [2, 1, 0]))
    seen = scene(EXACTLY, a_run(right, wrong, contract=Contract(sharding="none")))
    assert labels(seen) == [
        "epoch 0, not stopped",
        "epoch 1, not stopped",
        "epoch 0, stopped after 2 steps",
        "epoch 0, resumed after 2 steps",
        "epoch 1, after the resumed one",
    ]
    assert [one.stopped for one in seen.passes] == [None, None, 2, None, None]
    assert seen.passes[3].ranks == (((2,),), ((1,), (2,)))
    assert seen.marked == ((3, 1, 0),)


def test_of_runs_stopped_at_one_place_the_wrong_one_is_told():
    end = a_trial("plain", 0, (3,), [0, 1, 2], [], [2, 1, 0])
    wrong = a_trial("plain", 0, (3,), [0, 1, 2], [], [1, 0])
    seen = scene(ONCE, a_run(resumed(end, wrong), contract=Contract()))
    assert seen.passes[-1].ranks == (((1,), (0,)),)
    assert seen.marked == ((4, 0, 0),)


def test_a_run_that_cannot_be_resumed_says_why():
    trial = a_trial("plain", 0, (1,), [0], error="load_state_dict() raised KeyError: 'epoch'")
    seen = scene(EXACTLY, a_run(resumed(trial), contract=Contract()))
    assert seen.passes[-1].stopped == 1
    assert seen.passes[-1].ended == ("not resumed: load_state_dict() raised KeyError: 'epoch'",)


def test_a_move_has_the_ranks_of_both_worlds():
    trials = [
        a_trial("elsewhere", 0, (1,), [0], first, [0, 1], [0, 1])
        for first in ([3, 1, 2], [2], [3])
    ]  # fmt: skip
    record = resumed(*trials, places=((1, 0), (2, 0), (2, 1)))
    seen = scene(ELASTIC, a_run(record, experiment="elastic", contract=Contract(elastic=True), length=4))
    assert labels(seen) == [
        "epoch 0, not stopped",
        "epoch 0, stopped after 1 step",
        "epoch 0, resumed on 2 ranks",
        "epoch 1, on 2 ranks",
    ]
    assert seen.passes[2].ranks == (((2,),), ((3,),))


def test_workers_are_told_way_by_way():
    record = a_record(
        a_pass([0, 1]), a_pass([1, 0]),
        of=(0, 1), ways=((0, None, False), (2, 4, True)), roles=("loader",), stopped={},
    )  # fmt: skip
    seen = scene(LOADER_AGREES, a_trace([[0, 1]], length=2, others={"workers": [record]}, workers=2))
    assert labels(seen) == ["epoch 0, without workers", "epoch 0, 2 workers, persistent"]
    assert seen.marked == ((1, 0, 0),)


def test_of_loaders_that_were_resumed_the_way_that_is_wrong_is_told():
    passes = [[0, 1, 2], [0], [1, 2], [0, 1, 2], [0], []]
    record = a_record(*[a_pass(one) for one in passes], resumed=(0, 2), stopped={})
    trace = a_trace([[0, 1, 2]], length=3, others={"delivered": [record]}, workers=2)
    seen = scene(DELIVERED, trace)
    assert labels(seen) == [f"epoch 0, {words}, 2 workers" for words in ("not stopped", "stopped", "resumed")]
    assert (seen.passes[1].stopped, seen.marked) == (1, ((2, 0, 0),))
    assert len(scene_of_experiment(trace, "delivered").passes) == 6


def test_draws_are_counted_beside_what_was_due():
    second = random.Random(0).choices((0, 1), k=400)
    draws = [a_record(*[a_pass([0, one], epoch=epoch) for epoch, one in enumerate(second)])]
    sampled = Contract(coverage="sampled")
    named = ("n", "rank", "world_size")
    trace = a_trace([[0, 0]], length=3, others={"draws": draws}, contract=sampled, epochs=400, named=named)
    seen = scene(WEIGHTS, trace)
    assert (seen.observed, seen.passes) == ((581.0, 201.0, 0.0), ())
    assert seen.expected == (260.667,) * 3


def test_what_no_epoch_held_is_counted_over_all_epochs():
    orders = [[0, 1], [1, 0]] * 20
    trace = a_trace([[one] for one in orders], length=3, shuffle=True, drop_last=True, batch_size=2)
    seen = scene(NOTHING_LOST, trace)
    assert seen.observed == (40.0, 40.0, 0.0)
    assert len(seen.passes) == 8


def test_an_experiment_is_told_without_marks():
    trial = a_trial("plain", 0, (1,), [0], [2, 1], [2, 1, 0])
    seen = scene_of_experiment(a_run(resumed(trial), contract=Contract()), "resumed")
    assert [one.stopped for one in seen.passes] == [None, None, 1, None, None]
    assert seen.marked == ()
    assert labels(scene_of_experiment(a_trace([[0], [0]], length=1), "epochs")) == ["epoch 0", "epoch 1"]


def test_what_a_group_yields_is_told_beside_the_simulation_by_the_law_that_compares_them():
    simulated = a_trace([[0, 1]], length=2)
    real = a_trace([[1, 0]], length=2, world="gloo", twins={"simulated": simulated})
    violation = Violation(found="otherwise", rank=0, epoch=0, step=0)
    seen = scene_of(real, violation, GROUP_AGREES)
    assert labels(seen) == ["epoch 0", "epoch 0, in simulation"]
    assert seen.marked == ((1, 0, 0),)
    assert labels(scene_of(real, violation, STANDS_STILL)) == ["epoch 0"]


def test_where_no_run_was_moved_the_epochs_are_told():
    trace = a_run(resumed(refused="no state"), experiment="elastic", contract=Contract(elastic=True))
    seen = scene_of_experiment(trace, "elastic")
    assert labels(seen)[:2] == [
        f"epoch {number}, with a resume on another world size" for number in (0, 1)
    ]


def test_of_orders_that_recur_the_two_that_are_alike_are_in_the_scene():
    orders = [list(order) for order in islice(permutations(range(5)), 60)]
    orders[50] = orders[3]
    trace = a_trace(orders, length=5, epochs=60, contract=Contract(order="shuffled"))
    seen = scene(RESHUFFLES, trace)
    assert {"epoch 3", "epoch 50: the order of epoch 3"} <= {one.label for one in seen.passes}
    assert seen.marked == ()
