"""Rows in fewer words: each is true by itself, and the fewest words still say what happened."""

from __future__ import annotations

import pytest

from samplercheck.reports.brevity import drop_fault, drop_sentences, say_cause_in_short, say_seen_in_short
from samplercheck.reports.whens import leave_out_kind, say_when_in_short

WIDTH = 66
NO_ROOM = "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity"


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            "Rank 0 yielded 1 in step 1 of epoch 0, and nothing by a new iterator after a break.",
            "Rank 0 yielded 1 in step 1, and nothing by a new iterator.",
        ),
        (
            "Rank 0, stopped after 2 items of epoch 0, yields 2, 4, 6 after loading and set_epoch(1), not 0.",
            "Rank 0 yields 2, 4, 6 after loading and set_epoch(1), not 0.",
        ),
        (
            f"Rank 4 raises RuntimeError: {NO_ROOM} before it yields anything (length=1 world_size=2).",
            "Rank 4 raises RuntimeError (length=1 world_size=2).",
        ),
    ],
)
def test_what_was_seen_fits_in_a_line_without_dots(seen: str, said: str) -> None:
    fitting = next(one for one in say_seen_in_short(seen) if len(one) <= WIDTH)
    assert fitting == said


def test_of_two_things_that_may_be_done_the_first_is_told_whole() -> None:
    *_, least = drop_sentences(
        "Yield the last batch though it is not full, or pad the samples. If not: drop."
    )
    assert least == "Yield the last batch though it is not full."
    listed = "Repeat the order until every rank has one, yield nothing on all ranks, or raise ValueError."
    assert {*drop_sentences(listed)} == {listed}


def test_a_pair_in_brackets_that_a_sentence_needs_is_no_aside() -> None:
    told = [*drop_sentences("What decides besides the arguments and (seed, epoch): a clock (of all).")]
    assert told[-1] == "What decides besides the arguments and (seed, epoch)."


def test_another_mistake_is_named_without_its_aside_before_it_is_a_harm_alone() -> None:
    hangs = "would hang: rank 0 yields 1 item, rank 8 yields 0"
    told = f"{hangs} (all ranks: 1, 1, 1 ...) (SC104); repeat the order until every rank has a sample"
    assert next(one for one in drop_fault(told) if len(one) <= WIDTH) == f"{hangs} (SC104)"


def test_another_mistake_is_named_by_its_first_clause_before_it_is_a_harm_alone() -> None:
    told = "would hang: epoch 0 holds 5 items where 6 are owed: pads 0 where 1 is needed (SC105)"
    *_, clause, harm = drop_fault(told)
    assert clause == "would hang: epoch 0 holds 5 items where 6 are owed (SC105)"
    assert harm == "would hang (SC105)"


def test_a_condition_with_a_colon_in_brackets_is_not_cut_there() -> None:
    batches = "the number of batches (with drop_last: the number of full batches)"
    whenever = f"whenever {batches} is no multiple of world_size"
    fitting = next(one for one in say_when_in_short(whenever) if len(one) <= WIDTH)
    assert fitting == "whenever the number of batches is no multiple of world_size"


def test_a_long_condition_of_a_flag_is_cut_to_what_is_needed_and_ends_in_no_dots() -> None:
    share = "a rank's share, rounded up, is no multiple of batch_size"
    always = f"always with drop_last where length is no multiple of world_size and {share}"
    fitting = next(one for one in say_when_in_short(always) if len(one) <= WIDTH)
    assert fitting == "only with drop_last, not always"


def test_after_what_it_happens_is_left_out_where_that_is_said_and_never_in_which_cases() -> None:
    when = "after a stop and resume: always without drop_last"
    assert leave_out_kind(when, "when after a stop and resume: always fix") == "always without drop_last"
    assert leave_out_kind(when, "when always without drop_last") == when
    assert leave_out_kind("always without drop_last", "after a stop and resume") == "always without drop_last"


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (
            "It depends on the node that a rank is on, where length is no multiple of world_size.",
            "It depends on the node that a rank is on.",
        ),
        (
            "random.shuffle overwrites elements of a tensor, or rows of an array, which are views.",
            "random.shuffle overwrites elements of a tensor, or rows of an array.",
        ),
    ],
)
def test_a_cause_is_told_without_what_it_adds_where_all_of_it_has_no_room(cause: str, said: str) -> None:
    assert next(one for one in say_cause_in_short(cause) if len(one) <= WIDTH + 2) == said
