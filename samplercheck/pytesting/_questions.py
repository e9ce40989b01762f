"""Question: what one item asks: whether a law holds by a plan.

Made with the items, answered by runs. Imports values and profiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import pytest

from samplercheck.search.profiles import find_profile

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan
    from samplercheck.laws.law import Law
    from samplercheck.pytesting.marking import KnownFailure


@dataclass(frozen=True, kw_only=True)
class Question:
    """What one item asks; ``in_group`` says that process groups have to answer.

    Items that have the very same plan may share a run, which then judges the laws of all of them. With
    ``known`` entries an item asks for their cases and for no others. What is ``skipped`` is listed with
    this reason and not run.
    """

    plan: Plan
    law: Law
    known: tuple[KnownFailure, ...] = ()
    skipped: str = ""
    in_group: bool = False


QUESTION = pytest.StashKey[Question]()


def question_of(item: pytest.Item) -> Question | None:
    """Return what an item asks, None for an item that is none of ours."""
    return item.stash.get(QUESTION, None)


def leave_undecided(question: Question, reason: str) -> NoReturn:
    """Skip an item whose law stayed undecided, or fail it where a run is strict."""
    __tracebackhide__ = True
    if question.plan.strict or find_profile(question.plan.profile).strict:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
