"""Guard: interrupts the target's code when it neither returns nor yields in time.

Runs in the process of a simulated world; a thread watches. The main thread it interrupts by
SIGALRM, which ends system calls too, any other by an asynchronous exception. A target that swallows
both, or holds the interpreter in C, is given up: the process says what hung and ends with status 4.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import threading
import time

# Asked after every case: the one of ``signal`` spends microseconds on making enums.
from _signal import getsignal  # type: ignore[import-not-found]  # typeshed has the public module alone
from collections.abc import Callable
from types import FrameType
from typing import Any

from samplercheck.experiments.seat import Seat
from samplercheck.values.record import Pass
from samplercheck.values.wording import in_epoch
from samplercheck.worlds.in_rank.deadlines import DeadlineExceeded, Deadlines, is_importing
from samplercheck.worlds.processes.black_box import BlackBox
from samplercheck.worlds.processes.bootstrap import EXIT_HUNG

TICK = 0.05
RETRY = 0.25
PATIENCE = 12
# Taken now: a target may put a clock of its own in the place of these.
monotonic, clock_gettime = time.monotonic, getattr(time, "clock_gettime", None)
IMPORTS = 12
"""So many times as long as anything else may an import take: half imported modules spoil what follows."""
UNCALLED = 2.0
"""How much longer what was not called here may take: a finaliser, or an error's own text."""


class ProcessGuard:
    """Watches one thread of this process; a context manager around a whole run.

    A careful guard notes every call into the target, and every step, in the black box. One that does
    not hear the user takes every Ctrl-C for the target's own doing.
    """

    def __init__(
        self,
        deadlines: Deadlines,
        give_up: Callable[[str], None] | None = None,
        black_box: BlackBox | None = None,
        *,
        careful: bool = False,
        hears_user: bool = True,
    ) -> None:
        self.deadlines = deadlines
        self._hears_user = hears_user
        self.give_up = give_up or _end_process
        self.interrupted = False
        # Set while the rank waits for others: the process that watches all ranks judges that.
        self.excused = False
        # Above 1 while the target waits for processes of its own, which take their time to start.
        self.stretch = 1.0
        self.too_far: int | None = None
        self.stepping = black_box.stepping if careful and black_box is not None else None
        self._box = black_box
        self._noting = black_box if careful else None
        self._serial = 0
        self._inside = self._attentive = False
        self._passing: Pass | None = None
        self.last_call: tuple[Any, ...] = ()  # the seat, the phase and the epoch
        self._limits = deadlines.for_length(0)
        self._flagged: tuple[int, bool] | None = None
        self._come_back: set[str] = set()
        self._longest = 0.0
        self._stop = threading.Event()
        self._thread_id = 0
        self._clock: int | None = None
        self._old: dict[int, Any] = {}
        self._others: BaseException | None = None
        self._watcher: threading.Thread | None = None

    # What the seat calls, around every call into the target's code.

    def watch(self, seat: Seat, phase: str, epoch: int | None, passing: Pass | None) -> None:
        """Say that the target's code begins to run; a pass that grows counts as progress."""
        self.last_call = (seat, phase, epoch)
        self._passing = passing
        self._serial += 1
        self._inside = True
        if self._noting is not None:
            self._noting.note(seat, phase, epoch)

    def rest(self) -> None:
        """Say that the target's code has ended; raise others' timeouts again, also what it swallowed."""
        self._inside = False
        if self._flagged is None or self._flagged[0] != self._serial:
            self._come_back.add("iter" if self._passing is not None else self.last_call[1])
        if self._others is not None:
            raise self._others from None
        if self._flagged is not None and self._flagged == (self._serial, True) and not self._in_main_thread:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread_id), None)

    def is_deadline(self, error: BaseException) -> bool:
        """Whether the guard itself raised this."""
        return isinstance(error, DeadlineExceeded)

    def reraise(self, error: BaseException) -> None:
        """Raise the user's own Ctrl-C again; one that the target raises by itself is a finding."""
        if isinstance(error, KeyboardInterrupt) and self.interrupted:
            raise error

    # Life.

    def __enter__(self) -> ProcessGuard:
        self._thread_id = threading.get_ident()
        self._in_main_thread = threading.current_thread() is threading.main_thread()
        if hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(self._thread_id)
        if self._in_main_thread:
            if hasattr(signal, "SIGALRM"):
                self._old[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._on_alarm)
            self._old[signal.SIGINT] = signal.signal(signal.SIGINT, self._on_interrupt)
        if self._box is not None:
            self._box.watch(on=True)
        self._watcher = threading.Thread(target=self._watch, name="samplercheck-guard", daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._box is not None:
            self._box.watch(on=False)
        self._stop.set()
        if self._watcher is not None:
            self._watcher.join()
        for number, handler in self._old.items():
            # One that was not installed from Python cannot be put back; the default can.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def attend(self, *, on: bool) -> None:
        """Watch also what is not called here, while a case runs: finalisers, and the texts of errors."""
        self._attentive = on

    def set_length(self, samples: int) -> None:
        """Set the deadlines for the cases that follow."""
        self._limits = self.deadlines.for_length(samples)
        if self._box is not None:
            self._box.allow(self._limits[1])

    def has_come_back(self, phase: str) -> bool:
        """Whether the target has ever come back from a call of this kind; a whole pass is one."""
        return ("iter" if phase == "next" else phase) in self._come_back

    def learn_deadlines(self) -> Deadlines:
        """Return deadlines many times as long as the target has ever taken between two signs of progress."""
        return self.deadlines.learn(self._longest)

    def end_case(self) -> None:
        """Take back the signals that a target has taken, and let go of what the last rank recorded."""
        self.last_call, self._passing = (), None
        if self._in_main_thread:
            if hasattr(signal, "SIGALRM") and getsignal(signal.SIGALRM) != self._on_alarm:
                signal.signal(signal.SIGALRM, self._on_alarm)
            if getsignal(signal.SIGINT) != self._on_interrupt:
                signal.signal(signal.SIGINT, self._on_interrupt)

    # Handlers, in the main thread.

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if self._flagged == (self._serial, self._inside):
            raise DeadlineExceeded
        if callable(self._old.get(number)):
            try:
                self._old[number](number, frame)
            except BaseException as error:
                self._others = error
                raise

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = self._hears_user
        if self._hears_user and callable(self._old.get(number)):
            self._old[number](number, frame)
        raise KeyboardInterrupt

    # The watching thread.

    def _watch(self) -> None:
        seen = self._progress()
        since, used = monotonic(), self._processor()
        attempts = imports = 0
        while not self._stop.wait(TICK if not attempts else RETRY):
            if self._box is not None:
                self._box.beat()
            now = self._progress()
            if now != seen or self.excused or not (self._inside or self._attentive):
                if not (attempts or self.excused):
                    self._longest = max(self._longest, monotonic() - since)
                seen, attempts, imports = now, 0, 0
                since, used = monotonic(), self._processor()
                continue
            processor, wall = self._limits if self._inside else (math.inf, UNCALLED * self._limits[1])
            if self._processor() - used < processor and monotonic() - since < wall * self.stretch:
                continue
            if imports < IMPORTS and is_importing(self._thread_id):
                imports += 1
                since, used = monotonic(), self._processor()
                continue
            attempts += 1
            if attempts > PATIENCE:
                if self._box is not None:
                    self._box.hang(*self._place())
                self.give_up(self._describe_hang())
            self._flagged = (self._serial, self._inside)
            self._interrupt()

    def _interrupt(self) -> None:
        alarm = getattr(signal, "SIGALRM", None)
        if self._in_main_thread and alarm is not None and signal.getsignal(alarm) == self._on_alarm:
            signal.pthread_kill(self._thread_id, alarm)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread_id), ctypes.py_object(DeadlineExceeded)
            )

    def _progress(self) -> tuple[int, int]:
        passing = self._passing
        return self._serial, len(passing.items) if passing is not None else 0

    def _processor(self) -> float:
        return clock_gettime(self._clock) if self._clock is not None and clock_gettime is not None else 0.0

    def _place(self) -> tuple[Seat, str, int | None, int | None]:
        """Where the target's code is: the seat, the phase, the epoch and the step."""
        seat, phase, epoch = self.last_call
        if self._passing is None or seat.passing is None:
            return seat, phase, epoch, None
        return seat, seat.phase, epoch, seat.passing.steps

    def _describe_hang(self) -> str:
        seat, phase, epoch, step = self._place()
        return (
            f"rank {seat.rank} hung in {phase} (experiment {seat.experiment}{in_epoch(epoch, step)}) "
            f"and swallowed every interruption; case {seat.case.token}"
        )


def _end_process(what: str) -> None:
    os.write(2, f"samplercheck: {what}. The process ends with status {EXIT_HUNG}.\n".encode())
    sys.stderr.flush()
    os._exit(EXIT_HUNG)
