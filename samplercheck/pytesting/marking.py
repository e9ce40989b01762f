"""``parametrize_with_laws``: what a test module says of its targets.

Called by users' test modules while pytest collects them. A target that is given as text is not
imported before its laws are run. Imports values, laws and targets; pytest when the decorator is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.engine.plan import Plan
from samplercheck.laws.law import Law
from samplercheck.laws.selection import find_law, in_order, select_laws
from samplercheck.running.config.known import KnownFailure
from samplercheck.running.config.settings import Chosen, layer
from samplercheck.search.profiles import find_profile
from samplercheck.values.choices import ProfileName, WorldName
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.worlds import check_world

if TYPE_CHECKING:
    import pytest

    from samplercheck.targets.target import Target

    KnownFailures = Mapping[str, KnownFailure | Iterable[KnownFailure]]

__all__ = ["parametrize_with_laws"]

MARK = "samplercheck_laws"


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

    if not targets:
        raise UsageError("No target is given: write parametrize_with_laws('mypkg.samplers:BucketSampler').")
    if known_failures and len(targets) > 1:
        raise UsageError(
            f"Known failures belong to one target and {len(targets)} are given: "
            "give each a test function of its own."
        )
    names = (worlds,) if isinstance(worlds, str) else None if worlds is None else tuple(worlds)
    check_worlds(names or ())
    if profile is not None:
        find_profile(profile)
    laws, skipped = select_laws(select, skip)
    everything = sorted((*laws, *(law for law, _ in skipped.values())), key=lambda law: in_order(law.code))
    reasons = {code: reason for code, (_, reason) in skipped.items()}
    plans = [Plan(target=one, contract=contract, axes=axes) for one in targets]
    suite = LawSuite(
        plans=tuple(plan if isinstance(plan.target, str) else plan.resolve() for plan in plans),
        laws=tuple(everything),
        skipped=reasons,
        known=_group_known(known_failures or {}, everything, reasons),
        said=layer("the test", {"profile": profile, "worlds": names, "strict": strict}),
    )
    mark: pytest.MarkDecorator = getattr(pytest.mark, MARK)
    return mark.with_args(suite)


def check_worlds(names: Iterable[str]) -> None:
    """Refuse the name of a world that does not exist."""
    for name in names:
        if name != "auto":
            check_world(name)


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
