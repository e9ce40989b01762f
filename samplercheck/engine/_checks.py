"""Checks of a case: whether it is left out, which experiments are run of it, and which laws judge it.

Asked by the search for every case. Nearly all laws take every case, a few choose their own; of small cases
that cost too much, all laws judge some, and those that read few passes the others. A hang takes seconds: what
is true of the cases that hung and of no other one is left out, and looked for again when as many others have.
Nor is a batch that ranks share tried on more ranks than it has samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple
from zlib import crc32

from samplercheck.engine._ledger import Ledger
from samplercheck.engine._page import Page
from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.laws.law import Law, always
from samplercheck.search.dear import SELDOM
from samplercheck.targets.features import INNERS
from samplercheck.values.case import Case
from samplercheck.values.sizes import OwnBatch

BRIEF = frozenset({"epochs", "lengths", "reference"})
"""Experiments that are run of every small case, whatever it costs."""
OF_WRAPPERS = frozenset({"wrapped", "counted"})
SHORT = 2
"""Datasets of so many samples are judged by all laws, as most smallest cases lie there; where cases take very
long, of one sample less."""

MOST_FOUND = 3
"""How often a condition of the cases that hang is found, at most."""


class CaseChecks(NamedTuple):
    """The experiments that are run of a case, and the laws that judge it, each with its page."""

    experiments: tuple[str, ...]
    pages: list[tuple[Law, Page]]


class ChecksByCase:
    """The checks of each case by some laws, for a target with ``named`` arguments; ``asked`` are run in any.

    The experiments of those ``beside`` are run too for a law that is about what happens in any.
    """

    def __init__(
        self,
        laws: tuple[Law, ...],
        ledger: Ledger,
        beside: tuple[Law, ...],
        asked: tuple[str, ...],
        named: frozenset[str],
    ) -> None:
        self._ledger, self._beside, self._asked = ledger, beside, asked
        self._is_wrapper = not named.isdisjoint(INNERS)
        self._laws = laws
        self._choosy = tuple(law for law in laws if law.wants is not always)
        plain = tuple(law for law in laws if law.wants is always)
        self.usual = self._checks_by(plain)
        brief = [law for law in plain if BRIEF.issuperset(law.reads)]
        experiments = tuple(name for name in self.usual.experiments if name in BRIEF)
        self._brief = CaseChecks(experiments, [(law, ledger.pages[law.code]) for law in brief])
        self._passed_over = [ledger.pages[law.code] for law in laws if law not in brief]

    def of(self, case: Case, every: int = 1) -> CaseChecks:
        """Return the checks of a case by the laws that want it beside those that take any.

        Of small cases that are dear all laws judge one out of ``every`` so many.
        """
        if is_passed_over(case, every):
            return self._brief
        wanting = tuple(law for law in self._choosy if law.wants(case))
        if not wanting:
            return self.usual
        return self._checks_by(tuple(law for law in self._laws if law.wants is always or law in wanting))

    def pass_over(self, case: Case, place: int, every: int) -> None:
        """Enter which laws say nothing of a small case."""
        if is_passed_over(case, every):
            for page in self._passed_over:
                page.small.undecided.append(place)

    def _checks_by(self, laws: tuple[Law, ...]) -> CaseChecks:
        """Return what is run of a case, and which laws judge it."""
        return CaseChecks(self.experiments_for(laws), [(law, self._ledger.pages[law.code]) for law in laws])

    def experiments_for(self, laws: Iterable[Law]) -> tuple[str, ...]:
        """Return the experiments by which these laws are judged, in the order in which a rank runs them."""
        from samplercheck.experiments import EXPERIMENTS

        asking = tuple(laws)
        hears_all = not self._asked and any(law.hears_all for law in asking)
        read = {name for law in (*asking, *(self._beside if hears_all else ())) for name in law.reads}
        read.update(self._asked)
        read -= set() if self._is_wrapper else OF_WRAPPERS
        return tuple(name for name in EXPERIMENTS if name in read)


def is_passed_over(case: Case, every: int) -> bool:
    """Whether most laws pass a small case over, of which one out of ``every`` so many is judged by all."""
    shortest = SHORT if every < SELDOM else SHORT - 1
    return every > 1 and case.length > shortest and crc32(case.token.encode()) % every != 0


class Avoided:
    """The cases that are left out, and the condition that is true of them; ``find`` looks for it, or more.

    That is done each time as many have hung beside it, while it finds any: so often was it ``found``. Among
    them are also those whose ranks are too many for a batch of the target's ``own``.
    """

    def __init__(self, own: OwnBatch) -> None:
        self.own = own
        self.find: Callable[[], Region | None] = lambda: None
        self.region: Region | None = None
        self.cases: list[Case] = []
        self.found = 0
        self._is_open = True

    @property
    def text(self) -> str:
        """The condition, as a reader writes it."""
        return "" if self.region is None else self.region.text

    def is_found(self) -> bool:
        """Look for the condition, or a wider one, unless that was in vain; whether it was found just now."""
        found = self.find() if self._is_open else None
        self.found += found is not None
        self._is_open = found is not None and self.found < MOST_FOUND
        self.region = found or self.region
        return found is not None

    def takes(self, case: Case) -> bool:
        """Whether a case is left out, which is noted."""
        if is_taken := self.holds_of(case):
            self.cases.append(case)
        return is_taken

    def holds_of(self, case: Case) -> bool:
        """Whether a case is one of those that are left out."""
        if not self.own.reaches(case.world_size):
            return True
        return self.region is not None and bool(case.length) and bool(self.region.covers(Table([case]))[0])
