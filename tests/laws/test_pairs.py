"""Pairs in the dataset's order are counted as two loops would count them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.laws import _pairs
from samplercheck.laws._pairs import Pairs


def in_order(samples):
    firsts = list(dict.fromkeys(samples))
    return sum(early < late for early, late in combinations(firsts, 2)), len(firsts)


@given(st.lists(st.integers(0, 40), max_size=40))
def test_pairs_are_counted_as_two_loops_count_them(samples):
    ahead, number = in_order(samples)
    pairs = Pairs.of([np.array(samples, dtype=np.int64)])
    assert pairs.number == number * (number - 1) / 2
    assert pairs.off == (ahead - pairs.number / 2,)


@pytest.mark.parametrize("at_once", [4, 64])
@pytest.mark.parametrize("number", [63, 64, 65, 1_000])
def test_pairs_are_the_same_however_many_are_counted_at_once(monkeypatch, at_once, number):
    monkeypatch.setattr(_pairs, "MOST_AT_ONCE", at_once)
    samples = np.random.default_rng(number).permutation(number)
    ahead, _ = in_order(samples.tolist())
    assert Pairs.of([samples]).off == (ahead - number * (number - 1) / 4,)
