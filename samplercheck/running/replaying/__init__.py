"""Replaying: stored failures and cases named by a token are run again, three times in fresh processes.

The public ``sc.replay`` and the verb ``samplercheck replay``, which also writes a regression test of what was
replayed. Here neither torch nor a target is imported, but for the report of ``sc.replay``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.engine.plan import Plan
from samplercheck.running.replaying._baseline import compare_with_known, prune_fixed
from samplercheck.running.replaying._naming import (
    find_target,
    is_of_user,
    named_as,
    refused_reference,
    say_other_contract,
)
from samplercheck.running.replaying._rounds import ROUNDS, run_rounds
from samplercheck.running.replaying._subjects import ReplayCase, Unreadable, cases_of, check_size
from samplercheck.running.replaying._verdicts import ReplayVerdict, merge, verdict_on_error, verdicts_of
from samplercheck.search.profiles import Show
from samplercheck.storage.store import Store
from samplercheck.targets.locate import relocate
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import SamplerCheckError, StoreError, UsageError
from samplercheck.values.layout import printable, wrap
from samplercheck.values.report import Report
from samplercheck.worlds import SIMULATED, check_world

if TYPE_CHECKING:
    from samplercheck.targets.target import Target

__all__ = [
    "ReplayVerdict",
    "Unreadable",
    "cases_of",
    "compare_with_known",
    "prune_fixed",
    "regression_test",
    "replay",
    "replay_all",
    "select_cases",
]

HEAD = '"""Cases in which a sampler has failed; written by samplercheck replay --emit-test."""\n\n'
DOC_WIDTH = 100


def replay(
    case_or_token_or_file: Case | str | Path,
    target: Target | Callable[..., Any] | str | None = None,
    *,
    world: str | None = None,
) -> Report:
    """Run one case again, three times in fresh processes, and return the worst of the three reports.

    The case is a ``Case``, a token (``"n=3,world=2,batch=1"`` for all laws, ``"SC104?n=3,world=2,batch=1"``
    for one), the file of a stored case or its id. Only a stored case knows its target, and it is not
    asked unless the project's configuration or tests name that target as well, or the file was
    written by a run of yours; otherwise name it by ``target``. Ranks run where the case has failed,
    and else are simulated; ``world`` names another place ("gloo"). Where the runs disagree the notes of
    the report say so.
    """
    store = Store.nearest(Path.cwd())
    subjects = _subjects_to_merge(case_or_token_or_file, target, store)
    for subject in subjects:
        check_size(subject, is_own=is_of_user(subject, store.project))
    plans = [_plan(subject, target, store.project, world=world) for subject in subjects]
    same = [_is_as_recorded(*pair, store.project) for pair in zip(subjects, plans, strict=True)]
    return merge(subjects, run_rounds(plans), same)


def _subjects_to_merge(
    given: Case | str | Path, target: Target | Callable[..., Any] | str | None, store: Store
) -> list[ReplayCase]:
    """Return what one call is about: one case, of a file all its laws for one target."""
    if isinstance(given, Case):
        return [ReplayCase(case=given)]
    if not isinstance(given, (str, Path)):
        raise UsageError(f"{given!r} cannot be replayed: name a Case, a token, a file or a stored case's id.")
    named_text = target if isinstance(target, str) else getattr(target, "name", None)
    found = select_cases(cases_of(str(given), store), named_text)
    unreadable = [one for one in found if isinstance(one, Unreadable)]
    if unreadable:
        raise StoreError(unreadable[0].why)
    subjects = [one for one in found if isinstance(one, ReplayCase)]
    if len({(one.case, one.breach.target if one.breach else "") for one in subjects}) != 1:
        raise UsageError(
            f"{str(given)!r} holds {len(subjects)} failures of several cases or targets: name one case, and "
            "its target."
        )
    return subjects


def select_cases(
    subjects: Iterable[ReplayCase | Unreadable], target: str | None
) -> list[ReplayCase | Unreadable]:
    """Return those subjects that are about a target; all of them where none is, and it takes their place."""
    everything = list(subjects)
    about = [
        one
        for one in everything
        if isinstance(one, Unreadable)
        or (one.breach is not None and target in (one.breach.target, one.breach.place))
    ]
    return about if any(isinstance(one, ReplayCase) for one in about) else everything


def _plan(
    subject: ReplayCase,
    target: Target | Callable[..., Any] | str | None,
    project: Path,
    contract: Mapping[str, Any] | None = None,
    world: str | None = None,
) -> Plan:
    """Return the plan that tries the case by its law alone, in the world in which it failed."""
    place = check_world(world or subject.world)
    if target is None or isinstance(target, str):
        text, recorded = find_target(subject, target, project)
        plan = Plan(target=text, contract={**recorded, **(contract or {})}, changes=True)
    else:
        plan = Plan(target=target)
    return replace(
        plan,
        axes={name: [value] for name, value in subject.case.options},
        profile="quick",
        worlds=(place,),
        select=(subject.law,) if subject.law else (),
        strict=bool(subject.law),  # whatever its grade is, a law that is named is looked at
        cases=(subject.case,),
        before=subject.before,
        experiments=subject.breach.experiments if subject.breach is not None else (),
    )


def _is_as_recorded(subject: ReplayCase, plan: Plan, project: Path) -> bool:
    """Whether a plan runs what was recorded: the target of that text, by that contract, in that world."""
    breach = subject.breach
    if breach is None or not breach.place or not isinstance(plan.target, str):
        return False
    is_there = plan.target in (breach.place, relocate(breach.place, project))
    return is_there and plan.contract == breach.contract and plan.worlds == (subject.world,)


def replay_all(
    subjects: Sequence[ReplayCase | Unreadable],
    target: str | None = None,
    contract: Mapping[str, Any] | None = None,
    project: Path | None = None,
    world: str | None = None,
    *,
    strict: bool = False,
    rounds: int = ROUNDS,
    progress: Show | None = None,
) -> list[ReplayVerdict]:
    """Run subjects again, three times in fresh processes, and return a verdict for each law.

    ``contract`` changes what each was recorded with, ``project`` is the directory of their store and
    ``world`` takes the place of the recorded ones.
    """
    project, cost = project or Path.cwd(), 0
    plans: dict[int, Plan] = {}
    verdicts: dict[int, list[ReplayVerdict]] = {}
    for number, subject in enumerate(subjects):
        try:
            if isinstance(subject, Unreadable):
                raise StoreError(subject.why)
            cost = check_size(subject, is_own=is_of_user(subject, project), before=cost)
            plans[number] = _plan(subject, target, project, contract or {}, world)
        except SamplerCheckError as error:
            verdicts[number] = [verdict_on_error(subject, error)]
    for number, answers in zip(plans, run_rounds(list(plans.values()), rounds, progress), strict=True):
        subject, plan = subjects[number], plans[number]
        assert isinstance(subject, ReplayCase)
        same = _is_as_recorded(subject, plan, project)
        found = verdicts_of(subject, answers, as_recorded=same, strict=strict)
        name = named_as(subject, target, project)
        verdicts[number] = [_with_target(one, plan, name) for one in found]
    return [verdict for number in sorted(verdicts) for verdict in verdicts[number]]


def _with_target(verdict: ReplayVerdict, plan: Plan, name: str) -> ReplayVerdict:
    """Return a verdict that says what was run."""
    promised = plan.contract if isinstance(plan.contract, dict) else {}
    assert isinstance(verdict.subject, ReplayCase)
    has_changed = verdict.failed < max(verdict.runs, 1)
    other = say_other_contract(verdict.subject, promised) if has_changed else ()
    notes = (*verdict.notes, *other, *refused_reference(verdict.subject, promised))
    return replace(verdict, target=name, place=str(plan.target), contract=promised, notes=notes)


def regression_test(verdicts: Sequence[ReplayVerdict], world: str | None = None) -> str:
    """Return a module with a test for each case and law that was decided; of others nothing is written."""
    decided = (one for one in verdicts if one.is_decided)
    tests = [_test(one, one.subject, world) for one in decided if isinstance(one.subject, ReplayCase)]
    if not tests:
        raise UsageError("Nothing of this could be run and judged: there is no test to write.")
    return "\n\n".join([f"{HEAD}import samplercheck as sc\n", *dict.fromkeys(tests)])


def _test(verdict: ReplayVerdict, subject: ReplayCase, world: str | None) -> str:
    """Return one test, of what was run: nothing that a file alone says becomes code."""
    case, place = subject.case, verdict.place
    if subject.before:
        raise UsageError(
            f"The case {case.id} fails only after others in the same process, which no token can say: "
            "commit its file among the known failures instead of a test."
        )
    Contract.of(dict(verdict.contract))  # an unknown field is no keyword
    token = f"{verdict.law}?{case.token}" if verdict.law else case.token
    words = ", ".join(f"{name}={value!a}" for name, value in sorted(verdict.contract.items()))
    there = "" if (world or subject.world) == SIMULATED else f", world={world or subject.world!r}"
    named = f"sc.target({place!a}, contract=sc.Contract({words}))" if words else ascii(place)
    slug = re.sub(r"[^a-z0-9]+", "_", place.rpartition(":")[2].lower()).strip("_")
    lines = [f"def test_{slug}_{verdict.law.lower() or 'all'}_{case.id}():"]
    if subject.breach is not None:
        doc = printable(subject.breach.found).replace("\\", "\\\\").replace('"', "'")
        said = wrap(f"Once: {doc}.", width=DOC_WIDTH, indent=4)
        lines += [f'    """{said[0].strip()}', *said[1:], '    """']
    lines += [
        f"    report = sc.replay({token!a}, target={named}{there})",
        "    report.raise_for_failures()",
        "    assert report.ok, report.outcome",
    ]
    return "\n".join(lines) + "\n"
