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
from samplercheck.search.profiles import Show
from samplercheck.values.case import Case
from samplercheck.values.errors import SamplerCheckError
from samplercheck.worlds.processes.lifetime import PrivateDirectory

SIMULATED = "simulated"
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
class Fix:
    """What became of fixing a target: the report of its own run, and the best wrapper that was tried.

    ``best`` breaks no law that the target keeps. ``tried`` wrappers were written; ``refused`` are the laws
    that some of them newly broke.
    """

    before: Plain
    best: TriedWrapper | None = None
    tried: int = 0
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
    place = PrivateDirectory()
    try:
        plan = replace(plan, explains=False, store=None)
        return choose(before, list(_try_drafts(plan, before, drafts, place.path, progress)), len(drafts))
    finally:
        place.close()


def _try_drafts(
    plan: Plan, before: Plain, drafts: Sequence[Plain], folder: Path, progress: Show | None
) -> Iterator[TriedWrapper]:
    """Yield what became of the wrappers that are worth a whole run, until one holds.

    All are tried in the cases that failed, in one process. Those that hold there have a run of the profile
    quick, and if they hold in that, or break the fewest laws, the run of the plan.
    """
    plans = []
    for number, draft in enumerate(drafts):
        path = folder / f"wrapper_{number}.py"
        path.write_text(draft["text"])
        plans.append(replace(plan, wrapper=f"{path}:{draft['name']}"))
    is_quick = plan.profile == "quick" and tuple(plan.worlds or ()) == (SIMULATED,)
    left: dict[int, int] = {}
    for number in _most_promising(plans, before):
        look = None if is_quick else _run_wrapper(_as_quick(plans[number]), progress)
        if look is not None and list_broken(look):
            left[number] = len(list_broken(look))
        elif is_quick or look is not None:
            report = _run_wrapper(plans[number], progress)
            if report is not None:
                trial = _compare_draft(before, report, drafts[number])
                yield trial
                if trial.holds:
                    return
    if left:
        best = min(left, key=left.__getitem__)
        report = _run_wrapper(plans[best], progress)
        if report is not None:
            yield _compare_draft(before, report, drafts[best])


def _compare_draft(before: Plain, report: Plain, draft: Plain) -> TriedWrapper:
    return replace(compare(before, report, draft["text"]), remedies=tuple(draft["remedies"]))


def _as_quick(plan: Plan, **changes: Any) -> Plan:
    return replace(plan, profile="quick", worlds=(SIMULATED,), **changes)


def _run_wrapper(plan: Plan, progress: Show | None) -> Plain | None:
    """Return the report of a wrapper; None of one that cannot be judged, such as one that always raises."""
    try:
        report = run_supervised(plan, progress)
    except SamplerCheckError:
        return None
    if report["interrupted"]:
        raise KeyboardInterrupt
    return report


def _most_promising(plans: Sequence[Plan], before: Plain) -> list[int]:
    """Return the numbers of the plans that keep all laws in the cases that failed, else of the best two.

    A law that was broken there and has nothing to look at any more is not kept.
    """
    failures = [one for one in before["results"] if one["failure"] and one["failure"]["world"] == SIMULATED]
    cases = tuple(map(Case.parse, dict.fromkeys(one["failure"]["token"] for one in failures)))
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
