"""Inquiry: one broken law while it is explained, with where it fails and what judges more cases by it.

Made by explaining for each law, and asked by all that finds out where and why it fails.
"""

from __future__ import annotations

from dataclasses import dataclass

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import Page, Witness
from samplercheck.engine._search import Search
from samplercheck.laws.law import Law
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence, Outcome
from samplercheck.values.trace import Trace


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A law that some case breaks, in the search that has found it; what is run for it enters no ledger."""

    search: Search
    case_judge: CaseJudge
    page: Page

    @property
    def law(self) -> Law:
        """The law itself."""
        return self.page.law

    @property
    def code(self) -> str:
        """The law's code."""
        return self.page.law.code

    @property
    def smallest(self) -> Witness:
        """The smallest case that breaks it."""
        assert self.page.smallest is not None, "an inquiry is made of a law that is broken"
        return self.page.smallest

    @property
    def example(self) -> Witness:
        """The case that is shown of it."""
        return self.page.example or self.smallest

    @property
    def evidence(self) -> Evidence:
        """What the smallest case shows, as data."""
        return self.smallest.violations[0].evidence

    @property
    def failing(self) -> list[Case]:
        """The small cases that break it."""
        return self.search.ledger.failing(self.page)

    @property
    def holding(self) -> list[Case]:
        """The small cases of which it is known that they keep it."""
        aside = {*self.page.small.failing, *self.page.small.undecided}
        return [case for place, case in enumerate(self.search.ledger.small) if place not in aside]

    @property
    def failing_beyond(self) -> list[Case]:
        """The larger cases that break it."""
        return self.search.ledger.failing_beyond(self.page)

    def judge(self, case: Case) -> Outcome:
        """Return what the law says of a case."""
        return self.case_judge.outcome(self.law, self.search.binding, case)

    def is_broken_in(self, case: Case) -> bool | None:
        """Whether a case breaks it; None where nobody can say, or there is nothing that it is about."""
        return {Outcome.BROKEN: True, Outcome.HOLDS: False}.get(self.judge(case))

    def run(self, case: Case) -> Trace | None:
        """Run a case as the law wants it and return what was recorded, unless nothing more is run."""
        return self.case_judge.run_unjudged(self.law, self.search.binding, case)
