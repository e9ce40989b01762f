"""Edges: on either side of the size at which failing begins stands a case that was run."""

from __future__ import annotations

import pytest

from samplercheck import Case
from samplercheck.explain.edges import MOST_WORK, find_edges
from samplercheck.search.profiles import LARGEST_SEED

LONG = Case(length=32_783, world_size=2)
SEEDED = Case(length=9, seed=2**40 + 77, epochs=2)
WIDE = Case(length=45, world_size=15)
BATCHED = Case(length=828, world_size=3, batch_size=127)


def told(case, fails, **manner):
    """What is told of which cases, and how many were run for it."""
    ran = []

    def run(one):
        ran.append(one)
        return fails(one)

    return dict(find_edges([case], run, **manner)), len(ran)


@pytest.mark.parametrize(
    ("case", "size", "fails", "edge"),
    [
        (LONG, "length", lambda c: c.length >= 3_000, 3_000),
        (LONG, "length", lambda c: c.length > 2**14, 2**14 + 1),
        (SEEDED, "seed", lambda c: c.seed >= 2**31, 2**31),
        (SEEDED, "seed", lambda c: c.seed >= 123_456_789, 123_456_789),
        (SEEDED.but(seed=2**32 - 1), "seed", lambda c: c.seed < 2**32 < c.seed + c.epochs, 2**32 - 1),
        (WIDE, "world_size", lambda c: c.world_size >= 11, 11),
        (WIDE, "world_size", lambda c: c.world_size >= 11 and c.length % c.world_size == 0, 11),
        (BATCHED, "batch_size", lambda c: c.batch_size >= 34, 34),
    ],
)
def test_neighbours_on_both_sides_of_an_edge_are_run(case, size, fails, edge):
    found, ran = told(case, fails)
    assert all(said == fails(one) for one, said in found.items())
    assert min(getattr(one, size) for one, said in found.items() if said) == edge
    assert any(getattr(one, size) == edge - 1 for one, said in found.items() if not said)
    assert ran <= 90


def test_batches_whose_size_cannot_be_asked_for_keep_it():
    found, _ = told(BATCHED, lambda c: c.length >= 800, sized=False)
    assert {one.batch_size for one in found} == {127}


def test_powers_of_two_are_found_in_a_few_steps():
    assert told(SEEDED, lambda c: c.seed >= 2**31)[1] <= 14


def test_larger_sizes_tell_one_world_from_all_beyond_it():
    found, _ = told(WIDE, lambda c: c.world_size == 15)
    assert {one.world_size for one, said in found.items() if not said} >= {14, 16, 30}


def test_nothing_is_said_of_what_cannot_be_decided_and_no_huge_case_is_run():
    assert told(LONG, lambda _: None)[0] == {}
    most = max(one.length * one.world_size for one in told(LONG.but(length=65_000), lambda c: True)[0])
    assert most <= MOST_WORK


def test_worlds_stay_multiples_of_the_replicas():
    found, _ = told(Case(length=90, world_size=36), lambda c: c.world_size >= 20, step=4)
    assert all(one.world_size % 4 == 0 for one in found)
    assert {one.world_size for one in found} >= {16, 20}


def test_seeds_stay_legal_and_sizes_that_divide_are_told_from_larger_ones():
    largest = Case(length=9, seed=LARGEST_SEED - 1, epochs=2)
    assert max(one.seed for one in told(largest, lambda c: c.seed >= 2**32)[0]) <= LARGEST_SEED
    found, _ = told(Case(length=128), lambda c: c.length >= 128 and c.length % 128 == 0)
    assert {one.length for one, said in found.items() if not said} >= {129, 192}
    assert {one.length for one, said in found.items() if said} >= {128, 256, 384}


def test_multiples_of_a_length_are_told_from_lengths_beyond_an_edge():
    found, _ = told(LONG.but(length=1_100), lambda c: c.length > 1_024 and c.length % 1_024 != 0)
    assert {one.length for one, said in found.items() if not said} >= {1_024, 2_048, 3_072}
