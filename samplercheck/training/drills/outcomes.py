"""Outcomes: what the laws say of a drill: of the undisturbed job, and of each training that was killed.

Called by ``drill``. Of what is broken the earliest kill is told that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from samplercheck.laws.history import HISTORY_LAWS, as_undisturbed
from samplercheck.laws.law import Law
from samplercheck.training.assembly import Told
from samplercheck.training.audit import judge_law
from samplercheck.training.drills.kills import Kill
from samplercheck.training.drills.trainings import Undisturbed
from samplercheck.values.finding import Outcome
from samplercheck.values.report import LawResult
from samplercheck.values.wording import join_words, pluralise

BROKEN, HOLDS = Outcome.BROKEN, Outcome.HOLDS


@dataclass(frozen=True)
class Drilled:
    """A killed training: its histories by loader, or why none; ``has_failed`` if a start failed or hung."""

    kill: Kill
    told: dict[str, Told] = field(default_factory=dict)
    trouble: str = ""
    has_failed: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether a start went on from a checkpoint of an earlier one."""
        return any(len(one.path) > 1 for one in self.told.values())

    @property
    def words(self) -> str:
        """What came of it, in a few words."""
        if self.trouble:
            return f"not judged: {self.trouble}"
        laws = [law.code for law in HISTORY_LAWS if judge_law(law, self.told, ()).outcome is BROKEN]
        if laws:
            return f"breaks {join_words(laws)}"
        return "sound" if self.goes_on else "sound, began from the start"


def judge_all(
    usual: Undisturbed, drilled: Sequence[Drilled], name_again: Callable[[Kill], list[str]]
) -> tuple[LawResult, ...]:
    """Return what each law says; ``name_again`` returns the lines of a command that shows a kill again."""
    same = [one for one in drilled if _is_same(one)]
    results = [_judge(law, usual, drilled, same, name_again) for law in HISTORY_LAWS]
    if not any(one.goes_on for one in drilled):
        results = [
            one if one.outcome is BROKEN else LawResult(law=one.law, outcome=Outcome.NOT_APPLICABLE)
            for one in results
        ]
    failed = next((one for one in drilled if one.has_failed or (one.trouble and not _judged(drilled))), None)
    codes = {one.code for one in results if one.outcome is BROKEN}
    return tuple(_finish(one, codes, failed) for one in results)


def _judged(drilled: Sequence[Drilled]) -> list[Drilled]:
    return [one for one in drilled if not one.trouble]


def _is_same(drilled: Drilled) -> bool:
    """Whether a killed job was trained on what the undisturbed one was, step by step."""
    if drilled.trouble or any(one.history.promise != "same-order" for one in drilled.told.values()):
        return False
    return judge_law(as_undisturbed.LAW, drilled.told, ()).outcome is HOLDS


def _judge(
    law: Law,
    usual: Undisturbed,
    drilled: Sequence[Drilled],
    same: Sequence[Drilled],
    name_again: Callable[[Kill], list[str]],
) -> LawResult:
    """Return the first failure of a law, of the undisturbed job before all; else whether it was judged."""
    results = [judge_law(law, usual.told, (), ("undisturbed",))]
    for killed in _judged(drilled):
        heading = (f"{killed.kill.words}, started again",)
        result = judge_law(law, killed.told, name_again(killed.kill), heading)
        # What was trained on the same in every step is as sound as it is undisturbed.
        if not (result.outcome is BROKEN and killed in same):
            results.append(result)
    broken = [one for one in results if one.outcome is BROKEN]
    holding = [one for one in results if one.outcome is HOLDS]
    judged = sum(one.judged for one in results)
    return replace((broken or holding or results)[0], judged=judged, broken=len(broken))


def _finish(result: LawResult, broken: set[str], failed: Drilled | None) -> LawResult:
    """Say what a broken law follows from, and that the comparison is undecided where a start failed."""
    if result.law is not as_undisturbed.LAW:
        return result
    if result.failure is not None:
        causes = [code for code in result.law.follows if code in broken]
        return replace(result, failure=replace(result.failure, follows=causes[0])) if causes else result
    if failed is not None:
        reason = f"{failed.kill.words}: {failed.trouble}"
        return LawResult(law=result.law, outcome=Outcome.UNKNOWN, judged=result.judged, reason=reason)
    return result


def list_notes(usual: Undisturbed, drilled: Sequence[Drilled]) -> Iterator[str]:
    """Say what was taken for granted, and what could not be judged."""
    for name in usual.aside:
        yield f"{name}: nothing was trained on, not judged"
    judged = _judged(drilled)
    if judged and not any(one.goes_on for one in drilled):
        yield (
            f"killed {pluralise(len(judged), 'time')}, the job began from the start each time: it goes on "
            "from no checkpoint, and is not judged. Does it save one within these steps? Does it need "
            "another command to go on (--again)?"
        )
    for one in drilled:
        if one.trouble:
            yield f"{one.kill.words}: not judged: {one.trouble}"
    if usual.promise == "once":
        yield "two undisturbed trainings had other orders: the samples of each epoch are compared, not steps"
    if usual.promise == "numbers":
        yield "two undisturbed trainings had other samples in an epoch: only their numbers are compared"
    if usual.promise is None:
        yield "two undisturbed trainings had other numbers of samples: nothing is compared with them"
    for name, told in usual.told.items():
        yield from (f"{name}: {note}" if len(usual.told) > 1 else note for note in told.notes)
