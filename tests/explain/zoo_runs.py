"""The zoo's bugs as runs explain them: by the laws that they should break, and two that causes ask about."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import samplercheck as sc
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo.cases import is_strict, zoo

if TYPE_CHECKING:
    from samplercheck.values.finding import Failure

CODES = {law.code for law in ALL_LAWS}
ASKED_ABOUT = {"SC301", "SC501"}


@cache
def explained(slug: str) -> dict[str, Failure]:
    """The failures of one bug by the codes of its laws, in the quick profile."""
    module = next(module for module in zoo() if slug == module.SLUG)
    target = sc.target(module.bug, name=slug, contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    settings = {"deadlines": Deadlines(seconds=0.25)} if "SC002" in module.EXPECT else None
    report = sc.run(
        target,
        profile="quick",
        worlds=["simulated"],
        select=sorted((module.EXPECT | ASKED_ABOUT) & CODES),
        world_settings=settings,
        strict=is_strict(module),
    )
    return {result.code: result.failure for result in report.failures if result.failure}
