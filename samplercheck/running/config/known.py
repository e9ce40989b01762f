"""Known failures: a case in which a law is known to be broken, how it is run, and what its result means.

Declared by tests (``samplercheck.known``) and in pyproject.toml; the command line and pytest judge them
alike. Read with the configuration: imports neither laws nor the engine before an entry is used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Literal

from samplercheck.values.case import Case, is_case_id
from samplercheck.values.errors import CaseError, UsageError
from samplercheck.worlds import GROUPS

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan
    from samplercheck.storage.case_file import Breach
    from samplercheck.storage.store import Store

__all__ = ["KnownFailure", "known", "standing_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFailure:
    """A case in which a law is known to be broken: the id of a stored case, or a token."""

    case: str
    reason: str
    until: date | None = None

    @property
    def is_id(self) -> bool:
        """Whether the case has to be looked up among the stored ones."""
        return is_case_id(self.case)

    @property
    def text(self) -> str:
        """The entry in words, as reports show it."""
        end = f" (until {self.until.isoformat()})" if self.until else ""
        return f"known failure {self.case}: {self.reason}{end}"

    def check_date(self, today: date) -> None:
        """Refuse an entry whose date is past."""
        if self.until is not None and today > self.until:
            raise UsageError(
                f"{self.text} is past its date: fix the target and remove the entry, or give it another date."
            )

    def find_case(self, store: Store) -> Case:
        """Return the case; the id of one that is not stored is an error."""
        if not self.is_id:
            return Case.parse(self.case)
        case = store.find(self.case)
        if case is None:
            raise UsageError(
                f"{self.text}: no case with this id is stored in {store.directory}. "
                f"Commit {store.known / self.case}.json, or write the token of the case instead of its id."
            )
        return case

    def plan_alone(self, plan: Plan, law: str, store: Store) -> Plan:
        """Return the plan that tries this case alone, as it was seen to fail, whatever its grade is."""
        alone = replace(plan, cases=(self.find_case(store),), select=(law,), skip={}, store=None, strict=True)
        breach = self._find_breach(plan.name, law, store)
        if breach is None:
            return alone
        return replace(
            alone,
            experiments=breach.experiments,
            before=tuple(map(Case.parse, breach.before)),
            worlds=(breach.world,) if breach.world in GROUPS else plan.worlds,
        )

    def _find_breach(self, target: str, law: str, store: Store) -> Breach | None:
        """Return what is stored of how the law fails in this case.

        A file may hold the failures of several targets: that of the target in question says most.
        """
        from samplercheck.laws.selection import find_law
        from samplercheck.storage.case_file import read_case

        if not self.is_id:
            return None
        code = find_law(law).code
        stored = map(read_case, store.paths_of(self.case))
        breaches = [breach for found in stored for breach in found.broken if breach.law == code]
        own = [breach for breach in breaches if target in (breach.target, breach.place)]
        return next(iter(own or breaches), None)


def known(case: str, *, reason: str, until: str | date | None = None) -> KnownFailure:
    """Return an entry for ``known_failures``: in this case, and for this reason, a law is broken.

    ``case`` is the id of a stored case (``q7m2xw9k``) or a token (``n=3,world=2,batch=1``), which
    needs no file. From the day after ``until`` (``2027-01-31``) the entry is an error.
    """
    case = str(case).strip()
    if not is_case_id(case):
        try:
            case = Case.parse(case).token
        except CaseError as error:
            raise CaseError(
                f"known({case!r}) names no case: {error} "
                "Write the eight letters of a stored case, or a token such as 'n=3,world=2,batch=1'."
            ) from None
    if not str(reason or "").strip():
        raise UsageError(f"known({case!r}) needs a reason, which reports show: reason='issue #123'.")
    return KnownFailure(case=case, reason=reason.strip(), until=_day(until))


def standing_of(outcome: str, reason: str) -> Literal["fails", "stale", "undecided"]:
    """Return what the result of its case means for an entry; a case without anything to judge is stale."""
    from samplercheck.values.finding import VACUOUS

    if outcome == "broken":
        return "fails"
    return "undecided" if outcome == "unknown" and reason != VACUOUS else "stale"


def _day(until: str | date | None) -> date | None:
    if until is None or type(until) is date:
        return until
    try:
        return date.fromisoformat(until)  # type: ignore[arg-type]  # a file may say anything
    except (TypeError, ValueError):
        raise UsageError(f"until={until!r} is no date: write it as '2027-01-31'.") from None
