"""What a pass does to a training, in the words of a headline: each kind of wrong has its own."""

from __future__ import annotations

import pytest

from samplercheck.laws._dealing import hint_at_alike
from samplercheck.laws._passes import harm_of
from tests.support.traces import a_trace


@pytest.mark.parametrize(
    ("found", "due", "done", "harm"),
    [
        ([0, 1], [1], [0], "repeats data"),
        ([0], [1], [0], "repeats data"),
        ([1, 1], [1, 2], [], "repeats data"),
        ([5, 5], [1, 2], [], "repeats data"),
        ([], [1], [0], "loses data"),
        ([2], [1, 2], [0], "loses data"),
        ([2, 1], [1, 2], [0], "wrong order"),
        ([3, 4], [1, 2], [0], "wrong order"),
        ([1, 2], [1, 2], [0], "wrong batches"),
    ],
)
def test_the_words_fit_what_was_found(found, due, done, harm):
    assert harm_of(found, due, done) == harm


@pytest.mark.parametrize(
    ("shares", "is_told"),
    [
        ([[0, 1], [2, 3], [0, 1], [2, 3]], True),  # the ranks of two nodes, each by its place in its node
        ([[0, 1], [2, 3], [4, 5, 6, 7], [0, 1]], False),  # a whole batch that pads
        ([[[0, 1]], [[0, 1]], [[2, 3]]], False),  # of one step each: a batch that pads where one is lost
        ([[0, 2, 4, 6], [4, 6]], True),  # a place beyond the last one
        ([[0, 1, 2, 3], [2, 3]], False),  # two blocks that overlap
    ],
)
def test_ranks_that_are_alike_have_taken_others_places_only_where_samples_are_missing(shares, is_told):
    (epoch,) = a_trace(*([share] for share in shares), length=8).epochs
    assert ("among those of its node" in hint_at_alike(epoch)) == is_told
