"""What the laws of histories say of a job's loaders, with the picture and the block of what is broken.

Called by ``audit``, and by ``drill`` for each training that it has interrupted. Imports no torch.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from samplercheck.laws.history import as_undisturbed, reshuffles, trained_once
from samplercheck.laws.law import Law
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways
from samplercheck.training.assembly import Told
from samplercheck.training.timeline import draw_timeline
from samplercheck.values.case import MOST_EPOCHS, Case
from samplercheck.values.finding import VACUOUS, Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Tried
from samplercheck.values.site import find_site
from samplercheck.values.wording import pluralise

MOST_VIOLATIONS = 3
_IN_PART = {trained_once.LAW.code: trained_once.in_part, reshuffles.LAW.code: reshuffles.in_part}
"""What laws that hold could see of a history only in part."""


def judge_law(
    law: Law, told: Mapping[str, Told], again: Sequence[str], heading: Sequence[str] = ()
) -> LawResult:
    """Return what a law says of all loaders of a job, by name.

    ``again`` are the lines that show it again, ``heading`` what stands above its picture.
    """
    judged, reasons = 0, []
    for name, one in told.items():
        history = one.history
        compares = history.undisturbed is not None and law is as_undisturbed.LAW
        if (history.draws and not compares) or not law.applies(history.contract):
            continue
        if not law.sees(history):
            reasons.append(VACUOUS.partition(":")[0])
            continue
        judged += 1
        found = list(law.judge(history))[:MOST_VIOLATIONS]
        if found:
            failure = _describe_failure(law, name, one, found, (tuple(again), tuple(heading)))
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
        grid=(*heading, *draw_timeline(told)),
        again=again,
    )
    return replace(failure, text=failure_block(law, name, failure, Ways(site=find_site(os.environ))))


def describe_history(told: Told) -> Tried:
    """Return how much of a job was read."""
    history = told.history
    steps = sum(len(one.taken) for epoch in history.epochs for one in epoch.stretches)
    scope = (
        f"{pluralise(len(told.attempts), 'attempt')}, {pluralise(told.path[-1][0].world, 'rank')}, "
        f"{pluralise(steps, 'step')} that the model comes from"
    )
    return Tried(phase="history", scope=scope, cases=len(history.judged), planned=len(history.judged))
