"""Law result: what a run says of one law, with the failure of a broken one, and the tally that decides it.

Made by the engine, a part of the report. A report of a part of the cases keeps its tallies, so that joining
all parts comes to the same outcome as one run of all cases. Imports the values below it alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.values import report_form as form
from samplercheck.values.case import Case
from samplercheck.values.failure_form import FailureData, ViolationData
from samplercheck.values.finding import NOT_HERE, VACUOUS, Failure, Outcome, Violation
from samplercheck.values.scene import Scene
from samplercheck.values.wording import pluralise

if TYPE_CHECKING:
    from samplercheck.laws.law import Law

NEVER_SEEN = "in no case was there anything that it is about"


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
        where = f"not judged in {pluralise(number, 'case')}: " if self.judged or number > 1 else ""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LawResult:
    """What a run says of one law.

    ``judged`` counts the cases in which the law had something to look at, ``broken`` those of the
    small scope in which it was broken, ``unjudged`` those in which the target failed before the law could
    be judged. ``advised`` is what a strict run would call its failure: advice, with the case that shows it.
    ``skipped`` is the reason the caller gave, or empty. In a shard ``tally`` is what others are added to.
    """

    law: Law
    outcome: Outcome
    reason: str = ""
    failure: Failure | None = None
    advice: Violation | None = None
    advised: Failure | None = None
    judged: int = 0
    broken: int = 0
    unjudged: int = 0
    skipped: str = ""
    tally: LawTally | None = None

    @property
    def code(self) -> str:
        """The law's code."""
        return self.law.code

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return form.write(
            form.ResultData,
            self,
            name=self.law.name,
            statement=self.law.statement,
            consequence=self.law.consequence,
            fault=self.law.fault,
            event=self.law.event,
            outcome=self.outcome.value,
            advice=form.write(ViolationData, self.advice) if self.advice else None,
            failure=_write_failure(self.failure) if self.failure else None,
            advised=_write_failure(self.advised) if self.advised else None,
            tally=form.write(form.TallyData, self.tally) if self.tally else None,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any], law_of: Callable[[dict[str, Any]], Law]) -> LawResult:
        """Return the result that ``data`` describes; ``law_of`` finds its law."""
        return form.read(
            form.ResultData,
            cls,
            data,
            law=law_of(data),
            outcome=Outcome(data["outcome"]),
            advice=form.read(ViolationData, Violation, data["advice"]) if data["advice"] else None,
            failure=_read_failure(data["failure"]) if data["failure"] else None,
            # Files of earlier versions have neither this nor what was not judged.
            advised=_read_failure(data["advised"]) if data.get("advised") else None,
            tally=form.read(form.TallyData, LawTally, data["tally"]) if data.get("tally") else None,
        )


def _write_failure(failure: Failure) -> dict[str, Any]:
    case, realistic = failure.case, failure.realistic_case
    return form.write(
        FailureData,
        failure,
        case=case.to_dict(),
        id=case.id,
        token=case.token,
        realistic_case=realistic.to_dict() if realistic else None,
        violations=[form.write(ViolationData, violation) for violation in failure.violations],
        scene=failure.scene.to_dict() if failure.scene else None,
        shown=form.write(ViolationData, failure.shown) if failure.shown else None,
    )


def _read_failure(data: dict[str, Any]) -> Failure:
    realistic = data["realistic_case"]
    violations = tuple(form.read(ViolationData, Violation, one) for one in data["violations"])
    return form.read(
        FailureData,
        Failure,
        data,
        case=Case.from_dict(data["case"]),
        violation=violations[0],
        realistic_case=Case.from_dict(realistic) if realistic else None,
        violations=violations,
        scene=Scene.from_dict(data["scene"]) if data.get("scene") else None,  # format 1 had none
        shown=form.read(ViolationData, Violation, data["shown"]) if data.get("shown") else None,
    )
