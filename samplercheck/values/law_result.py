"""Law result: what a run says of one law, with the failure of a broken one.

Made by the engine, a part of the report. Imports the values below it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samplercheck.values import report_form as form
from samplercheck.values.case import Case
from samplercheck.values.failure_form import FailureData, ViolationData
from samplercheck.values.finding import Failure, Outcome, Violation
from samplercheck.values.scene import Scene
from samplercheck.values.tally import LawTally

if TYPE_CHECKING:
    from samplercheck.laws.law import Law


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
