"""Leash: what keeps processes from outliving whoever started them, and what counts and ends them.

Called in the server, in what is copied from it and in ranks; may import the standard library alone.
Sessions, parent-death signals and orphans are Linux' affair; elsewhere each function does what it can.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import warnings
from contextlib import suppress
from pathlib import Path

__all__ = [
    "adopt_orphans",
    "copies_are_safe",
    "count_threads",
    "default_signals",
    "descendants",
    "die_with_parent",
    "fork",
    "kill",
    "let_orphans_go",
    "limit_memory",
    "own_session",
]

PROCESSES = Path("/proc")
DEATH_SIGNAL, SUBREAPER = 1, 36  # Linux' PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER


def copies_are_safe() -> bool:
    """Whether processes may be copied here: where they are, orphans and parents' deaths are known too."""
    return sys.platform == "linux" and (PROCESSES / "self/stat").exists()


def fork() -> int:
    """Copy this process, which has one Python thread; those of a numerical library restart by themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def own_session() -> None:
    """Leave the terminal and its Ctrl-C behind; a process that leads its session already stays."""
    if hasattr(os, "setsid"):
        with suppress(PermissionError):
            os.setsid()


def default_signals() -> None:
    """Take back what the server, or the shell before it, has ignored, blocked or rerouted."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGCHLD"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when ``parent`` dies, also where it died a moment ago."""
    _set(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies: none of them gets out of sight."""
    _set(SUBREAPER, 1)


def let_orphans_go() -> None:
    """Take ``adopt_orphans`` back: whoever loses its parent from now on is adopted further up."""
    _set(SUBREAPER, 0)


def limit_memory(beyond: int) -> None:
    """Let this process take so many bytes beyond what it has now; more is a MemoryError."""
    import resource

    which, now = resource.RLIMIT_AS, 0
    with suppress(OSError):
        fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        # What is written to, and not the address space, of which threads reserve more than they use.
        which, now = resource.RLIMIT_DATA, int(fields["VmData"].split()[0]) * 1024
    _, most = resource.getrlimit(which)
    wanted = now + beyond
    resource.setrlimit(which, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def count_threads() -> int:
    """Return how many threads the kernel sees in this process, those that Python does not know included."""
    return len(list((PROCESSES / "self/task").iterdir()))


def descendants(ancestor: int) -> dict[int, int]:
    """Return the processes below ``ancestor``, zombies included, each with its parent."""
    parents = _parents()
    found: dict[int, int] = {}
    border = {ancestor}
    while border:
        below = {pid: parent for pid, parent in parents.items() if parent in border and pid not in found}
        found.update(below)
        border = set(below)
    return found


def kill(pid: int) -> None:
    """Kill a child of this process, or of a child, and its process group where it leads one."""
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            send(pid, signal.SIGKILL)


def _parents() -> dict[int, int]:
    """Return every process that can be seen, with its parent."""
    found = {}
    for entry in PROCESSES.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                text = (entry / "stat").read_text(errors="replace")
                found[int(entry.name)] = int(text[text.rindex(")") + 1 :].split()[1])
    return found


def _set(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
