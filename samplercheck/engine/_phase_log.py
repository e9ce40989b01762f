"""Phase log: what the phases of a search have tried, and how far the one that is going on has come.

A part of the search, which goes through the phases.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from samplercheck.engine._ledger import Ledger
from samplercheck.search.profiles import Progress
from samplercheck.values.case import Case
from samplercheck.values.report import Tried
from samplercheck.values.wording import join_words

BEAT = 64
AT_LEAST = 20.0
"""Seconds of each phase of few cases that decide laws, also where the time of the run is up."""


class PhaseLog:
    """Keeps what each phase has tried beside the ledger, and until when the one that is going on may last.

    ``left_out`` are cases that were not tried. A phase ends at the moment ``end``; ``until`` is that of the
    whole run. ``decided_by`` are the broken laws by which the run ended before its last phase.
    """

    def __init__(self, ledger: Ledger, report_progress: Callable[[Progress], None] | None) -> None:
        self.ledger = ledger
        self.tried: list[Tried] = []
        self.left_out: list[Case] = []
        self.until = self.end = math.inf
        self.decided_by: tuple[str, ...] = ()
        self.report_progress = report_progress or (lambda _: None)
        self._judged_before: dict[str, int] = {}
        self._told = 0

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
        planned -= len(self.left_out) - self._told
        self._told = len(self.left_out)
        self.report_progress(Progress(name, done, planned))
        seconds = time.monotonic() - started
        judged = {code: page.judged for code, page in self.ledger.pages.items()}
        new = {code: number - self._judged_before.get(code, 0) for code, number in judged.items()}
        self._judged_before = judged
        self.tried.append(
            Tried(phase=name, scope=scope, cases=done, planned=planned, seconds=seconds, judged=new)
        )

    def beat(self, name: str, done: int, planned: int) -> None:
        """Report progress from a phase that drives itself."""
        if done % BEAT == 0:
            self.report_progress(Progress(name, done, planned))
