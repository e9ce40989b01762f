"""Question: what one item asks, whether this law holds of this subject.

Made with the items, answered by runs. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samplercheck.contract import Contract
    from samplercheck.laws.law import Law
    from samplercheck.marking import KnownFailure
    from samplercheck.targets import Target

__all__ = ["QUESTION", "Question", "Subject", "question_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """A target and how it is judged. Items of one subject may share a run; no two subjects do."""

    target: Target | str
    contract: Contract | None
    axes: Mapping[str, Any] | None
    profile: str
    worlds: tuple[str, ...] | None
    seed: int
    max_time: float | None = None
    max_cases: int | None = None

    @property
    def name(self) -> str:
        """The target's name."""
        return self.target if isinstance(self.target, str) else self.target.name


@dataclass(frozen=True, kw_only=True)
class Question:
    """What one item asks; ``in_group`` says that process groups have to answer.

    With ``known`` entries it asks for their cases and for no others. What is ``skipped`` is listed
    with this reason and not run.
    """

    subject: Subject
    law: Law
    known: tuple[KnownFailure, ...] = ()
    skipped: str = ""
    in_group: bool = False


QUESTION = pytest.StashKey[Question]()


def question_of(item: pytest.Item) -> Question | None:
    """Return what an item asks, None for an item that is none of ours."""
    return item.stash.get(QUESTION, None)
