"""``parametrize_with_laws`` and ``known``: what a test module says of its targets.

Called by users' test modules while pytest collects them. A target that is given as text is not
imported before its laws are run. Imports values, laws and targets; pytest when the decorator is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from samplercheck.engine.plan import Plan
from samplercheck.laws.law import Law
from samplercheck.laws.selection import find_law, select_laws
from samplercheck.running.config.settings import Chosen, layer
from samplercheck.search.profiles import find_profile
from samplercheck.storage.case_file import read_case
from samplercheck.values.case import Case
from samplercheck.values.choices import ProfileName, WorldName
from samplercheck.values.contract import Contract
from samplercheck.values.errors import CaseError, UsageError
from samplercheck.worlds import check_world

if TYPE_CHECKING:
    import pytest

    from samplercheck.storage.store import Store
    from samplercheck.targets.target import Target

    KnownFailures = Mapping[str, "KnownFailure | Iterable[KnownFailure]"]

__all__ = ["known", "parametrize_with_laws"]

MARK = "samplercheck_laws"
_ID = re.compile(r"[a-z2-7]{8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFailure:
    """A case in which a law is known to be broken: the id of a stored case, or a token."""

    case: str
    reason: str
    until: date | None = None

    @property
    def is_id(self) -> bool:
        """Whether the case has to be looked up among the stored ones."""
        return _ID.fullmatch(self.case) is not None

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

    def find_company(self, store: Store, law: str) -> dict[str, Any]:
        """Return by which experiments, and after which cases, it is seen to fail: fields of a plan."""
        stored = map(read_case, store.paths_of(self.case) if self.is_id else ())
        for breach in (one for found in stored for one in found.broken if one.law == law):
            return {"experiments": breach.experiments, "before": tuple(map(Case.parse, breach.before))}
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LawSuite:
    """Plans, one for each target, and the laws that are to be test items for each of them.

    ``skipped`` gives a reason for laws that are listed and not run. What the options of the session leave
    open is decided by what the test has ``said``, then by ``settings`` from pyproject.toml.
    """

    plans: tuple[Plan, ...]
    laws: tuple[Law, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, tuple[KnownFailure, ...]] = field(default_factory=dict)
    said: Mapping[str, Chosen] = field(default_factory=dict)
    settings: Mapping[str, Chosen] = field(default_factory=dict)


def known(case: str, *, reason: str, until: str | date | None = None) -> KnownFailure:
    """Return an entry for ``known_failures``: in this case, and for this reason, a law is broken.

    ``case`` is the id of a stored case (``q7m2xw9k``) or a token (``n=3,world=2,batch=1``), which
    needs no file. From the day after ``until`` (``2027-01-31``) the entry is an error.
    """
    case = str(case).strip()
    if not _ID.fullmatch(case):
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


def parametrize_with_laws(
    *targets: Target | Callable[..., Any] | str,
    profile: ProfileName | None = None,
    select: Iterable[str] = (),
    skip: Mapping[str, str] | Iterable[str] = (),
    known_failures: KnownFailures | None = None,
    contract: Contract | None = None,
    axes: Mapping[str, Any] | None = None,
    worlds: Iterable[WorldName] | WorldName | None = None,
    strict: bool | None = None,
) -> pytest.MarkDecorator:
    """Make one test item of each law, for one target or several.

    The test function takes ``law`` and calls it::

        @sc.parametrize_with_laws("mypkg.samplers:BucketSampler", skip={"SC105": "issue 12"})
        def test_bucket(law):
            law()

    ``profile``, ``select``, ``skip``, ``contract``, ``axes``, ``worlds`` and ``strict`` are those of
    ``samplercheck.run``; with ``strict`` a law that stays undecided fails too. ``known_failures`` maps laws
    to ``samplercheck.known(...)``, one or several.
    Items that differ in nothing but the law share one run of the target.
    """
    import pytest

    suite = law_suite(
        targets,
        profile=profile,
        select=select,
        skip=skip,
        known_failures=known_failures,
        contract=contract,
        axes=axes,
        worlds=worlds,
        strict=strict,
    )
    mark: pytest.MarkDecorator = getattr(pytest.mark, MARK)
    return mark.with_args(suite)


def law_suite(  # noqa: PLR0913  (what the decorator takes)
    targets: Iterable[Target | Callable[..., Any] | str],
    *,
    select: Iterable[str] = (),
    skip: Mapping[str, str] | Iterable[str] = (),
    known_failures: KnownFailures | None = None,
    worlds: Iterable[str] | str | None = None,
    profile: str | None = None,
    contract: Contract | None = None,
    axes: Mapping[str, Any] | None = None,
    strict: bool | None = None,
) -> LawSuite:
    """Return the checked suite; what is misspelt is an error that names the nearest."""
    given = tuple(targets)
    if not given:
        raise UsageError("No target is given: write parametrize_with_laws('mypkg.samplers:BucketSampler').")
    if known_failures and len(given) > 1:
        raise UsageError(
            f"Known failures belong to one target and {len(given)} are given: "
            "give each a test function of its own."
        )
    names = (worlds,) if isinstance(worlds, str) else None if worlds is None else tuple(worlds)
    check_worlds(names or ())
    if profile is not None:
        find_profile(profile)
    laws, skipped = select_laws(select, skip)
    everything = sorted((*laws, *(law for law, _ in skipped.values())), key=_place)
    reasons = {code: reason for code, (_, reason) in skipped.items()}
    plans = [Plan(target=one, contract=contract, axes=axes) for one in given]
    return LawSuite(
        plans=tuple(plan if isinstance(plan.target, str) else plan.resolve() for plan in plans),
        laws=tuple(everything),
        skipped=reasons,
        known=_group_known(known_failures or {}, everything, reasons),
        said=layer("the test", {"profile": profile, "worlds": names, "strict": strict}),
    )


def check_worlds(names: Iterable[str]) -> None:
    """Refuse the name of a world that does not exist."""
    for name in names:
        if name != "auto":
            check_world(name)


def _place(law: Law) -> tuple[int, str]:
    return len(law.code), law.code


def _group_known(
    entries: KnownFailures, laws: Iterable[Law], skipped: Mapping[str, str]
) -> dict[str, tuple[KnownFailure, ...]]:
    """Return the known failures of each law; an entry for a law that is not run would check nothing."""
    codes = {law.code for law in laws}
    found: dict[str, tuple[KnownFailure, ...]] = {}
    for name, entry in entries.items():
        law = find_law(name)
        several = (entry,) if isinstance(entry, KnownFailure) else tuple(entry)
        if not several or not all(isinstance(one, KnownFailure) for one in several):
            raise UsageError(
                f"known_failures[{name!r}] is {entry!r}: write samplercheck.known('CASE', reason='issue 1')."
            )
        if law.code in skipped or law.code not in codes:
            raise UsageError(
                f"known_failures[{name!r}] names a law that is not run here: "
                "remove the entry, or run the law."
            )
        found[law.code] = found.get(law.code, ()) + several
    return found


def _day(until: str | date | None) -> date | None:
    if until is None or isinstance(until, date):
        return until
    try:
        return date.fromisoformat(until)
    except (TypeError, ValueError):
        raise UsageError(f"until={until!r} is no date: write it as '2027-01-31'.") from None
