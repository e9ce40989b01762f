"""The parent: has a run carried out in child processes and outlives whatever the target does there.

Called by the package. It keeps the clock and the terminal, and imports neither torch, numpy nor
hypothesis. When a child dies or stands still, the case that was running is run once more, alone and
carefully, to learn rank, epoch and step; then the search begins anew without it.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck import errors
from samplercheck.errors import SamplerCheckError, TargetError, UsageError
from samplercheck.search.progress import Progress
from samplercheck.supervision._black_box import IMPORTING, STARTING
from samplercheck.supervision._faults import described, fault_of, says_nothing_of_it
from samplercheck.supervision._process import ChildProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from samplercheck.supervision._black_box import Sighting

__all__ = ["Ending", "supervise"]

POLL = 0.02
LONGEST_POLL = 0.2
MARGIN = 1.0
LAST_REPORT = 2.0
LONGEST_IMPORT = 300.0
MOST_FAULTS = 6
MOST_CHILDREN = MOST_FAULTS + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended: with something said, or dead or hung at some place.

    ``status`` is "SIGSEGV", "exit status 3" or "hung"; ``frames`` are Python's, the innermost last.
    """

    said: dict[str, Any] = field(default_factory=dict)
    status: str = ""
    seen: Sighting | None = None
    frames: tuple[str, ...] = ()
    last_words: tuple[str, ...] = ()


def supervise(job: dict[str, Any], progress: Callable[[Progress], None] | None = None) -> dict[str, Any]:
    """Carry out a run and return the content of ``report.json``.

    Raises what the child raised of samplercheck's own errors, and KeyboardInterrupt where Ctrl-C
    left no report.
    """
    started = time.monotonic()
    directory = Path(tempfile.mkdtemp(prefix="samplercheck-"))
    try:
        with _Interrupts() as interrupts:
            report = _Parent(job, directory, interrupts, progress).run()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    report["seconds"] = round(time.monotonic() - started, 3)
    return report


class _Parent:
    """One run, over as many children as it takes."""

    def __init__(
        self,
        job: dict[str, Any],
        directory: Path,
        interrupts: _Interrupts,
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
        assert ending.seen is not None  # noqa: S101  (nothing was said)
        raise TargetError(
            f"The target ended its process {MOST_CHILDREN} times, last by {ending.status} in case "
            f"{ending.seen.case}, also without being run: it leaves something behind that does."
        )

    def _attend(self, job: dict[str, Any]) -> Ending:
        """Start a child and stay with it until it ends."""
        self._children += 1
        child = ChildProcess(job, self._directory / str(self._children))
        try:
            return _Watch(child, self._interrupts, self._show).until_end()
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
        assert seen is not None  # noqa: S101  (nothing was said)
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


class _Watch:
    """Stays with one child until it has said its last, died, or stood still for too long."""

    def __init__(
        self, child: ChildProcess, interrupts: _Interrupts, show: Callable[[Progress], None]
    ) -> None:
        self._child = child
        self._interrupts = interrupts
        self._show = show
        self._said: dict[str, Any] = {}
        self._pulse: int | None = None
        self._still = 0.0
        self._passed_on = 0
        self._interrupted_at = 0.0

    def until_end(self) -> Ending:
        """Return how the child ended."""
        before = time.monotonic()
        while True:
            ended = self._child.has_ended
            self._listen()
            if self._said:
                return Ending(said=self._said)
            if ended:
                return self._ending(self._child.status)
            now = time.monotonic()
            if self._is_still(now - before) or self._wait_is_over(now):
                self._child.ask_for_frames()
                return self._ending("hung")
            before = now
            time.sleep(POLL)

    def _listen(self) -> None:
        for event in self._child.events():
            if "progress" in event:
                self._show(Progress(*event["progress"]))
            else:
                self._said = event

    def _is_still(self, passed: float) -> bool:
        """Whether the heart has stood still for too long.

        Only short steps count, so that a machine or a parent that was asleep raises no alarm.
        """
        box = self._child.box
        pulse = box.pulse
        allowed = box.patience + MARGIN
        if pulse is None and box.stage == IMPORTING:
            allowed = LONGEST_IMPORT
        elif pulse is None or pulse != self._pulse:
            self._still = 0.0
        self._pulse = pulse
        self._still += min(passed, LONGEST_POLL)
        return self._still > allowed

    def _wait_is_over(self, now: float) -> bool:
        """Pass Ctrl-C on and wait a little for the report; a second one ends the wait."""
        count = self._interrupts.count
        if count and not self._passed_on:
            self._passed_on, self._interrupted_at = count, now
            self._child.interrupt()
        return bool(count) and (count > self._passed_on or now - self._interrupted_at > LAST_REPORT)

    def _ending(self, status: str) -> Ending:
        child = self._child
        return Ending(status=status, seen=child.box.read(), frames=child.frames, last_words=child.last_words)


class _Interrupts:
    """Counts Ctrl-C instead of raising, where this is the main thread."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> _Interrupts:
        self._old: Any = None
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None):
            self._old = signal.signal(signal.SIGINT, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


def _most_known(attempt: int) -> int | None:
    """After so many faults nothing is run behind the last of them; in the end nothing at all."""
    if attempt < MOST_FAULTS:
        return None
    return MOST_FAULTS if attempt == MOST_FAULTS else 0


def _lesson(ending: Ending, again: Ending) -> dict[str, Any]:
    """Return what is known of a case in which a child ended, and ended again or did not."""
    assert ending.seen is not None  # noqa: S101  (nothing was said)
    if again.seen is not None and again.seen.case:
        return {"fault": fault_of(again.seen, again.status, again.frames, again.last_words)}
    if says_nothing_of_it(ending.status):
        return {"unknown": f"the process ended ({ending.status}), but not when the case was run again alone"}
    fault = fault_of(ending.seen, ending.status, ending.frames, ending.last_words, reproduced=False)
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
    assert seen is not None  # noqa: S101  (the caller has read it)
    status = ending.status
    details = "".join(f"\n  {line}" for line in described(ending.frames, ending.last_words))
    if seen.stage == STARTING:
        return SamplerCheckError(f"The process of the search ended ({status}) before it began.{details}")
    if status == "hung":
        return TargetError(f"Importing the target's module does not end in {LONGEST_IMPORT:.0f} s.{details}")
    if seen.stage == IMPORTING:
        return TargetError(f"The target's module ends the process ({status}) when it is imported.{details}")
    return UsageError(f"The process ended ({status}) before the first case was run.{details}")
