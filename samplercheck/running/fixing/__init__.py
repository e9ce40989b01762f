"""Fixing: wrappers for a target that breaks laws, each run under the same laws before it is offered.

The verb ``samplercheck fix``. All runs are supervised: here neither torch nor the target is imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samplercheck.engine.plan import Plan
from samplercheck.running.jobs import Plain, pack_plan
from samplercheck.running.supervised import ask_supervised, draft_supervised, run_supervised
from samplercheck.search.profiles import Progress, Show
from samplercheck.values.case import Case
from samplercheck.values.errors import SamplerCheckError
from samplercheck.worlds import SIMULATED
from samplercheck.worlds.processes.private import PrivateDirectory

USUAL = {SIMULATED, "auto"}
"""Worlds with which the profile quick runs no process groups."""
MOST_RUNS = 6


@dataclass(frozen=True, kw_only=True)
class TriedWrapper:
    """A wrapper with what became of the laws under it: the report of a run like the target's own.

    ``still`` are the laws that it breaks as the target does, ``newly`` those that the target keeps and
    that it breaks, or of which nothing is known any more. ``remedies`` are what it does.
    """

    text: str
    report: Plain
    still: tuple[str, ...] = ()
    newly: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether all laws hold that hold for the target or were broken by it."""
        return not (self.still or self.newly)


@dataclass(frozen=True, kw_only=True)
class Round:
    """A run of one wrapper: what it ``does``, by which profile, and the laws that are ``left`` broken.

    None of them where it could not be judged.
    """

    does: str
    profile: str
    left: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class Fix:
    """What became of fixing a target: the report of its own run, and the best wrapper that was tried.

    ``best`` breaks no law that the target keeps. ``tried`` wrappers were written and run in the cases that
    failed, those that did best there in the ``rounds``; ``refused`` are the laws that some of them newly
    broke.
    """

    before: Plain
    best: TriedWrapper | None = None
    tried: int = 0
    rounds: tuple[Round, ...] = ()
    refused: tuple[str, ...] = ()


def find_fix(plan: Plan, progress: Show | None = None) -> Fix:
    """Run a target; where it breaks laws, write wrappers and return the first under which all laws hold.

    Else the one that breaks the fewest, as long as it breaks none that the target keeps.
    """
    before = run_supervised(plan, progress)
    failures = [one["failure"] for one in before["results"] if one["outcome"] == "broken"]
    if before["interrupted"] or not failures:
        return Fix(before=before)
    named = {remedy for one in failures for remedy in one.get("remedies", ())}
    drafts = draft_supervised(plan, sorted(named))
    with PrivateDirectory() as folder:
        trials = _Trials(replace(plan, explains=False, store=None), before, drafts, progress)
        found = list(trials.run(folder))
        return replace(choose(before, found, len(drafts)), rounds=tuple(trials.rounds))


class _Trials:
    """The runs of the wrappers that are worth a whole run, one after the other."""

    def __init__(self, plan: Plan, before: Plain, drafts: Sequence[Plain], progress: Show | None) -> None:
        self.plan, self.before, self.drafts, self.progress = plan, before, drafts, progress
        self.rounds: list[Round] = []

    def run(self, folder: Path) -> Iterator[TriedWrapper]:
        """Yield what became of the wrappers, until one holds.

        All are tried in the cases that failed, in one process. Those that hold there have a run of the
        profile quick, and if they hold in that, or break the fewest laws, the run of the plan.
        """
        plans = []
        for number, draft in enumerate(self.drafts):
            path = folder / f"wrapper_{number}.py"
            path.write_text(draft["text"])
            plans.append(replace(self.plan, wrapper=f"{path}:{draft['name']}"))
        is_quick = self.plan.profile == "quick" and USUAL.issuperset(self.plan.worlds or ())
        left: dict[int, int] = {}
        for number in _most_promising(plans, self.before):
            look = None if is_quick else self._look(_as_quick(plans[number]), number)
            if look:
                left[number] = len(look)
            elif is_quick or look is not None:
                trial = self._try(plans[number], number)
                if trial is not None:
                    yield trial
                    if trial.holds:
                        return
        if left:
            best = min(left, key=left.__getitem__)
            trial = self._try(plans[best], best)
            if trial is not None:
                yield trial

    def _look(self, plan: Plan, number: int) -> list[str] | None:
        """Return the laws that a wrapper breaks in a quick run; None of one that cannot be judged."""
        report = self._run(plan)
        broken = None if report is None else list_broken(report)
        self._note(plan, number, broken)
        return broken

    def _try(self, plan: Plan, number: int) -> TriedWrapper | None:
        """Return what became of a wrapper in the run of the plan; None of one that cannot be judged."""
        report, draft = self._run(plan), self.drafts[number]
        if report is None:
            self._note(plan, number, None)
            return None
        trial = compare(self.before, report, draft["text"])
        self._note(plan, number, [*trial.still, *trial.newly])
        return replace(trial, remedies=tuple(draft["remedies"]))

    def _note(self, plan: Plan, number: int, left: Sequence[str] | None) -> None:
        codes = None if left is None else tuple(left)
        self.rounds.append(Round(does=self.drafts[number]["does"], profile=plan.profile, left=codes))

    def _run(self, plan: Plan) -> Plain | None:
        """Return the report of a wrapper; None of one that cannot be judged, as it always raises."""
        show, name = self.progress, f"wrapper {len(self.rounds) + 1}"

        def show_round(one: Progress) -> None:
            if show is not None:
                show(replace(one, phase=f"{name}: {one.phase}"))

        try:
            report = run_supervised(plan, show_round)
        except SamplerCheckError:
            return None
        if report["interrupted"]:
            raise KeyboardInterrupt
        return report


def _as_quick(plan: Plan, **changes: Any) -> Plan:
    return replace(plan, profile="quick", worlds=(SIMULATED,), **changes)


def _most_promising(plans: Sequence[Plan], before: Plain) -> list[int]:
    """Return the numbers of the plans that keep all laws in the cases that failed, else of the best two.

    A law that was broken there and has nothing to look at any more is not kept.
    """
    failures = [one for one in before["results"] if one["failure"] and one["failure"]["world"] == SIMULATED]
    cases = tuple(dict.fromkeys(case for one in failures for case in _list_cases(one["failure"])))
    if not cases or not plans:
        return list(range(len(plans)))[:MOST_RUNS]
    looks = [_as_quick(one, cases=cases) for one in plans]
    bad: dict[int, int] = {}
    for number, answer in enumerate(ask_supervised([pack_plan(one) for one in looks])):
        if answer.error is None:
            holding = {one["code"] for one in answer.report["results"] if one["outcome"] == "holds"}
            lost = {one["code"] for one in failures if one["outcome"] == "broken"} - holding
            bad[number] = len(lost.union(list_broken(answer.report)))
    fewest = min(bad.values(), default=0)
    best = [number for number, count in bad.items() if count == fewest]
    return best[:2] if fewest else best[:MOST_RUNS]


def _list_cases(failure: Plain) -> list[Case]:
    """Return the cases that are told of a failure: in the smallest a wrapper may have nothing to yield."""
    larger = failure["realistic_case"]
    return [Case.parse(failure["token"]), *([Case.from_dict(larger)] if larger else [])]


def list_broken(report: Plain) -> list[str]:
    """Return the codes of the laws that are broken."""
    return [one["code"] for one in report["results"] if one["outcome"] == "broken"]


def compare(before: Plain, report: Plain, text: str) -> TriedWrapper:
    """Return what is still broken under a wrapper, and what it is the first to break."""
    now = {one["code"]: one for one in report["results"]}
    still: list[str] = []
    newly: list[str] = []
    for result in before["results"]:
        code, was, then = result["code"], result["outcome"], now[result["code"]]
        if was == "broken":
            still += [code] * (then["outcome"] != "holds")
            continue
        is_lost = was == "holds" and then["outcome"] != "holds"
        is_advised = then.get("advised") and not result.get("advised")
        newly += [code] * bool(is_lost or is_advised or then["outcome"] == "broken")
    return TriedWrapper(text=text, report=report, still=tuple(still), newly=tuple(newly))


def choose(before: Plain, trials: Sequence[TriedWrapper], tried: int) -> Fix:
    """Return the wrapper that holds, else the one that leaves the fewest laws broken and breaks no other."""
    broken, refused = len(list_broken(before)), {code for one in trials for code in one.newly}
    harmless = [one for one in trials if not one.newly and len(one.still) < broken]
    best = min(harmless, key=lambda one: len(one.still), default=None)
    return Fix(before=before, best=best, tried=tried, refused=tuple(sorted(refused)))
