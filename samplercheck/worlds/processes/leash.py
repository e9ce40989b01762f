"""Leash: what keeps processes from outliving whoever started them, and what counts and ends them.

Called in the server, in what is copied from it and in ranks; may import the standard library alone.
Sessions, parent-death signals and orphans are Linux' affair; elsewhere each function does what it can.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path

__all__ = [
    "adopt_orphans",
    "copies_are_safe",
    "count_threads",
    "default_signals",
    "descendants",
    "die_on_hangup",
    "die_with_parent",
    "end_with_lifeline",
    "fork",
    "kill",
    "let_orphans_go",
    "limit_memory",
    "own_session",
    "status_of",
    "take_lifeline",
]

PROCESSES = Path("/proc")
DEATH_SIGNAL, SUBREAPER = 1, 36  # Linux' PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER
SIGNAL_ON_HANGUP = 10  # Linux' F_SETSIG, for which Python has no name


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


def die_on_hangup(lifeline: int) -> None:
    """Let the kernel kill this process' group when the other end of a pipe closes.

    The kernel does it, so that it works also while the interpreter stands still.
    """
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, SIGNAL_ON_HANGUP, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def take_lifeline() -> int:
    """Return standard input, which closes when the client does, and leave an empty one in its place."""
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lifeline


def end_with_lifeline(lifeline: int) -> None:
    """End this process when its lifeline closes; where the kernel does not see to it, a thread does."""
    die_on_hangup(lifeline)
    if sys.platform != "linux":
        name = "samplercheck-lifeline"
        threading.Thread(target=_await_end, args=(lifeline,), name=name, daemon=True).start()


def _await_end(lifeline: int) -> None:
    with suppress(OSError):
        while os.read(lifeline, 1):
            pass
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


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


def status_of(code: int) -> str:
    """Say how a process ended from its exit code, negative for a signal: "SIGSEGV" or "exit status 3"."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


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
