"""Hostile samplers that first note their process in the file that the test watches.

Run by ``tests/supervision``; ``HOSTILE_NOTES`` names the file.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import time
from pathlib import Path

from tests.hostile.samplers import Sound


class Noted(Sound):
    def note(self, what):
        with Path(os.environ["HOSTILE_NOTES"]).open("a") as notes:
            notes.write(f"{what}\n")


class Sleeps(Noted):
    def do(self):
        self.note(os.getpid())
        time.sleep(1_000)


class Swallows(Noted):
    def do(self):
        self.note(os.getpid())
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                time.sleep(0.01)


class HoldsTheInterpreter(Noted):
    def do(self):
        self.note(os.getpid())
        ctypes.PyDLL(None).sleep(1_000)


class _DropsAndThen(Noted):
    """Drops the first sample of each rank, until a case is as large that it does what no signal ends."""

    def __iter__(self):
        if (len(self.dataset), self.num_replicas, self.epoch) == (5, 3, 1):
            self.do()
        yield from [*super().__iter__()][1:]


class DropsAndHoldsTheInterpreter(_DropsAndThen):
    """Where compiled code goes on after a signal, and lets nothing else run."""

    def do(self):
        self.note(os.getpid())
        sum(range(10**12))


class DropsAndSwallows(_DropsAndThen, Swallows):
    """Where every Ctrl-C is swallowed."""


class CrashesOnce(Noted):
    def do(self):
        if not Path(os.environ["HOSTILE_NOTES"]).exists():
            self.note("crashed")
            os._exit(5)


class IsKilledOnce(Noted):
    def do(self):
        if not Path(os.environ["HOSTILE_NOTES"]).exists():
            self.note("killed")
            os.kill(os.getpid(), 9)


class SaysHowItRuns(Noted):
    def do(self):
        self.note(f"{sys.flags.optimize} {sys.warnoptions} {sys.argv}")
