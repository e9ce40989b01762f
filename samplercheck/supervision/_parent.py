"""The parent: has a run carried out in child processes and outlives whatever the target does there.

Called by the package. It keeps the clock and the terminal, and imports neither torch, numpy nor
hypothesis. When a child dies or stands still, the case that was running is run once more, alone and
carefully, to learn rank, epoch and step; then the search begins anew without it.
"""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from samplercheck import errors
from samplercheck.errors import SamplerCheckError, TargetError, UsageError
from samplercheck.files import PrivateDirectory
from samplercheck.supervision._process import ChildProcess
from samplercheck.supervision._watch import LONGEST_IMPORT, Interrupts, Watch
from samplercheck.worlds.processes.black_box import IMPORTING, STARTING
from samplercheck.worlds.processes.post_mortem import describe_end, fault_of, may_be_from_outside

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from samplercheck.search.progress import Progress
    from samplercheck.supervision._watch import Ending
    from samplercheck.worlds.processes.black_box import Sighting

__all__ = ["supervise"]

MOST_FAULTS = 6
MOST_CHILDREN = MOST_FAULTS + 2


def supervise(
    job: dict[str, Any],
    progress: Callable[[Progress], None] | None = None,
    interrupts: Interrupts | None = None,
) -> dict[str, Any]:
    """Carry out a run and return the content of ``report.json``, or the answers to several questions.

    Raises what the child raised of samplercheck's own errors, and KeyboardInterrupt where Ctrl-C
    left no report. Who supervises several at once counts Ctrl-C for all and hands in ``interrupts``.
    """
    started = time.monotonic()
    private = PrivateDirectory()
    try:
        with Interrupts() if interrupts is None else nullcontext(interrupts) as counted:
            report = _Parent(job, private.path, counted, progress).run()
    finally:
        private.close()
    report["seconds"] = round(time.monotonic() - started, 3)
    return report


class _Parent:
    """One run, over as many children as it takes."""

    def __init__(
        self,
        job: dict[str, Any],
        directory: Path,
        interrupts: Interrupts,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._job = job
        self._directory = directory
        self._interrupts = interrupts
        self._progress = progress or (lambda _: None)
        self._furthest: dict[str, int] = {}
        self._children = 0
        self._known: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        """Return the report of the first child that lives to write it."""
        for attempt in range(MOST_CHILDREN):
            ending = self._attend({**self._job, "known": self._known, "most_known": _most_known(attempt)})
            if ending.said:
                return _report_in(ending.said)
            if self._interrupts.count:
                raise KeyboardInterrupt
            self._learn_from(ending)
        assert ending.seen is not None
        raise TargetError(
            f"The target ended its process {MOST_CHILDREN} times, last by {ending.status} in case "
            f"{ending.seen.case}, also without being run: it leaves something behind that does."
        )

    def _attend(self, job: dict[str, Any]) -> Ending:
        """Start a child and stay with it until it ends."""
        self._children += 1
        child = ChildProcess(job, self._directory / str(self._children))
        try:
            return Watch(child, self._interrupts, self._show).until_end()
        finally:
            child.end()

    def _show(self, progress: Progress) -> None:
        """Pass progress on; a search that begins anew is silent until it is where it was."""
        if progress.done >= self._furthest.get(progress.phase, 0):
            self._furthest[progress.phase] = progress.done
            self._progress(progress)

    def _learn_from(self, ending: Ending) -> None:
        """Find out what ended the child and remember it for the next one."""
        seen = ending.seen
        assert seen is not None
        if not seen.case:
            raise _before_any_case(ending)
        again = ending if seen.hung else self._look_again(seen)
        self._known.append({"case": seen.case, **_lesson(ending, again)})

    def _look_again(self, seen: Sighting) -> Ending:
        """Run a case alone and carefully."""
        careful = {"case": seen.case, "experiments": seen.experiments}
        again = self._attend({**self._job, "careful": careful})
        if self._interrupts.count:
            raise KeyboardInterrupt
        if again.said and "survived" not in again.said:
            _report_in(again.said)
        return again


def _most_known(attempt: int) -> int | None:
    """After so many faults nothing is run behind the last of them; in the end nothing at all."""
    if attempt < MOST_FAULTS:
        return None
    return MOST_FAULTS if attempt == MOST_FAULTS else 0


def _lesson(ending: Ending, again: Ending) -> dict[str, Any]:
    """Return what is known of a case in which a child ended, and ended again or did not."""
    assert ending.seen is not None
    if again.seen is not None and again.seen.case:
        return {"fault": fault_of(again.seen, again.status, again.frames, again.stderr_end)}
    if may_be_from_outside(ending.status):
        return {"unknown": f"the process ended ({ending.status}), but not when the case was run again alone"}
    fault = fault_of(ending.seen, ending.status, ending.frames, ending.stderr_end, reproduced=False)
    return {"fault": fault}


def _report_in(said: dict[str, Any]) -> dict[str, Any]:
    """Return the report that a child sent, or raise what it sent instead."""
    if "report" in said:
        report: dict[str, Any] = said["report"]
        return report
    if "error" in said:
        name, text = said["error"]
        kind = getattr(errors, name, SamplerCheckError)
        raise kind(text)
    if "interrupted" in said:
        raise KeyboardInterrupt
    raise SamplerCheckError(f"A fault of samplercheck itself, in the process of the search:\n{said['fault']}")


def _before_any_case(ending: Ending) -> SamplerCheckError:
    """Say what ended a child that had not run any case yet."""
    seen = ending.seen
    assert seen is not None
    status = ending.status
    details = "".join(f"\n  {line}" for line in describe_end(ending.frames, ending.stderr_end))
    if seen.stage == STARTING:
        return SamplerCheckError(f"The process of the search ended ({status}) before it began.{details}")
    if status == "hung":
        return TargetError(f"Importing the target's module does not end in {LONGEST_IMPORT:.0f} s.{details}")
    if seen.stage == IMPORTING:
        return TargetError(f"The target's module ends the process ({status}) when it is imported.{details}")
    return UsageError(f"The process ended ({status}) before the first case was run.{details}")
