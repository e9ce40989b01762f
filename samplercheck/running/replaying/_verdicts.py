"""Verdicts: what three runs say of one law in one case: fixed, failed, advice, flaky, or nothing certain.

"Fixed" is what was recorded broken and holds once code or versions have changed; what holds and was not
recorded, or holds in unchanged code under another contract, in another world or of another target, "holds".

Also the one report that ``sc.replay`` makes of three: the worst, and what differed. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from samplercheck.running.jobs import Answer, law_of
from samplercheck.running.replaying._subjects import ReplayCase, Unreadable
from samplercheck.values import exits
from samplercheck.values.case import Case
from samplercheck.values.errors import StoreError, UsageError
from samplercheck.values.finding import VACUOUS, Outcome
from samplercheck.values.report import Report
from samplercheck.values.wording import pluralise

NOT_COUNTED = "of the grade strict: only advice, unless you run with --strict"
UNCHANGED = (
    "it was broken when it was recorded and holds in {runs}, though neither code nor versions have changed: "
    "it depends on something other than the case"
)
OTHERWISE = "it was broken when it was recorded, and neither code nor versions have changed since"
NOTHING_LEFT = "in this case there is nothing left for the law to look at: run all cases to be sure"
FIXED, HOLDS, FAILED, ADVICE, FLAKY, ERROR = "FIXED", "HOLDS", "FAILED", "ADVICE", "FLAKY", "ERROR"


@dataclass(frozen=True, kw_only=True)
class ReplayVerdict:
    """What became of one subject under one law; ``failed`` of ``runs`` broke it.

    ``why`` is the reason of an error, or what was seen; ``notes`` say what differs from the recording.
    The word is "ADVICE" for what all runs broke and only a strict command counts.
    ``place`` and ``contract`` are what was run, which a file does not decide.
    """

    word: str
    subject: ReplayCase | Unreadable
    law: str = ""
    failed: int = 0
    runs: int = 0
    why: str = ""
    notes: tuple[str, ...] = ()
    exit_code: int = exits.HOLDS
    target: str = ""
    place: str = ""
    contract: Mapping[str, Any] = field(default_factory=dict)

    @property
    def case(self) -> Case | None:
        """The case; None for a file that holds none."""
        return self.subject.case if isinstance(self.subject, ReplayCase) else None

    @property
    def name(self) -> str:
        """The target that was run, else the one that the file names, or the file."""
        if isinstance(self.subject, Unreadable):
            return str(self.subject.path)
        breach = self.subject.breach
        return self.target or (breach.target if breach is not None else "")

    @property
    def is_decided(self) -> bool:
        """Whether it was run, and what came of it is no error."""
        return bool(self.runs) and self.word != ERROR

    @property
    def is_known(self) -> bool:
        """Whether the case lies among the known failures."""
        return isinstance(self.subject, ReplayCase) and self.subject.is_known


def verdicts_of(
    subject: ReplayCase, answers: Sequence[Answer], *, as_recorded: bool = False, strict: bool = False
) -> Iterator[ReplayVerdict]:
    """Yield the verdict on the law of a subject; without one, on each law that any run saw broken.

    ``as_recorded`` says that target, contract and world were those of the recording. What is of the grade
    "strict" fails no command that is not ``strict``.
    """
    for answer in answers:
        if answer.error is not None:
            yield verdict_on_error(subject, answer.error)
            return
    results = [{one["code"]: one for one in answer.report["results"]} for answer in answers]
    # With a law, named by its code or by its name, there are no other results than its own.
    laws = [code for code in results[0] if subject.law or _is_broken(results, code)]
    notes = tuple(_differences(subject, answers[0]))
    code = subject.breach.code if subject.breach is not None else ""
    is_unchanged = bool(not notes and code) and all(one.code == code for one in answers)
    for law in laws:
        verdict = _verdict(subject, law, [one[law] for one in results], notes, strict=strict)
        if verdict.word == FIXED and subject.breach is None:
            yield replace(verdict, word=HOLDS)
        elif verdict.word == FIXED and is_unchanged:
            why = "; ".join(filter(None, (OTHERWISE, verdict.why)))
            yield _flaky_for(verdict) if as_recorded else replace(verdict, word=HOLDS, why=why)
        else:
            yield verdict
    if not laws:
        yield _all_laws(subject, results, notes)


def verdict_on_error(subject: ReplayCase | Unreadable, error: Exception) -> ReplayVerdict:
    """Return the verdict on what cannot be run."""
    law = subject.law if isinstance(subject, ReplayCase) else ""
    code = exits.USAGE if isinstance(error, (UsageError, StoreError)) else exits.FAULT
    return ReplayVerdict(word=ERROR, subject=subject, law=law, why=str(error), exit_code=code)


def _verdict(
    subject: ReplayCase, law: str, results: Sequence[dict[str, Any]], notes: tuple[str, ...], *, strict: bool
) -> ReplayVerdict:
    failed = sum(one["outcome"] == "broken" for one in results)
    is_advice = not strict and all(_is_strict(one) for one in results if one["failure"])
    notes = (*notes, NOT_COUNTED) if failed and is_advice else notes
    undecided = next(
        (one for one in results if one["outcome"] not in ("broken", "holds") and not _is_vacuous(one)), None
    )
    if undecided is not None and failed < len(results):
        word, why, code = ERROR, undecided["reason"] or "undecided", exits.UNDECIDED
    elif failed == len(results):
        word, why = ADVICE if is_advice else FAILED, results[0]["failure"]["message"]
        code = exits.HOLDS if subject.is_known or is_advice else exits.BROKEN
    elif failed:
        word, why = FLAKY, next(one["failure"]["message"] for one in results if one["failure"])
        code = exits.HOLDS if is_advice else exits.BROKEN
    else:  # a known failure that is fixed is a stale entry
        why = NOTHING_LEFT if any(map(_is_vacuous, results)) else ""
        word, code = FIXED, exits.BROKEN if subject.is_known else exits.HOLDS
    return ReplayVerdict(
        word=word,
        subject=subject,
        law=law,
        failed=failed,
        runs=len(results),
        why=why,
        notes=notes,
        exit_code=code,
    )


def _is_strict(result: dict[str, Any]) -> bool:
    return all(one["grade"] == "strict" for one in result["failure"]["violations"])


def _flaky_for(verdict: ReplayVerdict) -> ReplayVerdict:
    """Return the verdict where nothing was done by which a failure could be gone."""
    why = UNCHANGED.format(runs=f"all {pluralise(verdict.runs, 'run')}")
    return replace(verdict, word=FLAKY, why=why, exit_code=exits.BROKEN)


def _is_vacuous(result: dict[str, Any]) -> bool:
    """Whether what was broken is gone, and with it all that the law could look at in this case."""
    return (result["outcome"], result["reason"]) == ("unknown", VACUOUS)


def _is_broken(results: Sequence[dict[str, dict[str, Any]]], code: str) -> bool:
    return any(one[code]["outcome"] == "broken" for one in results)


def _all_laws(
    subject: ReplayCase, results: Sequence[dict[str, Any]], notes: tuple[str, ...]
) -> ReplayVerdict:
    holding = [code for code, one in results[0].items() if one["outcome"] == "holds"]
    if not holding:
        return ReplayVerdict(
            word=ERROR,
            subject=subject,
            law="",
            why="no law could be judged in this case",
            exit_code=exits.UNDECIDED,
        )
    why = f"{len(holding)} laws hold"
    return ReplayVerdict(word=HOLDS, subject=subject, law="", runs=len(results), why=why, notes=notes)


def _differences(subject: ReplayCase, answer: Answer) -> Iterator[str]:
    """Yield what is not as it was when the case was recorded."""
    breach = subject.breach
    if breach is None:
        return
    now = answer.report["versions"]
    others = [
        f"{name} {number} (now {now[name]})"
        for name, number in sorted(breach.versions.items())
        if name in now and now[name] != number
    ]
    if others:
        yield f"recorded with {', '.join(others)}"
    if breach.source and breach.source != answer.source:
        yield "the file that defines the target has changed since the recording"


def merge(
    subjects: Sequence[ReplayCase], answers: Sequence[Sequence[Answer]], as_recorded: Sequence[bool]
) -> Report:
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
    undecided: dict[str, str] = {}
    for subject, several, same in zip(subjects, answers, as_recorded, strict=True):
        for verdict in verdicts_of(subject, several, as_recorded=same):
            if verdict.word == FLAKY:
                notes.append(f"{verdict.law} is flaky: broken in {verdict.failed} of {verdict.runs} runs")
                undecided |= {} if verdict.failed else {verdict.law: verdict.why}
            notes += verdict.notes
    results = [
        replace(one, outcome=Outcome.UNKNOWN, reason=f"flaky: {undecided[one.code]}")
        if one.code in undecided
        else one
        for one in results
    ]
    runs = pluralise(len(answers[0]), "run")
    return replace(
        first,
        results=tuple(sorted(results, key=lambda result: (len(result.code), result.code))),
        notes=tuple(dict.fromkeys([*first.notes, f"replayed: {runs} in fresh processes", *notes])),
        seconds=sum(report.seconds for several in reports for report in several),
    )
