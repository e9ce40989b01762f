"""Numbers in words."""

from __future__ import annotations

import numpy as np

from samplercheck.values.wording import (
    brief,
    in_epoch,
    join_numbers,
    limit_indices,
    owner,
    pluralise,
    steps_of,
)


def test_long_lists_are_shortened():
    assert brief([1, 2, 3]) == "1, 2, 3"
    assert brief([3, 5, 7]) == "3, 5, 7"
    assert brief(range(41)) == "0, 1, 2 ... (41 in all)"
    assert brief([1, 2, 3, 4], 3) == "1 ... (4 in all)"
    assert brief(range(3, 44)) == "3, 4, 5 ... (41 in all)"
    assert brief(np.arange(2_000_000)) == "0, 1, 2 ... (2000000 in all)"
    assert brief({4}) == "4"
    assert brief([]) == ""


def test_lists_read_like_sentences():
    assert join_numbers([2]) == "2"
    assert join_numbers([2, 1]) == "2 and 1"
    assert join_numbers([2, 2, 1]) == "2, 2 and 1"
    assert join_numbers(list(range(9))) == "0, 1, 2 ... (9 in all)"
    assert join_numbers([]) == ""


def test_nouns_follow_their_number():
    assert pluralise(1, "item") == "1 item"
    assert pluralise(0, "item") == "0 items"
    assert steps_of(2, batched=True) == "2 batches"
    assert steps_of(1, batched=True) == "1 batch"
    assert steps_of(3, batched=False) == "3 items"


def test_one_rank_is_named_and_several_are_not():
    assert owner((2,)) == "rank 2"
    assert owner((0, 1)) == "the ranks"


def test_violations_carry_a_hundred_plain_integers_at_most():
    assert limit_indices(np.arange(500)) == tuple(range(100))
    assert all(type(index) is int for index in limit_indices(np.arange(3)))


def test_a_place_says_what_is_known_of_it():
    assert (in_epoch(1, 5), in_epoch(0), in_epoch(None)) == (", epoch 1, step 5", ", epoch 0", "")
