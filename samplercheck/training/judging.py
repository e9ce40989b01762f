"""What the laws of histories say of a job's loaders, with the picture and the block of what is broken.

Called by ``audit``, and by ``drill`` for each training that it has interrupted. Imports no torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from samplercheck.laws.history import as_undisturbed, reshuffles, trained_once
from samplercheck.laws.law import Law
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways
from samplercheck.training.assembly import Told
from samplercheck.training.course import Course
from samplercheck.training.history import Attempt
from samplercheck.values.case import MOST_EPOCHS, Case
from samplercheck.values.finding import VACUOUS, Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Tried
from samplercheck.values.site import find_site
from samplercheck.values.wording import pluralise

MOST_VIOLATIONS = 3
MOST_RANKS = 2
WIDEST = 48
MOST_PASSES = 24
KEPT, UNDONE, UNUSED = "#", "x", "."
LEGEND = "# trained on   x undone: after the checkpoint   . taken, not trained on"
_IN_PART = {trained_once.LAW.code: trained_once.in_part, reshuffles.LAW.code: reshuffles.in_part}
"""What laws that hold could see of a history only in part."""


def judge_law(
    law: Law, told: Mapping[str, Told], again: Sequence[str], heading: Sequence[str] = ()
) -> LawResult:
    """Judge a job's loaders, by name; ``again`` shows it again, ``heading`` stands above the picture."""
    judged, reasons = 0, []
    for name, course in told.items():
        history = course.history
        compares = history.undisturbed is not None and law is as_undisturbed.LAW
        if (history.draws and not compares) or not law.applies(history.contract):
            continue
        if not law.sees(history):
            reasons.append(VACUOUS.partition(":")[0])
            continue
        judged += 1
        found = list(law.judge(history))[:MOST_VIOLATIONS]
        if found:
            failure = _describe_failure(law, name, course, found, (tuple(again), tuple(heading)))
            return LawResult(law=law, outcome=Outcome.BROKEN, failure=failure, judged=judged)
        reasons += [_IN_PART[law.code](history)] if law.code in _IN_PART else []
    if judged:
        return LawResult(
            law=law, outcome=Outcome.HOLDS, judged=judged, reason=next(filter(None, reasons), "")
        )
    unseen = [reshuffles.why_unseen(one.history) for one in told.values() if law is reshuffles.LAW]
    return LawResult(law=law, outcome=Outcome.NOT_APPLICABLE, reason=next(filter(None, unseen), ""))


def list_unseen(results: Iterable[LawResult]) -> Iterator[str]:
    """Say of which laws there was something to judge, and why it was not."""
    for one in results:
        if one.outcome is Outcome.NOT_APPLICABLE and one.reason:
            yield f"{one.code} is not judged: {one.reason}"


def _describe_failure(
    law: Law,
    name: str,
    told: Told,
    found: Sequence[Violation],
    around: tuple[tuple[str, ...], tuple[str, ...]],
) -> Failure:
    history, attempt = told.history, told.path[-1][0]
    again, heading = around
    case = Case(
        length=history.length or max((one.total for one in history.epochs), default=0),
        world_size=attempt.world,
        batch_size=history.batch_size or 1,
        drop_last=history.drop_last,
        shuffle=bool(history.shuffled),
        epochs=min(MOST_EPOCHS, max(1, len(history.epochs))),
        workers=attempt.lead.header.workers,
    )
    failure = Failure(
        case=case,
        violation=found[0],
        violations=tuple(found),
        usual="" if found[0].hint or law is trained_once.LAW else law.fix,
        grid=(*heading, *_draw_timeline(told)),
        again=again,
    )
    return replace(failure, text=failure_block(law, name, failure, Ways(site=find_site(os.environ))))


def _draw_timeline(told: Told) -> Iterator[str]:
    """Yield a line for each rank of each attempt, with the steps that the model comes from, and its seams."""
    kept = {attempt.number: steps for attempt, steps in told.path}
    each = max((-(-len(attempt.lead.passes) // MOST_PASSES) for attempt in told.attempts), default=1)
    longest = max((_count_signs(attempt, each) for attempt in told.attempts), default=1)
    scale = max(1, -(-longest // WIDEST))
    for attempt in told.attempts:
        for rank in sorted(attempt.courses)[:MOST_RANKS]:
            line = _draw_rank(attempt, rank, kept.get(attempt.number, 0), (each, scale))
            name = f"attempt {attempt.number + 1}" if rank == min(attempt.courses) else ""
            yield f"{name:<11}rank {rank}  |{line}|"
        for seam in (one for one in told.history.seams if one.later == attempt.number):
            what = f"step {seam.steps} of attempt {seam.earlier + 1}, in epoch {seam.epoch}"
            yield f"           <- goes on from {what}"
    yield LEGEND + (f"   ({scale} steps a sign)" if scale > 1 else "")
    if each > 1:
        yield f"of {each} passes in a row one is drawn"


def _choose_passes(course: Course, each: int) -> list[int]:
    """Return the passes that are drawn: one of so many, and the last."""
    return list(course.passes)[::-1][::each][::-1]


def _count_signs(attempt: Attempt, each: int) -> int:
    chosen = _choose_passes(attempt.lead, each)
    return sum(attempt.lead.passes[turn].batches for turn in chosen) + len(chosen)


def _draw_rank(attempt: Attempt, rank: int, kept: int, thinned: tuple[int, int]) -> str:
    course, (each, scale) = attempt.courses[rank], thinned
    parts = []
    for turn in _choose_passes(course, each):
        trained = course.trained_in(turn, scale)
        signs = np.where(trained <= kept, KEPT, np.where(trained <= course.steps, UNDONE, UNUSED))
        parts.append("".join(signs.tolist()))
    return "|".join(parts)


def describe_history(told: Told) -> Tried:
    """Return how much of a job was read."""
    history = told.history
    steps = sum(len(one.taken) for epoch in history.epochs for one in epoch.stretches)
    scope = (
        f"{pluralise(len(told.attempts), 'attempt')}, {pluralise(told.path[-1][0].world, 'rank')}, "
        f"{pluralise(steps, 'step')} that the model comes from"
    )
    return Tried(phase="history", scope=scope, cases=len(history.judged), planned=len(history.judged))
