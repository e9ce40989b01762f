"""Bugs of the zoo as stored cases, for tests of replaying and of scripts: each is run in its smallest case.

Used by tests. The target that is recorded is the bug; tests put the sound twin in its place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo.cases import SIMULATED, is_strict, worlds_of, zoo

if TYPE_CHECKING:
    from types import ModuleType

    from samplercheck.storage.store import Store
    from samplercheck.values.case import Case

__all__ = ["IN_GROUPS", "IN_SIMULATION", "keep", "place", "zoo_file"]

CODES = {law.code for law in ALL_LAWS}


def _laws(*, simulated: bool) -> dict[str, str]:
    """Return files of the zoo with the first law that each must break."""
    chosen = [module for module in zoo() if (worlds_of(module) == SIMULATED) == simulated]
    expected = {module.SLUG: sorted(module.EXPECT & CODES) for module in chosen}
    return {slug: laws[0] for slug, laws in expected.items() if laws}


IN_SIMULATION = _laws(simulated=True)
IN_GROUPS = _laws(simulated=False)
"""Files of the zoo that simulation shows, or groups alone, and the law that each is stored for."""


@cache
def zoo_file(slug: str) -> ModuleType:
    """Return a file of the zoo."""
    return next(module for module in zoo() if slug == module.SLUG)


def place(slug: str, part: str = "bug") -> str:
    """Return the text that names one part of a file of the zoo."""
    return f"tests.zoo.{slug}:{part}"


def keep(slug: str, law: str, store: Store) -> Case:
    """Run a bug by one law, store what fails and return the case."""
    module = zoo_file(slug)
    target = sc.target(place(slug), contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    plan = Plan(
        target=target,
        profile="quick",
        worlds=worlds_of(module),
        select=(law,),
        store=store,
        explains=False,  # tests/explain does
        strict=is_strict(module),
        world_settings={"deadlines": Deadlines(seconds=0.25)} if law == "SC002" else {},
    )
    (result,) = carry_out(plan).results
    assert result.failure is not None, f"{slug} does not break {law}: {result.outcome} {result.reason}"
    return result.failure.case
