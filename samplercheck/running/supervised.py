"""Supervision: carries out a run in a child process, which the target may crash, hang or end.

``samplercheck run`` always runs like this, ``sc.run`` with ``isolate=True``. The process that calls this
keeps the clock and the terminal, imports neither torch, numpy, hypothesis nor the target, and outlives
whatever the target does. When a child dies or hangs, the case that was running is run once more, alone
and carefully, to learn rank, epoch and step; then the search begins again without it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from samplercheck.engine.plan import Plan
from samplercheck.running.jobs import (
    Answer,
    DraftJob,
    ExamineJob,
    LookJob,
    PackedPlan,
    Plain,
    RunJob,
    SearchJob,
    error_from,
    law_of,
    pack_plan,
)
from samplercheck.running.watch import (
    KEPT,
    LAST_REPORT,
    LONGEST_IMPORT,
    ChildProcess,
    Ending,
    Interrupts,
    Watch,
)
from samplercheck.search.profiles import Progress, Show
from samplercheck.values.errors import SamplerCheckError, TargetError, UsageError
from samplercheck.worlds.processes.black_box import IMPORTING, STARTING, Sighting
from samplercheck.worlds.processes.post_mortem import describe_end, may_be_from_outside
from samplercheck.worlds.processes.private import PrivateDirectory

if TYPE_CHECKING:
    from samplercheck.values.report import Report

MOST_FAULTS = 6
MOST_CHILDREN = MOST_FAULTS + 2
KEPT_ONLY = (
    "The target did not let go within {seconds:.0f} s of the interruption: this is what was known before, "
    "and no file of a failing case was written"
)


def run_supervised(plan: Plan, progress: Show | None = None) -> Plain:
    """Carry a plan out and return the content of ``report.json``."""
    started = time.monotonic()
    (answer,) = ask_supervised([pack_plan(plan)], progress=progress)
    if answer.error is not None:
        raise answer.error
    return {**answer.report, "seconds": round(time.monotonic() - started, 3)}


def run_isolated(plan: Plan, progress: Show | None) -> Report:
    """Carry a plan out, closures and strategies included, and return its report."""
    from samplercheck.values.report import Report

    return Report.from_dict(run_supervised(plan, progress), law_of)


def examine_supervised(plan: Plan, progress: Show | None, *, allow_dirty: bool) -> Plain:
    """Return all that a certificate says of a target; the plan's store is that of its known failures."""
    return _supervise(ExamineJob(plans=(pack_plan(plan),), allow_dirty=allow_dirty), progress)


def draft_supervised(plan: Plan, remedies: Iterable[str]) -> list[Plain]:
    """Return the wrappers that may help the target of a plan, those that change least first."""
    job = DraftJob(plans=(pack_plan(plan),), remedies=tuple(remedies))
    drafts: list[Plain] = _supervise(job)["drafts"]
    return drafts


def ask_supervised(
    plans: Iterable[PackedPlan],
    interrupts: Interrupts | None = None,
    progress: Show | None = None,
) -> list[Answer]:
    """Carry out several packed plans in one child process and return what became of each.

    Who supervises several children at once counts Ctrl-C for all and hands in ``interrupts``.
    """
    job = RunJob(plans=tuple(plans))
    return [Answer.from_dict(plain) for plain in _supervise(job, progress, interrupts)["answers"]]


def _supervise(job: SearchJob, progress: Show | None = None, interrupts: Interrupts | None = None) -> Plain:
    """Carry out a job and return what the child reports; raise its error, or a Ctrl-C that left none."""
    counting = Interrupts() if interrupts is None else nullcontext(interrupts)
    # The directory is removed before anything else that a signal may ask for.
    with counting as counted, PrivateDirectory() as directory:
        return _Parent(job, directory, counted, progress).run()


class _Parent:
    """One run, over as many children as it takes."""

    def __init__(
        self,
        job: SearchJob,
        directory: Path,
        interrupts: Interrupts,
        progress: Show | None,
    ) -> None:
        self._job = job
        self._directory = directory
        self._interrupts = interrupts
        self._progress = progress or (lambda _: None)
        self._furthest: dict[str, int] = {}
        self._children = 0
        self._known: tuple[Plain, ...] = ()

    def run(self) -> Plain:
        """Return the report of the first child that lives to write it, or what an interrupted one put by."""
        try:
            return self._go_from_child_to_child()
        except KeyboardInterrupt:
            kept = self._kept() if self._interrupts.count else None
            if kept is None:
                raise
            return kept

    def _kept(self) -> Plain | None:
        """Return what the last child that put anything by knew then."""
        files = (self._directory / str(number) / KEPT for number in range(self._children, 0, -1))
        text = next((file.read_text() for file in files if file.exists()), None)
        if text is None:
            return None
        kept: Plain = json.loads(text)
        for answer in kept["answers"]:
            answer["report"]["notes"].append(KEPT_ONLY.format(seconds=LAST_REPORT))
        return kept

    def _go_from_child_to_child(self) -> Plain:
        for attempt in range(MOST_CHILDREN):
            answer = self._attend(replace(self._job, known=self._known, most_known=_most_known(attempt)))
            if isinstance(answer, dict):
                return _report_in(answer)
            if self._interrupts.count:
                raise KeyboardInterrupt
            ending = answer
            self._learn_from(ending)
        raise TargetError(
            f"The target ended its process {MOST_CHILDREN} times, last by {ending.status} in case "
            f"{ending.seen.case}, also without being run: it leaves something behind that does, "
            "as a thread or a signal handler. Remove that, or run that case alone."
        )

    def _attend(self, job: SearchJob | LookJob) -> Plain | Ending:
        """Start a child and stay with it until it ends."""
        self._children += 1
        child = ChildProcess(msgspec.to_builtins(job), self._directory / str(self._children))
        try:
            return Watch(child, self._interrupts, self._show).until_end()
        finally:
            child.end()

    def _show(self, progress: Progress) -> None:
        """Pass progress on; a search that begins again is silent until it is where it was."""
        if progress.done >= self._furthest.get(progress.phase, 0):
            self._furthest[progress.phase] = progress.done
            self._progress(progress)

    def _learn_from(self, ending: Ending) -> None:
        """Find out what ended the child and remember it for the next one."""
        seen = ending.seen
        if not seen.case:
            raise _before_any_case(ending)
        if self._job.screens and not seen.experiment:
            self._job = replace(self._job, screens=False)
            return
        again = ending if seen.hung else self._look_again(seen)
        self._known += ({"case": seen.case, **_lesson(ending, again)},)

    def _look_again(self, seen: Sighting) -> Ending | None:
        """Run a case alone and carefully; return how it ended its process, None where it did not."""
        plan = self._job.plan_with(seen.case)
        again = self._attend(LookJob(plan=plan, case=seen.case, experiments=tuple(seen.experiments)))
        if self._interrupts.count:
            raise KeyboardInterrupt
        if isinstance(again, Ending):
            return again
        if "survived" not in again:
            _report_in(again)
        return None


def _most_known(attempt: int) -> int | None:
    """After so many faults nothing is run behind the last of them; in the end nothing at all."""
    if attempt < MOST_FAULTS:
        return None
    return MOST_FAULTS if attempt == MOST_FAULTS else 0


def _lesson(ending: Ending, again: Ending | None) -> Plain:
    """Return what is known of a case in which a child ended, and ended again or did not."""
    if again is not None and again.seen.case:
        return {"fault": again.fault(), "unknown": ""}
    if may_be_from_outside(ending.status):
        why = f"the process ended ({ending.status}), but not when the case was run again alone"
        return {"fault": None, "unknown": why}
    return {"fault": ending.fault(reproduced=False), "unknown": ""}


def _report_in(said: Plain) -> Plain:
    """Return the report that a child sent, or raise what it sent instead."""
    if "report" in said:
        report: Plain = said["report"]
        return report
    if "error" in said:
        raise error_from(*said["error"])
    if "interrupted" in said:
        raise KeyboardInterrupt
    raise SamplerCheckError(f"A fault of samplercheck itself, in the process of the search:\n{said['fault']}")


def _before_any_case(ending: Ending) -> SamplerCheckError:
    """Say what ended a child that had not run any case yet."""
    seen, status = ending.seen, ending.status
    details = "".join(f"\n  {line}" for line in describe_end(ending.frames, ending.stderr_end))
    if seen.stage == STARTING:
        return SamplerCheckError(f"The process of the search ended ({status}) before it began.{details}")
    if status == "hung":
        return TargetError(
            f"Importing the target's module does not end in {LONGEST_IMPORT:.0f} s. Put what takes long into "
            f"functions.{details}"
        )
    if seen.stage == IMPORTING:
        return TargetError(
            f"The target's module ends the process ({status}) when it is imported. Put what does so below "
            f'if __name__ == "__main__".{details}'
        )
    return UsageError(
        f"The process ended ({status}) before the first case was run. See whether the module of the target "
        f"can be imported by itself.{details}"
    )
