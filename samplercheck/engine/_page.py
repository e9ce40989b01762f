"""Page: what became of one law in all cases, and the smallest cases that break it.

A page of the ledger, which fills it; read when laws are explained and the report is made. Holds plain values
and, for the smallest failing cases, their traces.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from samplercheck.engine._judging import LIKE_SMALLER, LawVerdict, has_hung
from samplercheck.explain.conditions import Places
from samplercheck.laws.law import Law, always
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.finding import EvidenceKind, Outcome, Violation
from samplercheck.values.law_result import LawTally
from samplercheck.values.trace import Trace

SIMULATED = "simulated"
MOSTLY = 0.75
"""From so large a share of cases on it is that of most."""
ENOUGH = 2
"""So many batches of each rank make an example; more would be longer to read."""
DIVIDED = "divided"
"""The evidence that ranks are uneven for another reason than a tail."""


def _advice_of(seen: Violation) -> tuple[str, str]:
    return seen.hint, seen.evidence.kind


def is_wide(case: Case) -> bool:
    """Whether a case has what most laws are about: several samples and several ranks."""
    return case.length > 1 and case.world_size > 1


@dataclass(frozen=True, slots=True)
class Witness:
    """A case that breaks a law, with what was seen."""

    case: Case
    violations: tuple[Violation, ...]
    trace: Trace
    is_small: bool

    @property
    def fault(self) -> str:
        """What is wrong in it, where its law does not say the same of all cases."""
        return self.violations[0].fault

    @property
    def is_simulated(self) -> bool:
        """Whether it was seen in simulation."""
        return self.trace.world == SIMULATED

    @property
    def order(self) -> tuple[bool, bool, bool, Case]:
        """Sort key: an empty dataset is told of only where nothing else fails.

        Where a law fails in the small scope its first failure is told, so it is the same in every run of
        that scope. What simulation shows comes before what a group of processes shows: it can be explained.
        """
        return not self.case.length, not self.is_small, not self.is_simulated, self.case


@dataclass(slots=True)
class Page:
    """One law's page: counts over the small scope and the smallest witnesses of any phase.

    ``small`` are places in the ledger's list of small cases, ``beyond`` in that of the cases beyond them.
    ``unjudged`` counts the cases in which a fault of the target left nothing to judge, and ``blockers`` are
    the laws that tell of those faults, but for empty datasets. ``wide`` counts the judged cases of several
    samples and ranks, ``wide_unjudged`` such among the others. ``own`` are failing cases of those that no
    other law wants. ``cut`` says why a part that the law needs was left out. ``faults`` has the places of
    the small cases by what is wrong in them, for laws that name it themselves. ``hints`` counts what small
    cases advise, with its kind, ``larger_hints`` what those beyond them do.
    """

    law: Law
    judged: int = 0
    broken: int = 0
    tried: int = 0
    wide: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unjudged: Counter[str] = field(default_factory=Counter)
    wide_unjudged: int = 0
    blockers: set[str] = field(default_factory=set)
    smallest: Witness | None = None
    realistic: Witness | None = None
    advice: Violation | None = None
    cut: str = ""
    small: Places = field(default_factory=Places)
    beyond: Places = field(default_factory=Places)
    own: list[Case] = field(default_factory=list)
    faults: dict[str, list[int]] = field(default_factory=dict)
    hints: Counter[tuple[str, str]] = field(default_factory=Counter)
    larger_hints: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def witnesses(self) -> list[Witness]:
        """The smallest cases that break the law: the first of all, and of those that look like training."""
        return [witness for witness in (self.smallest, self.realistic) if witness is not None]

    @property
    def example(self) -> Witness | None:
        """The witness that is shown of the law: one that looks like training, where there is such.

        A hang is shown, and not what yields on without an end: that may be meant.
        """
        hangs = self.smallest is not None and has_hung(self.smallest.trace)
        is_like_it = self.realistic is not None and (not hangs or has_hung(self.realistic.trace))
        return self.realistic if is_like_it else self.smallest

    @property
    def shown(self) -> list[Violation]:
        """What was seen first in the smallest cases that break the law."""
        return [witness.violations[0] for witness in self.witnesses]

    @property
    def kinds(self) -> set[EvidenceKind]:
        """The kinds of evidence of what is shown."""
        return {seen.evidence.kind for seen in self.shown}

    def advise(self, first: Violation) -> str:
        """Return the hint of a small case, or that of most: its own may fit the smallest datasets alone.

        Where its own, of what may be meant, fits few, any other is better. Where some are uneven without a
        tail, it is not about tails; and where a small case has as many samples as ranks, not about fewer.
        """
        shown = _advice_of(first)
        hints = self.hints or self.larger_hints
        own = shown if shown[1] == DIVIDED else next((one for one in hints if one[1] == DIVIDED), shown)
        others = {one: number for one, number in hints.items() if one[1] not in ("meant", "smaller")}
        enough = MOSTLY * hints.total()
        if own[1] == DIVIDED or not others or hints[own] >= enough:
            return own[0]
        usual = max(others, key=lambda one: others[one])
        return usual[0] if own[1] == "meant" or others[usual] >= enough else own[0]

    @property
    def failing(self) -> list[int]:
        """The places of the small cases that break the law."""
        return self.small.failing

    def sum_up(self, cut: str, contract: Contract) -> LawTally:
        """Return what decides the law's outcome; ``cut`` says why the search is not complete."""
        on_sight = self.law.on_sight
        return LawTally(
            judged=self.judged,
            tried=self.tried,
            wide=self.wide,
            wide_unjudged=self.wide_unjudged,
            reasons=dict(self.reasons),
            unjudged=dict(self.unjudged),
            blockers=tuple(sorted(self.blockers)),
            cut=cut or self.cut,
            on_sight=on_sight(contract) if callable(on_sight) else on_sight,
            in_small_scope=self.smallest is not None and self.smallest.is_small,
        )

    def note(self, case: Case, verdict: LawVerdict, trace: Trace, *, place: int | None, counts: bool) -> None:
        """Enter a verdict; ``place`` is the case's in its list, which ``counts`` as the small scope."""
        places = self.small if counts else self.beyond
        self.tried += counts and verdict is not LIKE_SMALLER
        if verdict.outcome is Outcome.NOT_APPLICABLE:
            return
        if verdict.outcome is Outcome.UNKNOWN:
            self._pass_over(case, verdict)
            places.undecided += [] if place is None else [place]
            return
        self.judged += 1
        self.wide += is_wide(case)
        if verdict.advised and place is not None:  # says nothing of where the law fails
            places.undecided.append(place)
        if verdict.outcome is Outcome.BROKEN:
            self.broken += counts
            places.failing += [] if place is None else [place]
            if place is not None:
                (self.hints if counts else self.larger_hints)[_advice_of(verdict.violations[0])] += 1
            if counts and place is not None:
                self.faults.setdefault(verdict.violations[0].fault, []).append(place)
            self.own += [] if counts or self.law.wants is always else [case]
            self._witness(Witness(case, verdict.violations, trace, counts))

    def take_back(self, case: Case) -> None:
        """Forget that the law held in a small case, of which something else is entered next."""
        self.judged -= 1
        self.wide -= is_wide(case)
        self.tried -= 1

    def sort(self) -> None:
        """Put places in order, after some were entered again."""
        for places in (self.small.failing, self.small.undecided, *self.faults.values()):
            places.sort()

    def _pass_over(self, case: Case, verdict: LawVerdict) -> None:
        if not verdict.blocked:
            self.reasons[verdict.reason] += 1
            return
        self.unjudged[verdict.reason] += 1
        self.wide_unjudged += is_wide(case)
        self.blockers |= {verdict.blocked} if case.length else set()

    def _witness(self, witness: Witness) -> None:
        if self._is_smaller(witness):
            self.smallest = witness
        if self._is_clearer(witness):
            self.realistic = witness

    def wants(self, witness: Witness) -> bool:
        """Whether a witness would be kept, and its trace shown."""
        return self._is_smaller(witness) or self._is_clearer(witness)

    def _is_smaller(self, witness: Witness) -> bool:
        return self.smallest is None or witness.order < self.smallest.order

    def _is_clearer(self, witness: Witness) -> bool:
        """Whether it is the better example of what looks like training."""
        if not witness.case.is_realistic:
            return False
        return self.realistic is None or self._rate(witness) < self._rate(self.realistic)

    def _rate(self, witness: Witness) -> tuple[bool, bool, bool, int, Case]:
        """Sort key of examples: failing as the smallest, several ranks or one where orders tell, batches."""
        case = witness.case
        is_other = self.smallest is not None and witness.fault != self.smallest.fault
        is_alone = case.world_size == 1
        few = -min(case.length // (case.world_size * case.batch_size), ENOUGH)
        return is_other, not witness.is_small, is_alone != (self.law.picture == "orders"), few, case
