"""Records: what passes answer, on ones written by hand."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.values.record import Pass
from tests.support.traces import a_pass

BATCHED = a_pass([[4, 2], [], [0], [1, 3, 5]])


def test_a_pass_over_samples_has_a_step_for_each():
    one = a_pass([3, 1, 2])
    assert (one.steps, one.sizes, one.indices.tolist()) == (3, None, [3, 1, 2])
    assert [batch.tolist() for batch in one.batches()] == [[3], [1], [2]]
    assert [one.step_of(position) for position in range(3)] == [0, 1, 2]


def test_a_pass_over_batches_has_a_step_for_each_batch_empty_ones_too():
    assert (BATCHED.steps, BATCHED.indices.tolist()) == (4, [4, 2, 0, 1, 3, 5])
    assert [batch.tolist() for batch in BATCHED.batches()] == [[4, 2], [], [0], [1, 3, 5]]
    assert [BATCHED.step_of(position) for position in range(6)] == [0, 0, 2, 3, 3, 3]


def test_a_pass_may_be_empty():
    for one in (a_pass([]), a_pass([], batched=True)):
        assert (one.steps, one.indices.tolist(), list(one.batches())) == (0, [], [])
    only_empty = a_pass([[], []])
    assert (only_empty.steps, [batch.tolist() for batch in only_empty.batches()]) == (2, [[], []])


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=6))
def test_the_step_of_a_position_is_the_batch_that_holds_it(batches):
    one = a_pass(batches, batched=True)
    expected = [step for step, batch in enumerate(batches) for _ in batch]
    assert [one.step_of(position) for position in range(len(expected))] == expected
    assert [batch.tolist() for batch in one.batches()] == batches


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1, 2], [1], False),
        ([], [], True),
        ([[1, 2], [3]], [[1, 2], [3]], True),
        ([[1, 2], [3]], [[1], [2, 3]], False),
        ([[1], [2]], [1, 2], False),
        ([[], [1]], [[1], []], False),
    ],
    ids=str,
)
def test_passes_are_the_same_when_order_and_batches_are(left, right, same):
    one, other = a_pass(left), a_pass(right)
    assert one.same_as(other) is other.same_as(one) is same


@pytest.mark.parametrize(
    ("left", "right", "step"),
    [
        ([1, 2, 3], [1, 2, 4], 2),
        ([1, 2, 3], [0, 2, 3], 0),
        ([1, 2], [1, 2, 3], 2),
        ([], [1], 0),
        ([1, 2], [1, 2], 2),
        ([[1, 2], [3]], [[1, 2], [3, 4]], 1),
        ([[1, 2], [3]], [[2, 1], [3]], 0),
        ([[1], []], [[1]], 1),
    ],
    ids=str,
)
def test_the_first_difference_is_the_step_in_which_two_passes_part(left, right, step):
    one, other = a_pass(left), a_pass(right)
    assert one.first_difference(other) == other.first_difference(one) == step


@given(st.lists(st.lists(st.integers(0, 2), max_size=2), max_size=5), st.integers(0, 6))
def test_the_samples_of_a_step_are_its_batch_and_none_after_the_end(batches, step):
    expected = tuple(batches[step]) if step < len(batches) else ()
    assert a_pass(batches, batched=True).at(step) == expected
    flat = [index for batch in batches for index in batch]
    assert a_pass(flat).at(step) == tuple(flat[step : step + 1])


@given(*[st.lists(st.lists(st.integers(0, 1), max_size=2), max_size=4)] * 2)
def test_the_first_difference_is_that_of_the_lists_of_batches(left, right):
    one, other = a_pass(left, batched=True), a_pass(right, batched=True)
    pairs = zip(left, right, strict=False)
    end = min(len(left), len(right))
    expected = next((step for step, (mine, its) in enumerate(pairs) if mine != its), end)
    assert one.first_difference(other) == other.first_difference(one) == expected


def test_passes_are_kept_as_they_are_and_not_copied():
    items = array("q", [1, 2])
    assert Pass(0, items).items is items
