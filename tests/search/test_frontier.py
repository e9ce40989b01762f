"""The frontier: cases where numbers trigger bugs, as many as a budget pays for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.search.frontier import LIGHT, cost_of, frontier_cases, sweep_cases
from samplercheck.search.profiles import find_profile
from samplercheck.search.special import cases_of_epochs

if TYPE_CHECKING:
    from samplercheck.values.case import Case

QUICK, STANDARD, CONTRACT = find_profile("quick"), find_profile("standard"), sc.Contract()


def build(length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int) -> None:
    """Stand for a target that names all this; nothing runs it."""


def of_ranks(length: int, rank: int, world_size: int) -> None:
    """One that names neither a seed nor a batch size."""


def drawn(frontier: int = QUICK.frontier, *, seed: int = 0, **how: bool) -> tuple[list[Case], list[Case]]:
    return frontier_cases(sc.target(build).bind(), ((),), replace(QUICK, frontier=frontier), seed, **how)


@pytest.mark.parametrize("budget", [QUICK.frontier, QUICK.frontier // 7, 300_000])
@pytest.mark.parametrize("seed", [0, 5])
def test_the_budget_is_spent_by_what_cases_cost(budget: int, seed: int) -> None:
    light, heavy = drawn(budget, seed=seed)
    costs = [cost_of(case, CONTRACT) for case in (*light, *heavy)]
    assert budget // 2 < sum(costs) <= budget
    assert max(costs) <= budget // 3
    assert all(cost_of(case, CONTRACT) <= LIGHT for case in light)
    assert all(cost_of(case, CONTRACT) > LIGHT for case in heavy)


def test_where_samples_take_longer_in_long_data_and_small_batches_fewer_such_cases_are_tried() -> None:
    dear = replace(QUICK, frontier_total=20_000)
    tried, of_steep = (
        [case for cases in frontier_cases(sc.target(build).bind(), ((),), one, 0) for case in cases]
        for one in (dear, replace(dear, steep=(512, 4)))
    )
    assert sum(case.length for case in of_steep) < sum(case.length for case in tried)
    costs = [cost_of(case, CONTRACT, (512, 4)) for case in of_steep]
    assert sum(cost if cost <= LIGHT else cost // QUICK.light_by for cost in costs) <= 20_000
    case = sc.Case(length=1_100, world_size=1, batch_size=2)
    assert cost_of(case, CONTRACT, (512, 4)) == 2 * 2 * cost_of(case, CONTRACT)
    assert cost_of(case.but(length=500, batch_size=8), CONTRACT, (512, 4)) == 600


@pytest.mark.parametrize("seed", range(4))
def test_standard_tries_the_first_lengths_beyond_15_and_16_bits_and_a_world_of_1_024(seed: int) -> None:
    for target in (build, of_ranks):
        asked = sc.target(target).bind(), ((),), STANDARD, seed
        tried = [case for cases in (*frontier_cases(*asked), sweep_cases(*asked)) for case in cases]
        assert {2**15 + 1, 2**16 + 1} <= {case.length for case in tried}
        assert 1_024 in {case.world_size for case in tried}


def test_what_waits_for_collectives_gets_a_part_of_it() -> None:
    alone, together = ([*light, *heavy] for light, heavy in (drawn(), drawn(collectives=True)))
    cost = partial(cost_of, contract=CONTRACT)
    assert 0 < sum(map(cost, together)) < sum(map(cost, alone)) / 2


def test_light_cases_are_stopped_where_a_target_can_be_resumed() -> None:
    light, heavy = drawn(stops=True)
    assert all(case.stop in range(4) for case in light)
    assert {case.stop for case in heavy} == {None}
    assert {case.stop for case in drawn()[0]} == {None}


def test_what_a_target_does_not_name_is_pinned() -> None:
    light, heavy = frontier_cases(sc.target(of_ranks).bind(), ((),), QUICK, 0)
    pinned = {(case.seed, case.batch_size, case.shuffle, case.drop_last) for case in (*light, *heavy)}
    assert pinned == {(0, 1, False, False)}
    assert len({*light, *heavy}) == len(light) + len(heavy)


def test_the_sweep_has_each_world_once_and_as_many_lengths() -> None:
    swept = sweep_cases(sc.target(build).bind(), ((),), QUICK, 0)
    assert {case.world_size for case in swept} >= set(range(6, QUICK.sweep + 1))
    assert len(swept) == 2 * (QUICK.sweep - 5) + 2 * len([128, 256])
    assert max(case.length for case in swept if case.world_size <= QUICK.sweep) <= 400
    assert swept == sweep_cases(sc.target(build).bind(), ((),), QUICK, 0)
    assert swept != sweep_cases(sc.target(build).bind(), ((),), QUICK, 1)


def test_the_sweep_has_the_first_rounds_whose_number_a_reciprocal_gets_wrong() -> None:
    """So few worlds are rounded that each seed has to try them: 49 ranks, and none below."""
    for seed in range(20):
        swept = sweep_cases(sc.target(build).bind(), ((),), QUICK, seed)
        assert int(49 * (1 / 49)) == 0
        assert (49, 49) in {(case.length, case.world_size) for case in swept}


def test_behind_the_sweep_each_power_of_two_has_more_than_a_sample_for_each_rank_and_some_less() -> None:
    for seed in range(20):
        swept = sweep_cases(sc.target(build).bind(), ((),), STANDARD, seed)
        wide = [case for case in swept if case.world_size > STANDARD.sweep]
        assert {case.world_size for case in wide if case.length > case.world_size} == {128, 256, 512, 1_024}
        assert {case.world_size for case in wide if case.length < case.world_size} == {128, 256}


def test_some_cases_of_wide_worlds_and_of_far_epochs_leave_no_tail() -> None:
    """Where there is one, padding may bring again what a rank has left out."""
    for seed in range(20):
        light, heavy = frontier_cases(sc.target(build).bind(), ((),), STANDARD, seed)
        wide = [one for one in (*light, *heavy) if one.world_size > 64 and one.length >= 1_000]
        swept = sweep_cases(sc.target(build).bind(), ((),), STANDARD, seed)
        assert {one.length % one.world_size == 0 for one in wide} == {True, False}
        assert any(one.world_size == 512 and one.length == 1_024 for one in swept)
    for contract in (sc.Contract(), sc.Contract(replicas=2)):
        far = cases_of_epochs(sc.target(build, contract=contract).bind(), ((),), 48)
        tails = {one.length % (one.world_size // contract.replicas) for one in far}
        assert 0 in tails
        assert len(tails) > 1
        assert {one.shuffle for one in far if one.length == 8} == {True, False}


def test_the_sweep_ends_where_samples_are_dear() -> None:
    dear = replace(QUICK, frontier_total=10_000)
    swept = sweep_cases(sc.target(build).bind(), ((),), dear, 0)
    assert 0 < len(swept) < 2 * (QUICK.sweep - 5)
    assert sum(cost_of(case, CONTRACT) // 10 for case in swept) <= 10_000
