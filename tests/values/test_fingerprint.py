"""Fingerprints: sums that are zero where all came as promised, add up over ranks, and notice the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samplercheck.values.fingerprint import (
    MISSED,
    Fingerprint,
    FingerprintTaker,
    Keys,
    mix,
    share_of,
)

KEYS = Keys.of("a case")
TRIALS = 10_000


def taken(indices, *, chunk=1_000, keys=KEYS, sizes=None):
    taker = FingerprintTaker(keys)
    indices = np.asarray(indices, dtype=np.int64)
    for begin in range(0, len(indices), chunk):
        taker.take(indices[begin : begin + chunk], begin=begin)
    if sizes is not None:
        taker.take(np.array([], dtype=np.int64), sizes=np.asarray(sizes), begin=len(indices))
    return taker.fingerprint


def owed(length, times=1, *, begin=0):
    taker = FingerprintTaker(KEYS)
    taker.owe(begin, length, times)
    return taker.fingerprint


@pytest.mark.parametrize("length", [0, 1, 7, 16_384, 50_001])
def test_what_is_owed_and_comes_in_any_order_leaves_nothing(length: int) -> None:
    order = np.random.default_rng(length).permutation(length)
    assert (taken(order) + owed(length)).is_covered


@pytest.mark.parametrize("places", [1, 3, 8])
def test_the_shares_of_all_ranks_are_the_whole(places: int) -> None:
    length, parts = 10_007, Fingerprint()
    for place in range(places):
        begin, end = share_of(place, places, length)
        parts += taken(range(place, length, places)) + owed(end, 1, begin=begin)
    assert parts.is_covered


def test_what_is_owed_several_times_has_to_come_so_often() -> None:
    assert (taken([*range(100)] * 3) + owed(100, 3)).is_covered
    assert not (taken([*range(100)] * 3) + owed(100, 2)).is_covered


@pytest.mark.parametrize("chunk", [pytest.param(1, marks=pytest.mark.thorough), 999, 16_384, 40_000])
def test_chunks_of_any_size_make_one_fingerprint(chunk: int) -> None:
    order = np.random.default_rng(1).permutation(40_000)
    assert taken(order, chunk=chunk) == taken(order, chunk=3_000)


def test_order_and_batches_are_told_apart_by_one_sum_alone() -> None:
    one, other = taken(range(1_000)), taken(range(999, -1, -1))
    assert one.order != other.order
    assert replace(one, order=0) == replace(other, order=0)
    assert taken(range(6), sizes=[3, 3]).order != taken(range(6), sizes=[2, 4]).order


def test_what_is_added_can_be_taken_away() -> None:
    one, other = taken(range(7)), taken(range(5, 90))
    assert (one + other) - other == one
    assert one + Fingerprint() == one


def differences(trials):
    """Yield random differences: few or many samples, all kinds of multiplicities, some that cancel."""
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        number = int(rng.integers(2, 40))
        samples = rng.choice(10_000_000_000, number, replace=False)
        times = rng.integers(1, 2 ** int(rng.integers(1, 20)), number) * rng.choice([-1, 1], number)
        if seed % 2:  # what cancels in number and sum, as a sound sampler's would
            times[:2] = [1 << int(rng.integers(0, 19))] * 2
            times[1] *= -1
            times[2:] = 0
        yield dict(zip(samples.tolist(), times.tolist(), strict=True))


@pytest.mark.thorough
def test_no_difference_of_ten_thousand_goes_unseen() -> None:
    for number, difference in enumerate(differences(TRIALS)):
        taker = FingerprintTaker(Keys.of(str(number)))
        taker.leave(difference)
        assert not taker.fingerprint.is_covered, difference
        assert taker.fingerprint.first, difference
        assert taker.fingerprint.second, difference


def test_equal_ones_are_never_called_unequal() -> None:
    for seed in range(TRIALS // 10):
        order = np.random.default_rng(seed).permutation(seed + 1)
        assert (taken(order) + owed(seed + 1)).is_covered


def test_the_bound_is_that_of_its_derivation_in_few_bits() -> None:
    """Of sums that are cut to eight bits, as often as the bound says some are zero, and no more often."""
    bits, off = 8, 4
    bound, zeros = off / 2**bits, 0
    for key in range(TRIALS):
        mixed = mix(np.array([key, key + 1]), key * 7_919)
        zeros += int((mixed * np.array([off, -off]).astype(np.uint64)).sum()) % 2**bits == 0
    assert 0.7 * bound < zeros / TRIALS < 1.3 * bound


def test_the_bound_that_is_told_is_two_to_the_minus_88_or_better() -> None:
    most_solutions = 2**19  # of d*h = c mod 2^64 where 0 < |d| < 2^20
    assert pytest.approx((most_solutions / 2**64) ** 2) == MISSED
    assert MISSED <= 2.0**-88
