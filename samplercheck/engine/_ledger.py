"""Ledger: what became of every law in every case, on a page for each law.

Filled by the engine while it searches, read when the report is made.
"""

from __future__ import annotations

from collections import Counter

from samplercheck.engine._judging import LawVerdict, part_for
from samplercheck.engine._page import Page, Witness
from samplercheck.laws.law import Law
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.scope_map import Place, ScopeCell, cells_of
from samplercheck.values.trace import Trace


class Ledger:
    """The pages of all laws of a run, and the cases of its small scope in the order they were tried in.

    ``advised`` are the pages of what only a strict run counts. ``beyond`` are the cases of later phases that
    every law judged in simulation, ``planned`` the places of the small scope, tried or not.
    """

    def __init__(self, laws: tuple[Law, ...]) -> None:
        self.pages = {law.code: Page(law) for law in laws}
        self.advised: dict[str, Page] = {}
        self.small: list[Case] = []
        self.beyond: list[Case] = []
        self.planned: tuple[Place, ...] = ()

    def note(self, page: Page, verdict: LawVerdict, trace: Trace, *, place: int | None, counts: bool) -> None:
        """Enter a verdict on its page, and what only a strict run counts on a page of its own."""
        trace = part_for(page.law, trace)
        page.note(trace.case, verdict, trace, place=place, counts=counts)
        if verdict.advised:
            advised = LawVerdict(Outcome.BROKEN, verdict.advised)
            own = self.advised.setdefault(page.law.code, Page(page.law))
            own.note(trace.case, advised, trace, place=place, counts=counts)

    def wants(self, page: Page, verdict: LawVerdict, trace: Trace, *, counts: bool) -> bool:
        """Whether a verdict that is entered next would keep the trace."""
        wanted = False
        if verdict.outcome is Outcome.BROKEN:
            wanted = page.wants(Witness(trace.case, verdict.violations, trace, counts))
        if verdict.advised:
            own = self.advised.get(page.law.code, Page(page.law))
            wanted |= own.wants(Witness(trace.case, verdict.advised, trace, counts))
        return wanted

    def shows(self, case: Case) -> bool:
        """Whether the trace of a case is kept for some law."""
        pages = (*self.pages.values(), *self.advised.values())
        return any(witness.case is case for page in pages for witness in page.witnesses)

    @property
    def broken(self) -> tuple[Page, ...]:
        """The pages of the laws that some case breaks."""
        return tuple(page for page in self.pages.values() if page.smallest is not None)

    def failing(self, page: Page) -> list[Case]:
        """Return the small cases that break the law of a page."""
        return [self.small[place] for place in page.small.failing]

    def failing_beyond(self, page: Page) -> list[Case]:
        """Return the cases beyond the small scope that break the law of a page."""
        return [self.beyond[place] for place in page.beyond.failing]

    def put_aside(self, page: Page, reason: str) -> None:
        """Leave a law undecided for a reason, whatever was entered of it but how many cases were tried."""
        self.pages[page.law.code] = Page(page.law, tried=page.tried, reasons=Counter([reason]))

    def breaks(self, law: Law) -> bool:
        """Whether some case breaks a law."""
        page = self.pages.get(law.code)
        return page is not None and page.smallest is not None

    @property
    def cells(self) -> tuple[ScopeCell, ...]:
        """The map of the small scope."""
        failing = {code: self.failing(page) for code, page in self.pages.items() if page.failing}
        return cells_of(self.planned, self.small, failing)
