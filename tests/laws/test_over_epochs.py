"""Where laps of one walk are torn, beside an answer that is worked out lap by lap."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.laws._over_epochs import first_torn


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
