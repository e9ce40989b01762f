"""What becomes of an item whose law stayed undecided: a skip, or a failure under a strict profile.

Called inside the test. Imports profiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from samplercheck.search.profiles import find_profile

if TYPE_CHECKING:
    from samplercheck.pytesting._questions import Question

__all__ = ["leave_undecided"]


def leave_undecided(question: Question, reason: str) -> NoReturn:
    """Skip an item, or fail it where everything has to be decided."""
    __tracebackhide__ = True
    if find_profile(question.subject.profile).strict:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
