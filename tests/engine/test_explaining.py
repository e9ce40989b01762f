"""The court that explaining asks: it runs a bounded number of cases, and says nothing beyond them."""

from __future__ import annotations

import samplercheck as sc
from samplercheck import Case, Outcome
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._explaining import Court
from samplercheck.laws import ALL_LAWS
from samplercheck.targets import as_target
from samplercheck.worlds import open_world
from tests.zoo import never_at_its_own_place

EQUAL_STEPS = next(law for law in ALL_LAWS if law.code == "SC104")


def uneven(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


def test_after_so_many_cases_nothing_more_is_run_and_nothing_said():
    binding = as_target(uneven).bind()
    with open_world("simulated") as world:
        court = Court(world, "samples", most=3)
        told = [court.outcome(EQUAL_STEPS, binding, Case(length=n, world_size=2)) for n in range(1, 6)]
        assert told == [Outcome.BROKEN, Outcome.HOLDS, Outcome.BROKEN, Outcome.UNKNOWN, Outcome.UNKNOWN]
        assert not court.alike(binding, Case(length=2), binding, Case(length=2))
    assert court.tried == 3


def test_a_given_case_is_not_explained_also_where_its_law_wants_cases_of_its_own():
    """There is no small scope beside it."""
    case = Case(length=7, world_size=2, shuffle=True, epochs=400)
    target = sc.target(never_at_its_own_place.bug, name="biased")
    plan = Plan(target=target, profile="quick", worlds=["simulated"], select=["SC1002"], cases=(case,))
    (result,) = carry_out(plan).results
    assert result.outcome is Outcome.BROKEN
    assert result.failure.cause == ""
