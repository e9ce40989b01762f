"""What changes nothing of what ranks yield changes nothing of what is said: names, places, wrappers.

A law that silently judges nothing where a target finds its rank by itself, say, shows here and nowhere else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.support.brief import look_briefly
from tests.support.rewritings import REWRITINGS
from tests.test_zoo import BEYOND_BRIEF, COSTLY, HANGS
from tests.zoo.cases import NEVER_TWICE, SIMULATED, is_strict, worlds_of, zoo

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from samplercheck.values.report import Report

MODULES = {
    module.SLUG: module
    for module in zoo()
    if worlds_of(module) == SIMULATED
    and module.SLUG not in COSTLY | NEVER_TWICE
    and not HANGS & module.EXPECT
}
FEW = 12
"""So many of the zoo's files, are taken in every whole run, all of them in the nightly one."""
WITHOUT_A_RANK = {"reads_the_environment", "asks_the_group"}
CHOSEN = set(sorted(MODULES)[:: len(MODULES) // FEW])


def judged(module: ModuleType, factory: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Return what is said of each law, and of which smallest case."""
    contract = sc.Contract(**module.CONTRACT)
    target = sc.target(factory, name=module.SLUG, contract=contract, axes=module.AXES)
    plan = Plan(target=target, profile="quick", strict=is_strict(module), explains=False)
    with look_briefly(briefly=module.SLUG not in BEYOND_BRIEF):
        report: Report = carry_out(plan)
    return {
        one.code: (one.outcome.name, one.failure.case.token if one.failure else "") for one in report.results
    }


@cache
def as_it_stands(slug: str, which: str = "bug") -> dict[str, tuple[str, str]]:
    return judged(MODULES[slug], getattr(MODULES[slug], which))


@pytest.mark.parametrize("way", REWRITINGS)
@pytest.mark.parametrize(
    "slug",
    [
        pytest.param(slug, marks=pytest.mark.thorough if slug in CHOSEN else pytest.mark.slow)
        for slug in sorted(MODULES)
    ],
)
def test_a_bug_that_is_written_in_another_way_is_said_alike(slug: str, way: str) -> None:
    compare(slug, way, "bug")


@pytest.mark.slow
@pytest.mark.parametrize("way", REWRITINGS)
@pytest.mark.parametrize("slug", sorted(MODULES))
def test_a_sound_twin_that_is_written_in_another_way_is_said_alike(slug: str, way: str) -> None:
    compare(slug, way, "sound")


def compare(slug: str, way: str, which: str) -> None:
    rewritten = REWRITINGS[way](getattr(MODULES[slug], which))
    if rewritten is None:
        pytest.skip("does not fit this target")
    said, expected = judged(MODULES[slug], rewritten), as_it_stands(slug, which)
    # Nobody can hand them a rank that cannot be, nor leave it out.
    unasked = {"SC003", "SC903"} if way in WITHOUT_A_RANK else set()
    assert {code: said[code] for code in said.keys() - unasked} == {
        code: expected[code] for code in expected.keys() - unasked
    }
