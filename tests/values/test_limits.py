"""After how many steps a pass is cut, given up or stopped."""

from __future__ import annotations

import pytest

from samplercheck import Case, Contract
from samplercheck.values.limits import far_step, lap_of, quarter_of, step_cap


@pytest.mark.parametrize(
    ("changes", "case", "steps"),
    [
        ({}, {"length": 24, "world_size": 2}, 3),
        ({}, {"length": 3, "world_size": 2}, 1),
        ({"repeats": 2}, {"length": 24, "world_size": 2}, 6),
        ({}, {"length": 64, "world_size": 1, "batch_size": 8}, 2),
        ({"coverage": "subset"}, {"length": 640, "world_size": 1}, 1),
    ],
)
def test_a_pass_is_given_up_while_it_has_steps_left(changes, case, steps):
    assert quarter_of(Case(**case), Contract(**changes)) == steps


def test_a_pass_of_draws_may_be_many_datasets_long_and_other_passes_a_few() -> None:
    """Repeat factors of 64 rare classes make passes of six datasets."""
    case = Case(length=100_000, world_size=1)
    assert step_cap(case, Contract(coverage="sampled")) > 10 * case.length
    assert step_cap(case, Contract()) < 5 * case.length


def test_an_endless_pass_is_read_two_laps_and_of_few_samples_one_lap_beyond_as_many_steps() -> None:
    endless = Contract.endless()
    assert step_cap(Case(length=100, world_size=2), endless) == 100
    assert step_cap(Case(length=8, world_size=1), endless) == 16
    assert step_cap(Case(length=8, world_size=4), endless) == 8 + 2
    uneven = Case(length=9, world_size=4)
    assert (lap_of(uneven, endless), far_step(uneven, endless)) == (3, 9)
