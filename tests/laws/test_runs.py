"""SC001 on hand-written faults."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.runs import BARE, LAW, ONE_EACH, SEED, TAKEN_FOR_GRANTED
from samplercheck.values.record import Fault
from tests.support.traces import a_record, a_trace, judged


def a_fault(**changes):
    details = {
        "experiment": "epochs",
        "kind": "raised",
        "phase": "next",
        "rank": 1,
        "epoch": 0,
        "step": 2,
        "error": "IndexError",
        "message": "list index out of range",
        "traceback": ("user.py:3 in __iter__", "user.py:9 in pad"),
    }
    return Fault(**{**details, **changes})


def test_holds_without_faults():
    assert judged(LAW, a_trace([[0]], length=1)) == []


def test_an_exception_names_rank_epoch_step_and_the_error():
    (one,) = judged(LAW, a_trace([], [], length=4, faults=(a_fault(),)))
    assert (
        one.found == "rank 1 raises IndexError: list index out of range while it is iterated, epoch 0, step 2"
    )
    assert (one.rank, one.epoch, one.step, one.experiment) == (1, 0, 2, "epochs")
    assert one.fault == "raises IndexError"
    assert one.detail == "user.py:3 in __iter__\nuser.py:9 in pad"
    assert not one.advice


def test_where_the_message_names_the_seed_the_hint_does():
    fault = a_fault(error="ValueError", message="Seed must be between 0 and 2**32 - 1")
    (one,) = judged(LAW, a_trace([], length=4, seed=2**31, epochs=3, faults=(fault,)))
    assert one.hint == SEED


def test_what_another_seed_alone_raises_is_told_with_that_seed():
    records = [a_record([0], seeds=(1, 104_729)), a_record([1], seeds=(1, 104_729))]
    fault = a_fault(experiment="seeds", error="ValueError", step=0)
    (one,) = judged(LAW, a_trace([[0]], [[1]], others={"seeds": records}, length=2, faults=(fault,)))
    assert one.found.endswith("while it is iterated, epoch 0, step 0, with seed 104729")
    assert (one.event, one.hint) == ("with another seed", SEED)


def test_a_crash_is_a_violation():
    (one,) = judged(
        LAW, a_trace([], length=4, faults=(a_fault(kind="crashed", error="", message="signal 11"),))
    )
    assert one.found.startswith("rank 1 crashed (signal 11)")
    assert one.fault == "ends its process"
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(kind="crashed", error="", message=""),)))
    assert one.found.startswith("rank 1 crashed while")


@pytest.mark.parametrize("kind", ["deadline", "endless"])
def test_what_does_not_end_is_left_to_the_law_of_ending(kind):
    assert judged(LAW, a_trace([], length=4, faults=(a_fault(kind=kind),))) == []


def test_faults_of_other_experiments_count_too():
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(experiment="again"),)))
    assert one.experiment == "again"
    assert one.found.endswith("while it is iterated by a second object, epoch 0, step 2")


def test_a_refused_empty_dataset_is_told_from_one_that_was_not_thought_of():
    refusal = {"phase": "build", "error": "ValueError", "epoch": None, "step": None}
    (refused,) = judged(LAW, a_trace([], length=0, faults=(a_fault(**refusal),)))
    (raised,) = judged(LAW, a_trace([], length=0, faults=(a_fault(**refusal | {"phase": "iter"}),)))
    assert "It refuses an empty dataset" in refused.hint
    assert "give it an empty pass" in raised.hint


@pytest.mark.parametrize(
    ("changes", "length", "grade"),
    [
        ({}, 1, "strict"),
        ({"error": "AssertionError"}, 1, "strict"),
        ({"error": "AssertionError", "message": ""}, 1, "harm"),
        ({"error": "IndexError"}, 1, "harm"),
        ({"phase": "iter"}, 1, "harm"),
        ({}, 2, "harm"),
    ],
)
def test_a_mere_refusal_of_fewer_samples_than_ranks_is_strict(changes, length, grade):
    fault = a_fault(**{"phase": "build", "error": "ValueError", "epoch": None, "step": None, **changes})
    trace = a_trace([], [], length=length, world_size=2, faults=(fault,))
    (found,) = judged(LAW, trace)
    assert (found.grade, trace.is_refused) == (grade, grade == "strict")


SAYS_NO = {"phase": "build", "error": "ValueError", "epoch": None, "step": None}
RAISED = ("user.py:3 in __init__: raise ValueError('too few classes')",)
ASSERTED = ("user.py:3 in __init__: assert length % world_size == 0, 'the ranks must divide it'",)
IN_A_LIBRARY = ("user.py:3 in __init__: self.order = pick(labels)", "lib.py:9 in pick: return labels[7]")


@pytest.mark.parametrize(
    ("ranks", "changes", "grade"),
    [
        ((0, 1), {"traceback": RAISED}, "strict"),
        ((0, 1), {"traceback": ASSERTED, "error": "AssertionError"}, "strict"),
        ((0, 1), {"traceback": RAISED, "error": "RuntimeError"}, "strict"),
        ((0, 1), {"traceback": RAISED, "error": "NotImplementedError"}, "strict"),
        ((0, 1), {"traceback": IN_A_LIBRARY, "error": "RuntimeError"}, "harm"),
        ((1,), {"traceback": RAISED}, "harm"),  # the other rank waits for it
        ((0, 1), {"traceback": RAISED, "phase": "iter"}, "harm"),
        ((0, 1), {"traceback": RAISED, "message": ""}, "harm"),
        ((0, 1), {"traceback": IN_A_LIBRARY}, "harm"),
        ((0, 1), {"traceback": RAISED, "error": "IndexError"}, "harm"),
    ],
)
def test_what_every_rank_refuses_when_it_is_built_and_says_why_is_strict(ranks, changes, grade):
    faults = tuple(a_fault(**{**SAYS_NO, **changes, "rank": rank}) for rank in ranks)
    trace = a_trace([], [], length=8, world_size=2, faults=faults)
    found = judged(LAW, trace)
    assert {one.grade for one in found} == {grade}
    assert trace.is_refused == (grade == "strict")
    assert {"says why" in one.hint for one in found} == {grade == "strict"}


ZERO = (0.0, *(1.0,) * 7)


@pytest.mark.parametrize(
    ("named", "weights", "message", "grade"),
    [
        ("weights", ZERO, "invalid multinomial distribution (sum of probabilities <= 0)", "strict"),
        ("weights", ZERO, "Total of weights must be greater than zero", "strict"),
        ("weights", ZERO, "list index out of range", "harm"),
        ("labels", ZERO, "invalid multinomial distribution (sum of probabilities <= 0)", "harm"),
        ("weights", (1.0,) * 8, "invalid multinomial distribution (sum of probabilities <= 0)", "harm"),
        ("weights", None, "invalid multinomial distribution (sum of probabilities <= 0)", "harm"),
    ],
)
def test_weights_of_zero_alone_leave_nothing_to_draw_which_is_strict(named, weights, message, grade):
    fault = a_fault(error="RuntimeError", message=message)
    features = () if weights is None else (("weights", weights),)
    given = {"length": 8, "world_size": 2, "features": features}
    trace = a_trace([], [], **given, faults=(fault,), named=(named, "rank"))
    (found,) = judged(LAW, trace)
    assert (found.grade, trace.is_refused) == (grade, grade == "strict")


@pytest.mark.parametrize(
    ("seed", "error", "message", "advice"),
    [
        (2**32, "ValueError", "Seed must be between 0 and 2**32 - 1", True),
        (2**32 - 1, "ValueError", "Seed must be between 0 and 2**32 - 1", True),  # in epoch 1
        (2**40, "OverflowError", "int too big", True),
        (2**63 - 1, "RuntimeError", "Overflow when unpacking long long", True),
        (18_341_905, "ValueError", "Overflow when unpacking long long", True),  # multiplied before
        (42, "ValueError", "Overflow when unpacking long long", False),
        (2**40, "TypeError", "no", False),
        (2**31, "ValueError", "Seed must be between 0 and 2**32 - 1", False),
    ],
)
def test_refusing_seeds_above_32_bits_is_advice(seed, error, message, advice):
    fault = a_fault(error=error, message=message)
    (one,) = judged(LAW, a_trace([], length=4, seed=seed, epochs=3, faults=(fault,)))
    assert one.advice is advice


def test_refusing_nonsense_by_something_else_than_an_exception_is_advice():
    fault = a_fault(experiment="nonsense", phase="build", error="SystemExit", message="1")
    assert judged(LAW, a_trace([], length=4, faults=(fault,)))[0].advice
    crash = a_fault(experiment="nonsense", phase="build", kind="crashed")
    assert not judged(LAW, a_trace([], length=4, faults=(crash,)))[0].advice


def test_what_is_broken_comes_before_advice_and_three_are_enough():
    advice = a_fault(experiment="nonsense", phase="build", error="SystemExit")
    found = judged(LAW, a_trace([], length=4, faults=(advice, *[a_fault(rank=rank) for rank in range(5)])))
    assert [(one.rank, one.advice) for one in found] == [(0, False), (1, False), (2, False)]


def test_more_ranks_than_samples_get_a_hint():
    (few,) = judged(LAW, a_trace([], [], [], length=2, faults=(a_fault(),)))
    assert few.hint.endswith("repeat samples as often as it takes to give each rank one.")
    kept = a_trace([], [], [], length=2, contract=Contract(tail="keep"), faults=(a_fault(),))
    assert judged(LAW, kept)[0].hint.endswith("ranks that get none have an empty pass.")
    alone = a_trace([], [], [], length=2, contract=Contract(sharding="none"), faults=(a_fault(),))
    assert judged(LAW, alone)[0].hint == TAKEN_FOR_GRANTED


def test_where_each_rank_has_one_sample_that_is_said_of_the_line_that_raises():
    one_each, more = (a_trace([], [], length=length, faults=(a_fault(),)) for length in (2, 4))
    assert judged(LAW, one_each)[0].hint == ONE_EACH
    assert judged(LAW, more)[0].hint == TAKEN_FOR_GRANTED
    for message in ("'int' object is not iterable", "object of type 'int' has no len()"):
        bare = a_trace([], [], length=2, faults=(a_fault(error="TypeError", message=message),))
        assert judged(LAW, bare)[0].hint == BARE


def test_a_crash_has_no_line_to_look_at_and_says_what_may_end_a_process():
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(kind="crashed"),)))
    assert one.hint.startswith("What ends the process")


def test_the_hint_of_an_empty_dataset_or_a_missing_attribute_speaks_of_that():
    (empty,) = judged(LAW, a_trace([], length=0, faults=(a_fault(),)))
    assert empty.hint == "An empty dataset is legal: give it an empty pass."
    message = "'IdentityDataset' object has no attribute 'targets'"
    fault = a_fault(error="AttributeError", message=message)
    assert "lengths, labels and weights alone" in judged(LAW, a_trace([], length=0, faults=(fault,)))[0].hint


def test_long_messages_are_cut_and_lines_joined():
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(message="a\nb" + "c" * 500),)))
    assert "a b" in one.found
    assert len(one.found) < 200
