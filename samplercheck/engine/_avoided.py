"""Avoided: cases that no training has, or like those in which a target hung, which are left out.

Kept by the search. Every hang takes seconds, so that a few end a search. Where a condition is true of the
cases that hung and of no other one, what meets it is left out instead, until as many others have hung.
Nor is a batch that ranks share tried on more ranks than it has samples.
"""

from __future__ import annotations

from collections.abc import Callable

from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.values.case import Case
from samplercheck.values.sizes import OwnBatch


class Avoided:
    """The cases that are left out, and the condition that is true of them; ``find`` looks for it, once.

    ``without_part`` are those whose ranks are too many for a batch of the target's ``own``.
    """

    def __init__(self, own: OwnBatch) -> None:
        self.own = own
        self.without_part: list[Case] = []
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
        if not self.own.reaches(case.world_size):
            self.without_part.append(case)
        elif self._meets_region(case):
            self.cases.append(case)
        else:
            return False
        return True

    def holds_of(self, case: Case) -> bool:
        """Whether a case is one of those that are left out."""
        return not self.own.reaches(case.world_size) or self._meets_region(case)

    def _meets_region(self, case: Case) -> bool:
        return self.region is not None and bool(case.length) and bool(self.region.covers(Table([case]))[0])
