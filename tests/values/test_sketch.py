"""Sketches: every sample that came too often or too seldom is named, or else how many and where."""

from __future__ import annotations

import time

import numpy as np
import pytest

from samplercheck.values.fingerprint import Keys
from samplercheck.values.sketch import CELLS, TABLES, Sketch

KEYS = Keys.of("a case")


def sketch_of(yielded, length, *, ranks=1, times=1, keys=KEYS):
    """Return the sum of the sketches of so many ranks."""
    whole = Sketch(keys, length)
    yielded = np.asarray(yielded, dtype=np.int64)
    for rank in range(ranks):
        own = Sketch(keys, length)
        own.take(yielded[rank::ranks])
        own.owe(length * rank // ranks, length * (rank + 1) // ranks, times)
        whole.add(own)
    return whole


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("length", [0, 1, 2, 1_000, 100_003])
def test_what_agrees_leaves_nothing(length: int, ranks: int) -> None:
    whole = sketch_of(np.random.default_rng(0).permutation(length), length, ranks=ranks)
    assert (whole.decode(), whole.size, whole.list_ranges(3)) == ({}, 0, [])


def test_one_loss_and_one_repetition_are_named() -> None:
    order = np.arange(1_000_000)
    order[77] = 123_456
    assert sketch_of(order, len(order), ranks=8).decode() == {77: -1, 123_456: 1}


def test_multiplicities_are_named() -> None:
    order = [*range(1_000)] * 3 + [5] * 40 + [9]
    order.remove(700)
    assert sketch_of(order, 1_000, times=3).decode() == {5: 40, 9: 1, 700: -1}


@pytest.mark.parametrize("seed", range(3))
def test_eighteen_hundred_culprits_of_two_million_are_named(seed: int) -> None:
    rng, length = np.random.default_rng(seed), 2_000_000
    order = rng.permutation(length)
    places = rng.choice(length, 1_800, replace=False)
    wrong = order[places].copy()
    order[places[:900]] = wrong[900:]
    expected = {int(one): -1 for one in wrong[:900]} | {int(one): 1 for one in wrong[900:]}
    whole = sketch_of(order, length)
    began = time.process_time()
    assert whole.decode() == expected
    assert time.process_time() - began < 1


@pytest.mark.thorough
def test_random_differences_are_named_exactly() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        samples = rng.choice(10**10, int(rng.integers(1, 3_000)), replace=False)
        times = rng.integers(1, 6, len(samples)) * rng.choice([-1, 1], len(samples))
        whole = Sketch(Keys.of(str(seed)), 10**10)
        whole.leave(dict(zip(samples.tolist(), times.tolist(), strict=True)))
        assert whole.decode() == dict(sorted(zip(samples.tolist(), times.tolist(), strict=True)))


def test_a_table_that_is_too_full_says_how_much_and_where() -> None:
    length = 2_000_000
    order = np.arange(length)
    order[1_000_000:1_050_000] -= 500_000  # 50,000 are lost and as many come twice
    whole = sketch_of(order, length)
    assert whole.decode() is None
    assert 0.9 * 100_000 < whole.size < 1.1 * 100_000
    found = whole.list_ranges(60)
    for begin, end, off in found:
        assert (off < 0) == (950_000 <= begin < 1_050_000)
        assert off > 0 or begin <= 1_050_000 <= end or 1_000_000 - whole.width <= begin < 1_050_000
        assert off < 0 or 500_000 - whole.width <= begin < 550_000
        assert end - begin <= whole.width
    assert sum(off < 0 for _, _, off in found) > 20


def test_a_table_takes_as_much_as_two_thirds_of_its_cells() -> None:
    number = TABLES * CELLS * 2 // 3
    for seed in range(10):
        whole = Sketch(Keys.of(str(seed)), 10**9)
        samples = np.random.default_rng(seed).choice(10**9, number, replace=False)
        whole.take(samples)
        assert whole.decode() == dict.fromkeys(sorted(samples.tolist()), 1)


def test_its_size_depends_on_nothing() -> None:
    sizes = set()
    for length in (10, 10**6, 10**10):
        whole = Sketch(KEYS, length)
        sizes.add(sum(getattr(whole, name).nbytes for name in ("counts", "sums", "checks", "ranges")))
    assert sizes == {TABLES * CELLS * 3 * 8 + 8 * 1024}
