"""Tiers: what the README's command runs in minutes, what CI adds to it, and what the nightly run adds then.

A test that takes about a second is ``thorough``, one that takes more than ten is ``slow``. Of a long row of
like cases the first tier has a part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from _pytest.mark import ParameterSet

EACH = 3
THOROUGH = pytest.mark.thorough


def thin_out(
    cases: Iterable[ParameterSet], costly: Container[str | None] = (), each: int = EACH
) -> list[ParameterSet]:
    """Return the cases: ``each`` third is in the first tier; the others, and costly ones, are thorough."""
    return [
        pytest.param(*case.values, id=case.id, marks=(*case.marks, THOROUGH))
        if number % each or case.id in costly
        else case
        for number, case in enumerate(cases)
    ]

