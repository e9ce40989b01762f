"""From the reports of three runs to the one that ``sc.replay`` returns: the worst, and what differed.

Imports the laws, for the results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from samplercheck.replaying._verdicts import FLAKY, verdicts_of
from samplercheck.report import Report
from samplercheck.supervision import law_of
from samplercheck.words import pluralise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.replaying._rounds import Answer
    from samplercheck.replaying._subjects import Subject

__all__ = ["merged"]


def merged(subjects: Sequence[Subject], answers: Sequence[Sequence[Answer]]) -> Report:
    """Return the report of all subjects: of each law the worst result of its runs."""
    for answer in (one for several in answers for one in several):
        if answer.error is not None:
            raise answer.error
    reports = [[Report.from_dict(one.report, law_of) for one in several] for several in answers]
    results = [
        max(same, key=lambda result: result.outcome)
        for several in reports
        for same in zip(*(report.results for report in several), strict=True)
    ]
    first, notes = reports[0][0], []
    for subject, several in zip(subjects, answers, strict=True):
        for verdict in verdicts_of(subject, several):
            if verdict.word == FLAKY:
                notes.append(f"{verdict.law} is flaky: broken in {verdict.failed} of {verdict.runs} runs")
            notes += verdict.notes
    runs = pluralise(len(answers[0]), "run")
    return replace(
        first,
        results=tuple(sorted(results, key=lambda result: (len(result.code), result.code))),
        notes=tuple(dict.fromkeys([*first.notes, f"replayed: {runs} in fresh processes", *notes])),
        seconds=sum(report.seconds for several in reports for report in several),
    )
