"""Lifeline: standard input of a started process, on which nothing is said and which ends with its starter.

Called in the started process, so that it does not outlive the run whatever the target does there.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress

__all__ = ["die_on_hangup", "end_with_lifeline", "take_lifeline"]

SIGNAL_ON_HANGUP = 10  # Linux' F_SETSIG, for which Python has no name


def take_lifeline() -> int:
    """Return standard input, and leave an empty one in its place."""
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lifeline


def die_on_hangup(lifeline: int) -> None:
    """Let the kernel kill this process' group when the other end closes, where it can (Linux).

    The kernel does it, so that it works also while the interpreter stands still.
    """
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, SIGNAL_ON_HANGUP, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def end_with_lifeline(lifeline: int) -> None:
    """End this process when the other end closes.

    A thread sees to it too: it goes on reading also where a target closes what it has not opened,
    and the kernel then forgets what it was asked for.
    """
    with suppress(OSError):  # some kernels that call themselves Linux cannot do it
        die_on_hangup(lifeline)
    name = "samplercheck-lifeline"
    threading.Thread(target=_await_end, args=(lifeline,), name=name, daemon=True).start()


def _await_end(lifeline: int) -> None:
    with suppress(OSError):
        while os.read(lifeline, 1):
            pass
        if os.name == "posix" and os.getpgrp() == os.getpid():
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(1)
