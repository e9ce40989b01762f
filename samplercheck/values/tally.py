"""Law tally: in how many cases a law was judged, or was not and why; and the outcome that follows.

Made of the ledger's pages by the engine. A report of a part of the cases keeps it, so that joining all parts
comes to the same outcome as one run of all cases. Imports values alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from samplercheck.values.finding import VACUOUS, Outcome

NEVER_SEEN = "in no case was there anything that it is about"
NOT_HERE = "not checked: no case of this shard exercised it"
"""The reason of a law that a shard had nothing for; another shard may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawTally:
    """What became of one law in all cases of a run, but for where it is broken.

    ``unjudged`` counts by their reason the cases in which a fault of the target left nothing to judge,
    ``blockers`` are the laws that tell of those faults; ``reasons`` counts what else left it undecided.
    ``wide`` and ``wide_unjudged`` count such cases of several samples and ranks, ``tried`` those of the small
    scope. ``cut`` says why a part that the law needs was left out; a law ``on_sight`` is about something that
    a target need not have. ``in_small_scope`` says of a broken law that its smallest case is in it.
    """

    judged: int = 0
    tried: int = 0
    wide: int = 0
    wide_unjudged: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    unjudged: Mapping[str, int] = field(default_factory=dict)
    blockers: tuple[str, ...] = ()
    cut: str = ""
    on_sight: bool = False
    in_small_scope: bool = False

    def outcome(self, told: frozenset[str], *, is_broken: bool, is_part: bool = False) -> tuple[Outcome, str]:
        """Return the outcome and its reason: the worst wins; what was never looked at is unknown.

        Where the target failed in some cases a law is judged by the others, if among these are such with
        several samples and ranks, and if the run tells of the failures: their laws are among those that are
        ``told``. In a ``part`` of the cases nothing that was never seen is said not to be there.
        """
        if is_broken:
            return Outcome.BROKEN, self._why_not(self.unjudged)
        if self.reasons:
            return Outcome.UNKNOWN, self._why_not(self.reasons)
        if self.cut:
            return Outcome.UNKNOWN, self.cut
        is_seen = self.wide > 0 or (self.judged > 0 and not self.wide_unjudged)
        if self.unjudged and not (is_seen and told.issuperset(self.blockers)):
            return Outcome.UNKNOWN, self._why_not(self.unjudged)
        if self.judged:
            return Outcome.HOLDS, self._why_not(self.unjudged)
        nothing = (Outcome.NOT_APPLICABLE, NEVER_SEEN) if self.on_sight else (Outcome.UNKNOWN, VACUOUS)
        return (Outcome.UNKNOWN, NOT_HERE) if is_part else nothing

    def _why_not(self, reasons: Mapping[str, int]) -> str:
        """Say in how many cases a law was not judged, and why not; nothing where it was judged in all."""
        if not reasons:
            return ""
        number = sum(reasons.values())
        where = f"not judged in {number} cases: " if self.judged or number > 1 else ""
        return where + Counter(reasons).most_common(1)[0][0]

    def add(self, other: LawTally) -> LawTally:
        """Return the tally of both parts."""
        return LawTally(
            judged=self.judged + other.judged,
            tried=self.tried + other.tried,
            wide=self.wide + other.wide,
            wide_unjudged=self.wide_unjudged + other.wide_unjudged,
            reasons=dict(Counter(self.reasons) + Counter(other.reasons)),
            unjudged=dict(Counter(self.unjudged) + Counter(other.unjudged)),
            blockers=tuple(sorted({*self.blockers, *other.blockers})),
            cut=self.cut or other.cut,
            on_sight=self.on_sight,
            in_small_scope=self.in_small_scope or other.in_small_scope,
        )
