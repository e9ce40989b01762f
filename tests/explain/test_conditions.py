"""Conditions: what is said stands on larger cases; what they refute is not said."""

from __future__ import annotations

from itertools import product

import pytest

from samplercheck import Case
from samplercheck.explain.candidates import FAR_MOST
from samplercheck.explain.conditions import Conditions, Places
from samplercheck.explain.words import EXACT, NECESSARY, SUFFICIENT, TRIED

SMALL = [
    Case(length=n, world_size=w, shuffle=shuffle)
    for n, w, shuffle in product(range(13), range(1, 6), (False, True))
]


def places(cases, fails, undecided=()):
    """Where a law is broken that is so in the cases of which ``fails`` is true."""
    failing = [place for place, case in enumerate(cases) if fails(case) and place not in undecided]
    return Places(failing, list(undecided))


def found(fails, undecided=(), *, beyond=(), silent=(), **manner):
    """What is said of a law that is broken in the cases of which ``fails`` is true."""
    conditions = Conditions(SMALL, beyond, **manner)
    said = conditions.region(places(SMALL, fails, undecided), fails, places(beyond, fails, silent))
    return said and (said[0], said[1].text)


def test_a_condition_that_larger_cases_confirm_is_exact():
    assert found(lambda c: bool(c.length % c.world_size)) == (EXACT, "length % world_size != 0")


def test_a_condition_that_larger_cases_refute_gives_way():
    assert found(lambda c: c.length >= 3 and c.world_size > 1) == (EXACT, "world_size >= 2 and length >= 3")
    # Nothing in the small scope, which ends at 12, tells a modest length from a large one.
    claim, text = found(lambda c: c.shuffle and c.length < 20)
    assert (claim, text) == (SUFFICIENT, "shuffle and length < 8")


def test_what_always_fails_on_many_ranks_while_there_are_few_samples_is_not_said_to_fail_always():
    """Chunks of four are dealt out whole: no small case has as many of them as four ranks."""
    claim, text = found(lambda c: bool(-(-c.length // 4) % c.world_size))
    assert (claim, text) == (SUFFICIENT, "length >= 1 and world_size >= 2 and length < 2 * world_size")


def test_a_size_that_a_parameter_has_by_default_is_told_by_its_name():
    said = found(lambda c: bool(-(-c.length // 4) % c.world_size), own={"chunk_size": 4})
    assert said == (EXACT, "ceil(length / chunk_size) % world_size != 0")
    said = found(lambda c: bool(c.length % 2), own={"group_size": 2})
    assert said == (EXACT, "length % group_size != 0")


def test_ranks_in_groups_of_a_number_of_the_target_are_told_by_its_name():
    said = found(lambda c: c.world_size > 4 and bool(c.world_size % 4), own={"per_host": 4})
    assert said == (EXACT, "world_size >= 4 and world_size % per_host != 0")


def test_a_number_of_the_target_that_no_small_case_reaches_is_named_where_larger_ones_do():
    said = found(lambda c: c.shuffle and 0 < -(-c.length // c.world_size) < 16, own={"buffer_size": 16})
    assert said is not None
    assert "ceil(length / world_size) < buffer_size" in said[1]


def test_what_ranks_share_by_rounds_is_told_by_its_name():
    def fails(c):
        return 32 % c.world_size > 0 and -(-c.length // c.world_size) * c.world_size > 32

    lost = [Case(length=31, world_size=3), Case(length=1, world_size=33)]
    text = "window % world_size != 0 and ceil(length / world_size) * world_size > window"
    assert found(fails, beyond=lost, around=lost, own={"window": 32}) == (EXACT, text)


def test_what_goes_by_powers_of_two_is_told_so():
    masked = found(lambda c: c.world_size not in (1, 2, 4, 8, 16, 32, 64, 128) and c.length >= c.world_size)
    assert masked == (EXACT, "length >= world_size and world_size is no power of two")
    above = found(lambda c: c.length > 1 and (c.length - 1).bit_count() == 1)
    assert above == (EXACT, "length - 1 is a power of two")
    hashed = found(
        lambda c: c.world_size.bit_count() != 1 and c.length > 0 and hash((c.length, c.seed)) % 5 > 0
    )
    assert hashed is not None
    assert "world_size is no power of two" in hashed[1]


@pytest.mark.parametrize(("size", "fewest"), [(8, 9), (3, 4)])
def test_a_last_chunk_that_is_lost_is_told_by_its_size_and_not_by_a_threshold_alone(size, fewest):
    claimed = found(lambda c: c.length > size and c.length % size != 0)
    assert claimed == (EXACT, f"length >= {fewest} and length % {size} != 0")


def test_a_threshold_is_the_smallest_length_that_fails():
    assert found(lambda c: c.length >= 11) == (EXACT, "length >= 11")


def test_what_goes_by_half_of_the_ranks_is_told_so():
    claimed = found(lambda c: 2 * (c.length % c.world_size) not in (0, c.world_size))
    assert claimed == (EXACT, "length % world_size != 0 and 2 * (length % world_size) != world_size")


def test_what_is_only_sometimes_so_is_claimed_where_it_always_is():
    claim, text = found(lambda c: c.shuffle and (c.length >= 7 or c.length in (2, 5)))
    assert claim == SUFFICIENT
    assert text == "shuffle and length >= 7"


def test_what_is_sometimes_so_and_elsewhere_never_is_claimed_to_be_so_only_there():
    claim, text = found(lambda c: c.shuffle and c.world_size > 1 and (c.length * 31 + c.world_size) % 5 > 1)
    assert (claim, text) == (NECESSARY, "shuffle and world_size >= 2")


def test_where_it_fails_only_as_far_as_the_small_scope_goes_is_not_claimed():
    def fails(case):
        sometimes = (case.length * 31 + case.world_size) % 5 > 1
        return sometimes and (case.shuffle or case.length > 12)

    said = found(fails)
    assert said is None or said[1] != "shuffle"


def test_nothing_is_said_of_what_no_condition_describes():
    assert found(lambda c: (c.length * 31 + c.world_size * 17) % 7 == 3) is None


def test_only_what_was_tried_is_said_where_larger_cases_cannot_be_decided():
    failing = [place for place, case in enumerate(SMALL) if case.shuffle]
    found = Conditions(SMALL).region(Places(failing), lambda _: None)
    assert found is not None
    assert (found[0], found[1].text) == (TRIED, "shuffle")


def test_a_condition_that_is_left_out_of_a_claim_is_not_what_is_claimed():
    failing = [place for place, case in enumerate(SMALL) if case.shuffle]
    left_out = {EXACT: {"shuffle"}, SUFFICIENT: {"shuffle"}}
    found = Conditions(SMALL).region(Places(failing), lambda c: c.shuffle, left_out=left_out)
    assert found is not None
    assert (found[0], found[1].text) == (NECESSARY, "shuffle")


def test_undecided_small_cases_count_neither_way():
    undecided = [place for place, case in enumerate(SMALL) if case.length in (1, 7)]
    assert found(lambda c: c.shuffle, undecided) == (EXACT, "shuffle")


def test_larger_cases_are_counted_and_bounded():
    conditions = Conditions(SMALL)
    failing = [place for place, case in enumerate(SMALL) if case.shuffle]
    conditions.region(Places(failing), lambda c: c.shuffle)
    assert 24 < conditions.tried <= 24 + FAR_MOST
    conditions.region(Places(failing), lambda c: (c.length + c.world_size) % 2 == 0)
    assert conditions.tried <= 2 * FAR_MOST + 11 * 24


def uneven_below(most):
    """A law that is broken where the world does not divide, in small datasets alone."""
    return lambda case: case.length < most and case.length % case.world_size != 0


@pytest.mark.parametrize("most", [70, 100, 1_000, 5_000])
def test_what_holds_again_far_away_is_not_said_to_fail_exactly_there(most):
    claimed = found(uneven_below(most))
    assert claimed is None or claimed[0] == SUFFICIENT
    assert found(uneven_below(most), stays_near=True) == (EXACT, "length % world_size != 0")


def test_what_fails_far_away_alone_besides_is_not_outside_of_what_is_exact():
    claimed = found(lambda c: c.length % c.world_size != 0 or c.length > 900)
    assert claimed == (SUFFICIENT, "length % world_size != 0")


UNEVEN_FAR, EVEN_FAR = Case(length=50_001, world_size=4), Case(length=50_000, world_size=4)


@pytest.mark.parametrize("beyond", [(UNEVEN_FAR,), (UNEVEN_FAR, EVEN_FAR), (EVEN_FAR, UNEVEN_FAR)])
def test_a_case_that_the_run_has_tried_refutes_what_no_larger_case_does(beyond):
    fails = uneven_below(50_000)
    assert found(fails) == (EXACT, "length % world_size != 0")
    assert found(fails, beyond=beyond) == (SUFFICIENT, "length % world_size != 0 and length < 8")


def test_a_failing_case_outside_refutes_what_is_exact_and_not_what_suffices():
    fails = lambda c: c.length % c.world_size != 0 or c.length == 50_000  # noqa: E731
    assert found(fails, beyond=(EVEN_FAR,)) == (SUFFICIENT, "length % world_size != 0")


def test_a_case_of_which_nothing_is_known_refutes_nothing():
    fails = uneven_below(50_000)
    assert found(fails, beyond=(UNEVEN_FAR,), silent=(0,)) == (EXACT, "length % world_size != 0")


def test_cases_with_options_that_no_small_case_has_are_left_out():
    other = UNEVEN_FAR.but(options={"bucket": 0})
    assert found(uneven_below(50_000), beyond=(other,)) == (EXACT, "length % world_size != 0")


LARGE = [
    Case(length=n, world_size=w, shuffle=shuffle)
    for n, w, shuffle in product((5, 16, 33, 40, 100), (7, 8, 10, 11, 13, 16, 24, 31), (False, True))
]


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("world_size >= 11", lambda c: c.world_size >= 11),
        ("world_size >= 8", lambda c: c.world_size >= 8),
        ("world_size % 8 == 0", lambda c: c.world_size % 8 == 0),
        ("world_size >= 11 and world_size % 8 != 0", lambda c: c.world_size >= 11 and c.world_size % 8),
        ("shuffle and world_size >= 13", lambda c: c.shuffle and c.world_size >= 13),
    ],
)
def test_what_only_large_cases_show_has_a_condition_tested_on_cases_around_them(text, fails):
    def is_so(case):
        return bool(fails(case))

    conditions = Conditions(SMALL, LARGE, around=[case for case in LARGE if is_so(case)])
    said = conditions.region(places(SMALL, is_so), is_so, places(LARGE, is_so))
    assert said is not None
    assert (said[0], said[1].text) == (EXACT, text)
    assert conditions.tried >= 8


def test_a_seed_of_the_grid_is_told_from_every_other_also_in_small_cases():
    """Of two seeds that were tried one fails: larger cases have other seeds, and lengths of the grid too."""
    grid = [case.but(seed=seed) for case in SMALL for seed in (0, 1)]

    def is_so(case):
        return case.length >= 3 or (case.length == 2 and case.seed != 1)

    conditions = Conditions(grid)
    said = conditions.region(places(grid, is_so), is_so)
    assert said is None or "seed == 0" not in said[1].text


SEEDED = [case.but(seed=seed) for case in SMALL for seed in (0, 1)]
BATCHED = [case.but(batch_size=size) for case in SMALL for size in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("grid", "beyond"),
    [
        (SEEDED, lambda c: c.seed >= 2**31),
        (SEEDED, lambda c: c.seed >= 2**32),
        (BATCHED, lambda c: c.batch_size > 16),
        (BATCHED, lambda c: c.batch_size >= 200),
    ],
)
def test_what_holds_again_for_large_seeds_or_batches_is_not_said_to_fail_exactly_elsewhere(grid, beyond):
    def fails(case):
        return case.length > case.world_size and not beyond(case)

    said = Conditions(grid).region(places(grid, fails), fails)
    assert said
    claim, region = said
    assert claim != EXACT
    assert claim == NECESSARY or "batch_size < 4" in region.text
    said = Conditions(grid).region(places(grid, uneven_below(2**40)), uneven_below(2**40))
    assert said
    assert (said[0], said[1].text) == (EXACT, "length % world_size != 0")
