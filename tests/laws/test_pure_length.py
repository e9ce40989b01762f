"""SC202 on hand-written lengths and passes."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.pure_length import LAW
from samplercheck.values.record import Length
from tests.support.traces import a_pass, a_record, a_trace, judged

PASSES = ([0, 1, 2], [2, 0, 1], [1, 2, 0])


def some_answers(before=3, again=3, after=3):
    return [
        Length("built", 0, 3),
        Length("before", 0, before),
        Length("again", 0, again),
        Length("after", 0, after),
        Length("before", 1, 3),
        Length("after", 1, 3),
    ]


def an_asked_trace(asked=PASSES, *, lengths=None, again=(PASSES[0], PASSES[0]), jumps=None, **details):
    others = {
        "lengths": [a_record(*asked, lengths=some_answers() if lengths is None else lengths)],
        "again": [a_record(*again)],
    }
    if jumps is not None:
        others["jumps"] = [a_record(*jumps)]
    return a_trace(a_record(*PASSES), length=3, others=others, **details)


def test_holds():
    trace = an_asked_trace()
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_an_answer_that_drifts_when_asked_again():
    (one,) = judged(LAW, an_asked_trace(lengths=some_answers(again=2)))
    assert one.found == "len() of rank 0 is 3 before the pass of epoch 0 and 2 when asked again"
    assert (one.rank, one.epoch, one.chance, one.consequence) == (0, 0, 0.0, "wrong step count")


@pytest.mark.parametrize(("epochs", "number"), [("set_epoch", 1), ("fixed", 1), ("advance", 0)])
def test_an_answer_that_drifts_after_a_pass(epochs, number):
    found = judged(LAW, an_asked_trace(lengths=some_answers(after=0), contract=Contract(epochs=epochs)))
    assert [one.found for one in found] == [
        "len() of rank 0 is 3 before the pass of epoch 0 and 0 after it",
    ] * number


def test_an_answer_that_turns_into_a_refusal_drifts():
    lengths = some_answers()
    lengths[3] = Length("after", 0, None, refused=True, error="TypeError: gone")
    (one,) = judged(LAW, an_asked_trace(lengths=lengths))
    assert one.found.endswith("and TypeError: gone after it")


def test_a_length_that_is_known_after_the_first_pass_has_not_drifted():
    refusal = {"value": None, "refused": True, "error": "TypeError: no plan yet"}
    lengths = some_answers()
    lengths[:3] = [Length(when, 0, **refusal) for when in ("built", "before", "again")]
    trace = an_asked_trace(lengths=lengths)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_a_length_that_is_known_by_asking_for_it_drifts():
    lengths = some_answers()
    lengths[1] = Length("before", 0, None, refused=True, error="TypeError: no plan yet")
    (one,) = judged(LAW, an_asked_trace(lengths=lengths))
    assert one.found.endswith("is TypeError: no plan yet before the pass of epoch 0 and 3 when asked again")


def test_a_failure_that_turns_into_a_length_drifts():
    lengths = some_answers()
    lengths[1:3] = [Length(when, 0, None, error="RuntimeError: no plan") for when in ("before", "again")]
    (one,) = judged(LAW, an_asked_trace(lengths=lengths))
    assert one.found.endswith("is RuntimeError: no plan before the pass of epoch 0 and 3 after it")


def test_passes_that_change_when_len_is_asked():
    (one,) = judged(LAW, an_asked_trace(([0, 1, 2], [2, 1, 0], [1, 2, 0])))
    assert one.found == "rank 0 yields otherwise from step 1 of epoch 1 on if len() is asked"
    assert (one.rank, one.epoch, one.step, one.experiment) == (0, 1, 1, "lengths")


def test_more_evidence_is_asked_for_in_a_longer_case():
    assert judged(LAW, an_asked_trace(([1, 0, 2],)))[0].chance == 2.0**-2
    assert judged(LAW, an_asked_trace(([1, 0, 2],), epochs=48))[0].chance < 1e-13


def test_a_target_that_differs_from_build_to_build_is_left_to_other_laws():
    assert judged(LAW, an_asked_trace(([1, 0, 2],), again=([2, 1, 0], [0, 1, 2]))) == []
    jumps = (a_pass(PASSES[2], epoch=2), a_pass([2, 1, 0], epoch=0))
    assert judged(LAW, an_asked_trace(([1, 0, 2],), jumps=jumps)) == []


def test_a_target_that_agrees_with_itself_is_judged():
    jumps = (a_pass(PASSES[2], epoch=2), a_pass(PASSES[0], epoch=0))
    assert len(judged(LAW, an_asked_trace(([1, 0, 2],), jumps=jumps))) == 1


def test_a_second_pass_counts_as_a_witness_under_advance_alone():
    advance = Contract(epochs="advance", order="shuffled")
    again = (PASSES[0], [0, 1, 2])
    assert judged(LAW, an_asked_trace(([1, 0, 2],), again=again, contract=advance)) == []
    assert len(judged(LAW, an_asked_trace(([1, 0, 2],), again=again))) == 1


def test_targets_without_jumps_have_empty_records():
    assert len(judged(LAW, an_asked_trace(([1, 0, 2],), jumps=()))) == 1


def test_nothing_to_see_where_nobody_has_a_length():
    refusal = Length("built", 0, None, refused=True, error="TypeError: no")
    assert not LAW.sees(an_asked_trace(lengths=[refusal]))
    assert not LAW.sees(an_asked_trace(lengths=[]))


def test_an_empty_dataset():
    others = {"lengths": [a_record([], lengths=[Length("built", 0, 0)])], "again": [a_record([], [])]}
    trace = a_trace([[]], length=0, others=others)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_applies_to_targets_with_a_length():
    assert LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=frozenset({"len"})))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))


@pytest.mark.parametrize("asked", [PASSES, (PASSES[0], PASSES[0], PASSES[1])])
def test_a_wrapper_that_is_asked_for_its_length_yields_what_it_yields_without(asked):
    """What __len__ has read of the sampler inside, and what is not its own epoch's, may be yielded next."""
    others = {
        "lengths": [a_record(*PASSES, lengths=some_answers())],
        "again": [a_record(PASSES[0], PASSES[0])],
        "wrapped": [a_record(*PASSES)],
        "counted": [a_record(*asked)],
    }
    found = judged(LAW, a_trace(a_record(*PASSES), length=3, others=others))
    if asked is PASSES:
        assert found == []
        return
    (one,) = found
    assert one.found.startswith("rank 0 yields otherwise from step 0 of epoch 1 on if len() is asked after")
    assert (one.experiment, one.rank, one.epoch) == ("counted", 0, 1)
