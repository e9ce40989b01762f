"""Lifetime: what keeps processes from outliving the one that started them, and what counts and ends them.

Called in started processes: the supervised child, fork servers, what is forked from them, ranks; and by what
starts them. Standard library alone. Sessions, parent-death signals and orphans are Linux's; elsewhere each
function does what it can.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

PROCESSES = Path("/proc")
DEATH_SIGNAL, SUBREAPER = 1, 36  # Linux' PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER
PIDFD_OPEN = 434
SIGNAL_ON_HANGUP = 10  # Linux' F_SETSIG, for which Python has no name
GLANCE = 0.002


# Lifeline: the standard input of a started process. Nothing is written to it; it ends with its starter.


def take_lifeline() -> int:
    """Return standard input, and leave an empty one in its place."""
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lifeline


def die_on_hangup(lifeline: int) -> None:
    """Let the kernel kill this process's group when the other end closes, also if Python stands still."""
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


# Sessions, signals, orphans


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
    """Take back what this process, or the shell before it, has ignored, blocked or rerouted."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGCHLD"):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process when ``parent`` dies, also where it died a moment ago."""
    _call("prctl", DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies: none of them gets out of sight."""
    _call("prctl", SUBREAPER, 1, 0, 0, 0)


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


def open_end(pid: int) -> int:
    """Return a descriptor that is ready when a process has ended, of whomever it is a child (Linux 5.3)."""
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    return _call("syscall", PIDFD_OPEN, pid, 0)  # a Python that was built for an older kernel lacks it


def count_threads() -> int:
    """Return how many threads the kernel sees in this process, those that Python does not know included."""
    return len(list((PROCESSES / "self/task").iterdir()))


def descendants(ancestor: int, kept: Collection[int] = ()) -> dict[int, int]:
    """Return the processes below ``ancestor``, with their parents; none kept, and none that is below one."""
    parents = _parents()
    found: dict[int, int] = {}
    border = {ancestor}
    while border:
        known = {*found, *kept}
        below = {pid: parent for pid, parent in parents.items() if parent in border and pid not in known}
        found.update(below)
        border = set(below)
    return found


def end_descendants(longest: float, kept: Collection[int] = ()) -> None:
    """Kill and reap all processes below this one but those kept, also those that are started meanwhile."""
    until = time.monotonic() + longest
    while (below := descendants(os.getpid(), kept)) and time.monotonic() < until:
        for pid in below:
            kill(pid)
        for pid, parent in below.items():
            if parent == os.getpid():
                os.waitpid(pid, os.WNOHANG)
        time.sleep(GLANCE)


def kill(pid: int) -> None:
    """Kill a child of this process, or of a child, and its process group where it leads one."""
    for send in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            send(pid, signal.SIGKILL)


def _parents() -> dict[int, int]:
    found = {}
    for entry in PROCESSES.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended meanwhile
                text = (entry / "stat").read_text(errors="replace")
                found[int(entry.name)] = int(text[text.rindex(")") + 1 :].split()[1])
    return found


def _call(function: str, *arguments: int) -> int:
    """Call a function of the C library that Python has no name for."""
    result: int = getattr(ctypes.CDLL(None, use_errno=True), function)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
