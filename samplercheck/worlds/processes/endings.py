"""Endings: whether and how a process that was started here has ended, and how it is made to."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

__all__ = ["has_ended", "kill_group", "let_go", "status_of"]


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has ended; it stays a zombie, so that its group keeps its number."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # it is buried, or this process ignores SIGCHLD: nobody is left to wait for
        return True


def status_of(code: int) -> str:
    """Say how a process ended from its exit code, negative for a signal: "SIGSEGV" or "exit status 3"."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and the group; where there are none, what it has started stays."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Close the lifeline of a process that has ended."""
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
