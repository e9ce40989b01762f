"""What comes again within one walk, and draws that are drawn no more than once."""

from __future__ import annotations

import random
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Contract
from samplercheck.laws._periods import draws_again, first_torn, period
from tests.support.traces import a_record, a_trace

LENGTH, EPOCHS = 66, 8


def drawing(draw, contract=Contract(coverage="sampled"), ranks=1, epochs=EPOCHS):  # noqa: B008
    """A trace of ranks that take passes as drawn by a generator of each epoch."""
    passes = [[draw(random.Random(f"{epoch} {rank}")) for epoch in range(epochs)] for rank in range(ranks)]
    others = {"draws": [a_record(*some) for some in passes]}
    given = {"length": LENGTH, "epochs": epochs, "named": ("weights", "rank"), "world_size": ranks}
    return a_trace(*[[]] * ranks, others=others, contract=contract, **given)


def once(rng):
    return rng.choices(range(LENGTH), k=LENGTH)


def in_chunks_alike(rng, size=32):
    return (rng.choices(range(LENGTH), k=size) * LENGTH)[:LENGTH]


def an_order_twice(rng):
    return rng.sample(range(LENGTH), 20) * 3


def two_samples(rng):
    return [*rng.choices(range(2), k=8)] * 3


def test_chunks_that_draw_alike_repeat_a_pass():
    trace = drawing(in_chunks_alike, ranks=2)
    one = draws_again(trace, (0, 1))
    assert one is not None
    assert (one.rank, one.fault, one.consequence) == (0, "repeats its draws within an epoch", "repeats data")
    assert one.found.startswith("rank 0 drew the same 32 samples again and again in each of 8 passes: ")
    assert one.chance < 1e-13


@pytest.mark.parametrize(
    "draw", [once, an_order_twice, lambda rng: in_chunks_alike(rng, 7), lambda _: [], two_samples]
)
def test_draws_orders_and_luck_do_not(draw):
    assert draws_again(drawing(draw, epochs=1), (0,)) is None


def test_one_pass_that_goes_on_otherwise_is_enough():
    turns = iter(range(100))

    def seldom(rng):
        return once(rng) if next(turns) == EPOCHS - 1 else in_chunks_alike(rng)

    assert draws_again(drawing(seldom), (0,)) is None


def test_what_is_no_draw_is_not_held_to_it():
    assert draws_again(drawing(in_chunks_alike, Contract(coverage="once")), (0,)) is None
    assert draws_again(drawing(in_chunks_alike), (0, 1)) is None  # rank 1 has recorded nothing


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(2, 4), st.integers(0, 5))
def test_a_period_is_the_least_that_is_seen_twice(part, times, more):
    walk = (part * (times + 1))[: len(part) * times + more % len(part)]
    size = period(walk)
    assert 1 <= size <= len(part)
    assert walk[size:] == walk[:-size]
    assert not any(walk[one:] == walk[:-one] for one in range(1, size))


def lap_by_lap(walk: list[int], size: int, length: int) -> int | None:
    """Say the same slowly: each lap is looked at, for each place where laps may begin."""
    torn = []
    for begin in range(size):
        laps = ((at, walk[at : at + size]) for at in range(begin, len(walk) - size + 1, size))
        first = next((at for at, lap in laps if len(set(lap)) < min(size, length)), None)
        if first is None:
            return None
        torn.append(first)
    return max(torn)


def a_walk(random: Random, length: int) -> list[int]:
    """Laps in orders of their own, some of which may have a sample twice, from anywhere in the first."""
    walk: list[int] = []
    for _ in range(random.randint(0, 6)):
        lap = random.sample(range(length), length)
        if random.random() < 0.4:
            lap[random.randrange(length)] = random.randrange(length)
        walk += lap
    return walk[random.randint(0, length) :]


@given(random=st.randoms(use_true_random=False), length=st.integers(1, 7), size=st.integers(1, 9))
def test_the_first_torn_lap_is_found_wherever_laps_begin(random: Random, length: int, size: int) -> None:
    walk = a_walk(random, length)
    assert first_torn(np.array(walk, dtype=np.int64), size, length) == lap_by_lap(walk, size, length)


def test_whole_laps_are_not_torn_and_a_walk_that_is_too_short_says_nothing() -> None:
    assert first_torn(np.array([2, 0, 1, 1, 2, 0], dtype=np.int64), 3, 3) is None
    assert first_torn(np.array([0, 0], dtype=np.int64), 3, 3) is None
    assert first_torn(np.array([0, 0, 1] * 4, dtype=np.int64), 3, 3) == 2
