"""Avoided: cases like those in which a target hung, which are left out so that the others can be tried.

Kept by the search. Every hang takes seconds, so that a few end a search. Where a condition is true of the
cases that hung and of no other one, what meets it is left out instead, until as many others have hung.
"""

from __future__ import annotations

from collections.abc import Callable

from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.values.case import Case


class Avoided:
    """The cases that are left out, and the condition that is true of them; ``find`` looks for it, once."""

    def __init__(self) -> None:
        self.find: Callable[[], Region | None] = lambda: None
        self.region: Region | None = None
        self.cases: list[Case] = []
        self._was_looked_for = False

    @property
    def text(self) -> str:
        """The condition, as a reader writes it."""
        return "" if self.region is None else self.region.text

    def is_found(self) -> bool:
        """Look for the condition, unless that was done before; whether it was found just now."""
        if self._was_looked_for:
            return False
        self._was_looked_for = True
        self.region = self.find()
        return self.region is not None

    def takes(self, case: Case) -> bool:
        """Whether a case is left out, which is noted."""
        if is_taken := self.holds_of(case):
            self.cases.append(case)
        return is_taken

    def holds_of(self, case: Case) -> bool:
        """Whether a case meets the condition."""
        return self.region is not None and bool(case.length) and bool(self.region.covers(Table([case]))[0])
