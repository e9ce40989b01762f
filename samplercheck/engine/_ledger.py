"""Ledger: what became of every law in every case, on a page for each law.

Filled by the engine while it searches, read when the report is made. Beside it the log of phases: what those
of a search have tried, and how far the one that is going on has come.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from samplercheck.engine._judging import LawVerdict, part_for
from samplercheck.engine._page import Page, Witness
from samplercheck.laws.law import Law
from samplercheck.search.profiles import Progress
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.report import Tried
from samplercheck.values.scope_map import Place, ScopeCell, cells_of
from samplercheck.values.trace import Trace
from samplercheck.values.wording import join_words, pluralise

BEAT, SILENCE = 64, 1.0
EXPLAIN = "explain"
RARELY = 100
"""What is known is put by once a law breaks, else after so many times as long as that took."""
AT_LEAST = 20.0
"""Seconds of each phase of few cases that decide laws, also where the time of the run is up."""


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


class _OfLaw(Protocol):
    @property
    def law(self) -> Law: ...


_Broken = TypeVar("_Broken", bound=_OfLaw)


class PhaseLog:
    """Keeps what each phase has tried beside the ledger, and until when the one that is going on may last.

    ``left_out`` are cases that were not tried. A phase ends at the moment ``end``; ``until`` is that of the
    whole run. ``decided_by`` are the broken laws by which the run ended before its last phase. ``keep`` puts
    by what is known, where the process may not live to tell it.
    """

    def __init__(self, ledger: Ledger, report_progress: Callable[[Progress], None] | None) -> None:
        self.ledger = ledger
        self.tried: list[Tried] = []
        self.left_out: list[Case] = []
        self.until = self.end = math.inf
        self.decided_by: tuple[str, ...] = ()
        self.report_progress = report_progress or (lambda _: None)
        self.keep: Callable[[], None] | None = None
        self._kept = 0, 0.0
        self._told_at = time.monotonic()
        self._judged_before: dict[str, int] = {}
        self._told = 0
        self.about, self._explained = "", (0, 1)

    @property
    def is_late(self) -> bool:
        """Whether the time of the phase that is going on is up."""
        return time.monotonic() > self.end

    def allow(self, seconds: float = AT_LEAST) -> None:
        """Let what follows last as long as the run may, and so many seconds at least."""
        self.end = max(self.until, time.monotonic() + seconds)

    def end_early(self) -> None:
        """Leave undecided what no case was judged by, as laws are broken whatever later phases show."""
        self.decided_by = tuple(page.law.code for page in self.ledger.broken)
        were = "were" if self.decided_by[1:] else "was"
        why = f"the search ended behind the phase in which {join_words([*self.decided_by])} {were} broken"
        for page in self.ledger.pages.values():
            if not page.judged and page.smallest is None:
                page.cut = why

    def enter_phase(self, name: str, scope: str, done: int, planned: int, started: float) -> None:
        """Write down what a phase did; the cases that were left out belong to none."""
        entered = self._describe(name, scope, done, planned, started)
        self.report_progress(Progress(name, done, entered.planned))
        self._told_at = time.monotonic()
        self.tried.append(entered)
        self._told = len(self.left_out)
        self._judged_before = {code: page.judged for code, page in self.ledger.pages.items()}

    def _describe(self, name: str, scope: str, done: int, planned: int, started: float) -> Tried:
        """Return what a phase did, or has done so far."""
        before = self._judged_before
        return Tried(
            phase=name,
            scope=scope,
            cases=done,
            planned=planned - len(self.left_out) + self._told,
            seconds=time.monotonic() - started,
            judged={code: page.judged - before.get(code, 0) for code, page in self.ledger.pages.items()},
        )

    def put_by(self, name: str, scope: Callable[[], str], done: int, planned: int, started: float) -> None:
        """Let what is known be kept, the phase that is going on included; most often it is not due."""
        if self.keep is None:
            return
        now, broken = time.monotonic(), len(self.ledger.broken)
        if self._kept[0] == broken and now < self._kept[1]:
            return
        self.tried.append(self._describe(name, scope(), done, planned, started))
        try:
            self.keep()
        finally:
            self.tried.pop()
        after = time.monotonic()
        self._kept = broken, after + RARELY * (after - now)

    def explain_each(self, broken: Sequence[_Broken]) -> Iterator[_Broken]:
        """Yield the broken laws that are explained, each reported as the one that is."""
        for number, one in enumerate(broken, 1):
            self.about = f"{one.law.code} ({number} of {pluralise(len(broken), 'law')})"
            self.report_progress(Progress(EXPLAIN, *self._explained, about=self.about))
            yield one
        self.about = ""

    def tell(self, name: str, done: int, planned: int, beat: int = BEAT) -> None:
        """Report progress every ``beat`` cases, or sooner."""
        if done % beat == 0 or time.monotonic() - self._told_at > SILENCE:
            self._explained = (done, planned) if name == EXPLAIN else (0, 1)
            self.report_progress(Progress(name, done, planned, about=self.about))
            self._told_at = time.monotonic()
