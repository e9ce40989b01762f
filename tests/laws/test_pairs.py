"""Pairs in the dataset's order are counted as two loops would count them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.laws import _long_passes
from samplercheck.laws._long_passes import Pairs, rising_share


def in_order(samples):
    firsts = list(dict.fromkeys(samples))
    return sum(early < late for early, late in combinations(firsts, 2)), len(firsts)


@given(st.lists(st.integers(0, 40), max_size=40))
def test_long_passes_are_counted_as_two_loops_count_them(samples):
    ahead, number = in_order(samples)
    pairs = Pairs.of([np.array(samples, dtype=np.int64)])
    assert pairs.number == number * (number - 1) / 2
    assert pairs.off == (ahead - pairs.number / 2,)


@pytest.mark.parametrize("at_once", [4, 64])
@pytest.mark.parametrize("number", [63, 64, 65, 1_000])
def test_pairs_are_the_same_however_many_are_counted_at_once(monkeypatch, at_once, number):
    monkeypatch.setattr(_long_passes, "MOST_AT_ONCE", at_once)
    samples = np.random.default_rng(number).permutation(number)
    ahead, _ = in_order(samples.tolist())
    assert Pairs.of([samples]).off == (ahead - number * (number - 1) / 4,)


@given(st.lists(st.floats(-9, 9), min_size=3, max_size=8))
def test_luck_goes_as_far_in_either_direction_and_two_epochs_are_excused(off):
    chance = Pairs(tuple(off), 100, 50.0).chance
    assert Pairs(tuple(-one for one in off), 100, 50.0).chance == pytest.approx(chance)
    assert Pairs((7.0, *[0.0] * len(off), 8.0), 100, 50.0).chance >= 1


def test_steps_are_counted_in_pairs_of_which_none_has_a_sample_of_another_and_equal_ones_are_left_out():
    up, down, even = [0, 1], [3, 2], [4, 4]
    passes = [np.array([*up, *up, *down, *up, *even, 5]), np.array([*down, *down, *even]), np.array(even)]
    assert rising_share(passes, 0)[:2] == (0, 0.75)
    assert rising_share(passes[2:], 0) == (0.5, 0.5, 1)
