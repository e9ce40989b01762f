"""Replaying: stored failures and cases named by a token are run again, three times in fresh processes.

The public ``sc.replay`` and the verb ``samplercheck replay``. Here neither torch nor a target is imported,
but for the report of ``sc.replay``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.case import Case
from samplercheck.errors import SamplerCheckError, StoreError, UsageError
from samplercheck.replaying._baseline import with_baseline
from samplercheck.replaying._naming import named
from samplercheck.replaying._pruning import prune_fixed
from samplercheck.replaying._regression import regression_test
from samplercheck.replaying._rounds import Trial, run_rounds
from samplercheck.replaying._subjects import Subject, Unreadable, check_size, subjects_of
from samplercheck.replaying._verdicts import Verdict, refused, verdicts_of
from samplercheck.store import Store
from samplercheck.worlds import check_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from samplercheck.report import Report
    from samplercheck.targets import Target

__all__ = [
    "Unreadable",
    "Verdict",
    "chosen",
    "prune_fixed",
    "regression_test",
    "replay",
    "replay_all",
    "subjects_of",
    "with_baseline",
]


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
    from samplercheck.replaying._merging import merged

    store = Store.nearest(Path.cwd())
    subjects = _subjects_to_merge(case_or_token_or_file, target, store)
    trials = [_trial(one, target, store.project, world=world) for one in subjects]
    return merged(subjects, run_rounds(trials))


def _subjects_to_merge(
    given: Case | str | Path, target: Target | Callable[..., Any] | str | None, store: Store
) -> list[Subject]:
    """Return what one call is about: one case, of a file all its laws for one target."""
    if isinstance(given, Case):
        return [Subject(case=given)]
    if not isinstance(given, (str, Path)):
        raise UsageError(f"{given!r} cannot be replayed: name a Case, a token, a file or a stored case's id.")
    named_text = target if isinstance(target, str) else getattr(target, "name", None)
    found = chosen(subjects_of(str(given), store), named_text)
    unreadable = [one for one in found if isinstance(one, Unreadable)]
    if unreadable:
        raise StoreError(unreadable[0].why)
    subjects = [one for one in found if isinstance(one, Subject)]
    if len({(one.case, one.breach.target if one.breach else "") for one in subjects}) != 1:
        raise UsageError(
            f"{str(given)!r} holds {len(subjects)} failures of several cases or targets: name one case, and "
            "its target."
        )
    return subjects


def chosen(subjects: Iterable[Subject | Unreadable], target: str | None) -> list[Subject | Unreadable]:
    """Return those subjects that are about a target; all of them where none is, and it takes their place."""
    everything = list(subjects)
    about = [
        one
        for one in everything
        if isinstance(one, Unreadable)
        or (one.breach is not None and target in (one.breach.target, one.breach.place))
    ]
    return about if any(isinstance(one, Subject) for one in about) else everything


def _trial(
    subject: Subject,
    target: Target | Callable[..., Any] | str | None,
    project: Path,
    contract: Mapping[str, Any] | None = None,
    world: str | None = None,
) -> Trial:
    check_size(subject)
    place = check_world(world or subject.world)
    if target is None or isinstance(target, str):
        found = named(subject, target, project)
        return Trial.of(subject, replace(found, contract={**found.contract, **(contract or {})}), place)
    from samplercheck.supervision import question_of_call

    call = {
        "target": target,
        "contract": None,
        "axes": {name: [value] for name, value in subject.case.options},
        "profile": "quick",
        "worlds": (place,),
        "select": (subject.law,) if subject.law else (),
        "cases": (subject.case,),
    }
    return Trial(subject=subject, world=place, question=question_of_call(call))


def replay_all(
    subjects: Sequence[Subject | Unreadable],
    target: str | None = None,
    contract: Mapping[str, Any] | None = None,
    project: Path | None = None,
    world: str | None = None,
) -> list[Verdict]:
    """Run subjects again, three times in fresh processes, and return a verdict for each law.

    ``contract`` changes what each was recorded with, ``project`` is the directory of their store and
    ``world`` takes the place of the recorded ones.
    """
    trials: dict[int, Trial] = {}
    verdicts: dict[int, list[Verdict]] = {}
    for number, one in enumerate(subjects):
        try:
            if isinstance(one, Unreadable):
                raise StoreError(one.why)
            trials[number] = _trial(one, target, project or Path.cwd(), contract or {}, world)
        except SamplerCheckError as error:
            verdicts[number] = [refused(one, error)]
    for (number, trial), answers in zip(trials.items(), run_rounds(list(trials.values())), strict=True):
        found = verdicts_of(trial.subject, answers)
        verdicts[number] = [replace(one, target=target or "") for one in found]
    return [verdict for number in sorted(verdicts) for verdict in verdicts[number]]
