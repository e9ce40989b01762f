"""A run that was stopped goes on with what was left (SC701)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws._resume_hints import AGAIN
from samplercheck.laws.law import Scope
from samplercheck.laws.resumes_exactly import AT_ENDS, LATER, LAW, OVER
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import a_record, a_trace, judged

FIXED = Contract(epochs="fixed")
ADVANCE = Contract(epochs="advance")


def found(*trials, contract=None, **rest):
    return judged(LAW, a_run(resumed(*trials, **rest), contract=contract))


@pytest.mark.parametrize("way", ["plain", "epoch first", "counted first", "looked at"])
def test_what_was_left_holds_at_every_place(way):
    assert found(a_trial(way, 0, (1,), [0], [1, 2], [2, 1, 0])) == []
    assert found(a_trial(way, 1, (0,), [], [2, 1, 0], [1, 0, 2])) == []
    assert found(a_trial(way, 1, (3,), [2, 1, 0], [], [1, 0, 2])) == []


def test_an_ended_epoch_begun_again_is_advice():
    (one,) = found(a_trial("end seen", 1, (3,), [2, 1, 0], [2, 1, 0], [1, 0, 2]))
    assert one.advice
    assert "counts epochs by itself" in one.hint


@pytest.mark.parametrize(
    ("way", "rest"), [("plain", [2, 1, 0]), ("end seen", [1, 0]), ("end seen", [0, 1, 2])]
)
def test_nothing_else_at_an_end_is_advice(way, rest):
    (one,) = found(a_trial(way, 1, (3,), [2, 1, 0], rest, [1, 0, 2]))
    assert not one.advice


@pytest.mark.parametrize("way", ["plain", "end seen"])
def test_from_an_end_that_is_a_beginning_the_next_epoch_comes_at_once(way):
    promised = Contract(at_end="next")
    assert found(a_trial(way, 1, (3,), [2, 1, 0], [1, 0, 2], [0, 2, 1]), contract=promised) == []
    assert found(a_trial(way, 1, (2,), [2, 1], [0], [1, 0, 2]), contract=promised) == []
    for rest in ([], [2, 1, 0]):
        (one,) = found(a_trial(way, 1, (3,), [2, 1, 0], rest, [1, 0, 2]), contract=promised)
        assert one.found.endswith(", not the next epoch: 1, 0, 2")
        assert (one.advice, one.evidence.kind, one.hint) == (False, "over", OVER)


def test_something_else_breaks_and_is_named():
    (one,) = found(a_trial("plain", 1, (1,), [2], [1, 2], [1, 0, 2]))
    assert (one.rank, one.epoch, one.step, one.experiment) == (0, 1, 1, "resumed")
    assert one.found == (
        "rank 0, stopped after 1 item of epoch 1, yields 1, 2 when it is resumed, not the remaining 1, 0"
    )


@pytest.mark.parametrize(
    ("begins", "event", "kind"),
    [
        ([(0, 3), (1, 3)], AT_ENDS, "ends"),
        ([(0, 3), (1, 1)], LATER, ""),
        ([(0, 1), (0, 3)], "", ""),
        ([(1, 0)], LATER, ""),
    ],
)
def test_after_which_stops_it_goes_wrong_is_said_where_others_are_right(begins, event, kind):
    epochs = [[0, 1, 2], [2, 1, 0]]
    trials = [
        a_trial("plain", number, (stop,), one[:stop], one if (number, stop) in begins else one[stop:], [9])
        for number, one in enumerate(epochs)
        for stop in range(4)
        if stop or (number, stop) not in begins
    ]
    seen = found(*trials, a_trial("plain", 1, (0,), [], [9], [9])) if begins == [(1, 0)] else found(*trials)
    assert seen
    assert {(one.event, one.evidence.kind) for one in seen} == {(event, kind)}


@pytest.mark.parametrize(
    ("rest", "harm"),
    [
        ([], "loses data"),
        ([1], "loses data"),
        ([1, 2], "repeats data"),
        ([2, 1, 0], "repeats data"),
        ([0, 1], "wrong order"),
    ],
)
def test_the_headline_is_what_the_run_does_with_the_data(rest, harm):
    (one,) = found(a_trial("plain", 1, (1,), [2], rest, [1, 0, 2]))
    assert one.consequence == harm


def test_of_a_walk_that_goes_on_elsewhere_no_length_says_that_it_has_another_order():
    walk = Contract.endless(after_break="rest", epochs="fixed")
    (one,) = found(a_trial("plain", 0, (1,), [0], [2, 0], [9]), contract=walk)
    assert one.hint == AGAIN


@pytest.mark.parametrize(("resume", "told"), [("auto", True), ("consumed", False)])
def test_what_keeps_no_state_is_told_of_none(resume, told):
    (one,) = found(a_trial("plain", 1, (1,), [2], [1, 2], [1, 0, 2]), contract=Contract(resume=resume))
    assert ("state_dict" in one.hint) is told
    assert ("consumed" in one.hint) is not told


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ([2, 1, 0], "it begins the epoch again"),
        ([0], "goes on at another place"),
        ([0, 1], "goes on in another order"),
        ([], "state_dict() holds all that"),
    ],
)
def test_where_to_look_follows_from_what_came(rest, hint):
    (one,) = found(a_trial("plain", 1, (1,), [2], rest, [1, 0, 2]))
    assert hint in one.hint


def stopped_at(*places, by, batched=False, way="plain"):
    """Trials of a pass of five that go on so many steps too late at these places, or too early."""
    order = [[number] for number in (4, 2, 0, 3, 1)] if batched else [4, 2, 0, 3, 1]
    return [a_trial(way, 1, (at,), order[:at], order[max(0, at + by) :], [1, 0, 2, 3, 4]) for at in places]


@pytest.mark.parametrize(
    ("places", "by", "words"),
    [
        ((1, 2, 4), -1, ", one item too early"),
        ((1, 2), 1, ", one item too late"),
        ((1,), -1, ""),  # it may as well begin the epoch again
        ((4,), 1, ""),  # nothing may come at all
        ((2, 3), -2, ""),
    ],
)
def test_one_too_early_or_too_late_is_named_where_it_is_so_at_every_stop(places, by, words):
    whole = [[4, 2, 0, 3, 1]] * 3
    (first, *_) = found(*stopped_at(*places, by=by), straight=whole)
    assert f"when it is resumed{words}, not the remaining " in first.found
    assert first.evidence.kind == ("early" if "early" in words else "late" if "late" in words else "")
    (at_some,) = found(*stopped_at(2, by=0), *stopped_at(4, by=-1), straight=whole)
    assert ("one item too early" in at_some.found, at_some.evidence.kind) == (True, "")
    (until_then,) = found(*stopped_at(2, by=-1), *stopped_at(4, by=0), straight=whole)
    assert until_then.evidence.kind == "early"  # what is counted too late is so in the first part alone
    (at_the_end,) = found(*stopped_at(2, by=0), *stopped_at(5, by=-1), straight=whole)
    assert at_the_end.evidence.kind == ""
    mixed = [*stopped_at(2, by=-1), *stopped_at(3, by=-3)]
    assert "too early" not in found(*mixed, straight=whole)[0].found
    batches = [[[4], [2], [0], [3], [1]]] * 3
    (one,) = found(*stopped_at(3, by=-1, batched=True), straight=batches, batched=True)
    assert "one batch too early" in one.found


@pytest.mark.parametrize(
    ("first", "way", "stop", "is_said"),
    [
        ([1, 2], "plain", 1, True),
        ([0, 1, 2], "plain", 1, False),  # wrong there, too
        ([1, 2], "looked at", 1, False),  # nobody knows whether it is in the first epoch
        ([1, 2], "plain", 3, False),  # at an end alone
    ],
)
def test_that_it_is_right_in_the_first_epoch_is_said_where_it_is(first, way, stop, is_said):
    later = a_trial(way, 1, (stop,), [2, 1, 0][:stop], [1, 2], [1, 0, 2])
    *_, one = found(a_trial("plain", 0, (1,), [0], first, [2, 1, 0]), later)
    assert (one.event == "after a stop and resume, once the first epoch is over") is is_said


def test_the_order_of_set_epoch_and_loading_is_named():
    (one,) = found(a_trial("epoch first", 1, (1,), [2], [2, 1, 0]))
    assert "with set_epoch before load_state_dict" in one.found


def test_a_pass_that_was_given_up_before_is_named():
    (one,) = found(a_trial("looked at", 0, (1,), [0], [2], [2, 1, 0]))
    assert one.evidence.kind == "looked at"
    assert "another pass having been given up before the one that was stopped" in one.found
    assert "whatever was read before it" in one.hint


def test_an_end_may_be_the_next_beginning_where_nothing_else_tells_epochs_apart():
    next_at_once = a_trial("plain", 0, (3,), [0, 1, 2], [2, 1, 0], [1, 0, 2])
    assert found(next_at_once, contract=ADVANCE) == []
    assert found(next_at_once, contract=Contract(resume="consumed")) == []
    assert len(found(next_at_once)) == 1
    assert len(found(a_trial("plain", 0, (3,), [0, 1, 2], [1, 0, 2], []), contract=ADVANCE)) == 1


def test_a_later_beginning_may_be_the_end_before_it():
    empty_first = a_trial("plain", 1, (0,), [], [], [2, 1, 0])
    assert found(empty_first, contract=ADVANCE) == []
    assert len(found(empty_first)) == 1
    assert len(found(a_trial("plain", 1, (0,), [], [], [1, 0, 2]), contract=ADVANCE)) == 1
    assert len(found(a_trial("plain", 0, (0,), [], [], [0, 1, 2]), contract=ADVANCE)) == 1


def test_batches_are_compared_as_batches():
    straight = [[[0, 1], [2]], [[2, 1], [0]], [[1, 0], [2]]]

    def found_in(rest):
        record = resumed(a_trial("plain", 0, (1,), [[0, 1]], rest, straight[1]), straight=straight)
        return judged(LAW, a_run(record, straight=straight))

    assert found_in([[2]]) == []
    assert found_in([])[0].found.endswith("yields nothing when it is resumed, not the remaining [2]")


def test_what_cannot_be_loaded_breaks():
    (one,) = found(a_trial("plain", 0, (1,), [0], error="load_state_dict() raised KeyError: 'epoch'"))
    assert one.found.endswith("cannot be resumed: load_state_dict() raised KeyError: 'epoch'")
    assert (one.consequence, one.fault) == ("crashes", "load_state_dict() raises KeyError")
    assert (one.evidence.kind, one.hint.partition(":")[0]) == ("raises", "What raises there")
    (one,) = found(a_trial("plain", 0, (1,), [0], error="next raised IndexError: 3"))
    assert one.fault == "raises IndexError when it is resumed"


def test_a_state_that_is_asked_for_before_the_first_item_alone_lacks_what_a_pass_sets():
    error = "state_dict() raised AttributeError: 'MySampler' object has no attribute 'place'"
    (one,) = found(a_trial("plain", 0, (0,), [], error=error))
    assert one.hint.startswith("What is not there before the first item")


def test_a_length_that_fails_after_loading_breaks_and_a_refused_one_does_not():
    fine = a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0])
    assert found(fine, lengths=[(2,), (None, True, "TypeError: no")]) == []
    (one,) = found(fine, lengths=[(None, False, "ValueError: __len__() should return >= 0")])
    assert "ValueError" in one.found


def test_a_run_that_went_another_way_before_its_stop_is_not_compared():
    assert found(a_trial("plain", 1, (1,), [0], [1, 2], [1, 0, 2])) == []


def test_at_most_three_are_named():
    wrong = a_trial("plain", 0, (1,), [0], [0], [2, 1, 0])
    assert len(found(*[wrong] * 5)) == 3


def test_nothing_is_judged_that_was_not_resumed_or_differs_when_built_again():
    assert not LAW.sees(a_run(a_record()))
    trace = a_run(resumed(a_trial("plain", 0, (1,), [0], [0], [2, 1, 0])))
    trace.records["again"] = [a_record([2, 1, 0])]
    assert not LAW.sees(trace)


@pytest.mark.parametrize(
    ("resume", "traits", "expected"),
    [
        ("auto", {"resumes"}, True),
        ("auto", set(), False),
        ("state_dict", set(), True),
        ("consumed", set(), True),
        ("none", set(), False),
    ],
)
def test_it_applies_where_the_target_can_be_resumed_or_promises_it(resume, traits, expected):
    scope = Scope(contract=Contract(resume=resume), named=frozenset(), traits=frozenset(traits))
    assert LAW.applies(scope) is expected


def test_what_is_wrong_with_workers_alone_may_follow_from_counting_what_they_prefetch():
    assert LAW.follows == ("SC804",)


def padded(*, rest, elastic=False, tail="auto"):
    """Two ranks share three samples; the second is stopped after one, with sample 0 as padding behind it."""
    straight = ([[0, 2]] * 4, [[1, 0]] * 4)
    records = [
        resumed(a_trial("plain", 0, (1,), [0], [2], [0, 2]), straight=straight[0]),
        resumed(a_trial("plain", 0, (1,), [1], rest, [1, 0]), straight=straight[1]),
    ]
    epochs = [a_record(*one[:3]) for one in straight]
    others = {"again": [a_record(one[0]) for one in straight], "resumed": records}
    contract = Contract(elastic=elastic, tail=tail)
    return judged(LAW, a_trace(*epochs, others=others, contract=contract, length=3))


def test_a_rest_may_be_padded_with_samples_of_its_own():
    assert padded(rest=[0]) == padded(rest=[2]) == padded(rest=[2], elastic=True) == []
    assert len(padded(rest=[2], tail="keep")) == 1
    assert len(padded(rest=[])) == len(padded(rest=[2, 2])) == len(padded(rest=[3])) == 1


def test_draws_of_whole_rounds_are_not_padded():
    """Each draw may have come before: that alone makes no padding of another last one."""
    drawn, rests = [[2, 0, 2, 2]] * 4, ([2, 2], [2, 0])
    trials = [a_trial("plain", 0, (2,), [2, 0], rest, drawn[0]) for rest in rests]
    for contract, wrong in (Contract(sharding="none", coverage="sampled"), 1), (Contract(elastic=True), 0):
        runs = (resumed(one, straight=drawn) for one in trials)
        found = [judged(LAW, a_run(one, straight=drawn, contract=contract, length=4)) for one in runs]
        assert [len(one) for one in found] == [0, wrong]


@pytest.mark.parametrize("whole", [[[0, 1, 2]] * 4, [[[0, 1], [2, 3]]] * 4])
def test_a_rest_may_lose_and_turn_nothing_that_comes_nowhere_else(whole):
    rest = [[3, 2]] if isinstance(whole[0][0], list) else [1, 0]
    lost = a_trial("plain", 0, (1,), whole[0][:1], rest, whole[0])
    run = a_run(resumed(lost, straight=whole), straight=whole, contract=Contract(elastic=True), length=4)
    assert len(judged(LAW, run)) == 1


def test_copies_that_all_come_in_the_last_step_are_not_taken_for_padding():
    straight = ([[0]] * 4, [[1]] * 4, [[0]] * 4, [[1]] * 4)
    records = [resumed(a_trial("plain", 0, (0,), [], [0], one[0]), straight=one) for one in straight]
    epochs = [a_record(*one[:3]) for one in straight]
    others = {"again": [a_record(one[0]) for one in straight], "resumed": records}
    assert judged(LAW, a_trace(*epochs, others=others, contract=Contract(elastic=True), length=2))


def test_what_refuses_a_state_once_it_was_counted_loses_nothing():
    assert found(a_trial("counted first", 1, (1,), [2], error="load_state_dict() raised RuntimeError")) == []


@pytest.mark.parametrize(
    ("passes", "holds"),
    [
        ([[1, 0], [1, 0, 2]], True),  # the epochs of the run that was not stopped
        ([[1, 0, 1], [0, 2, 0]], True),  # as many items as before, whatever is left of the epoch
        ([[1], [0, 1]], True),  # cut earlier
        ([[1, 0, 2], [0, 2, 0]], False),
        ([[0, 1], [1, 0, 2]], False),
        ([[], []], False),
    ],
)
def test_the_passes_of_one_walk_may_end_elsewhere(passes, holds):
    walk = Contract(epochs="advance", after_break="rest")
    assert (found(a_trial("plain", 1, (1,), [2], *passes), contract=walk) == []) is holds


def test_behind_an_end_of_one_walk_comes_an_empty_rest_or_what_follows():
    walk = Contract(epochs="advance", after_break="rest")
    for rest in ([], [1, 0, 2]):
        assert found(a_trial("plain", 1, (3,), [2, 1, 0], rest, [1, 0, 2]), contract=walk) == []
    assert found(a_trial("plain", 1, (3,), [2, 1, 0], [0, 1], [1, 0, 2]), contract=walk)
