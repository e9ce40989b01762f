"""Launch: fresh interpreters that run ``main`` of one of the kit's modules, and copies of this process.

Called in the process of the run: for the supervised child, the first fork server, and spawned ranks; copies
serve it as spare process and workers. Standard input of a started process is its lifeline, standard output
goes nowhere, and of standard error the end is kept. Standard library alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from samplercheck.worlds.processes import lifetime

# The new process takes over this one's module path before it imports anything but sys.
BOOT = (
    "import sys; path, *words = sys.argv[1:]; del sys.argv[1:]; "
    f"sys.path[:] = path.split({os.pathsep!r}); "
    "from {module} import main; main(*words)"
)
KEPT = 4_096
CHUNK = 65_536
MOST_LINES = 5
LAST_WRITE = 0.3


def command(module: str, *words: object) -> list[str]:
    """Return what starts ``main`` of a module in a process of its own; it gets the words as text."""
    optimised = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    flags = [*optimised, *(f"-W{option}" for option in sys.warnoptions)]  # they change what a target does
    path = os.pathsep.join(map(str, sys.path))
    return [sys.executable, *flags, "-c", BOOT.format(module=module), path, *map(str, words)]


def launch(
    module: str,
    *words: object,
    stderr: int,
    connection: Connection | None = None,
    environment: dict[str, str] | None = None,
) -> LaunchedProcess:
    """Start ``main`` of a module; with a connection its words are that one's handle and this process's id."""
    if connection is not None:
        words = (connection.fileno(), os.getpid(), *words)
    inherited: dict[str, Any] = _inheriting(connection)
    return LaunchedProcess(
        subprocess.Popen(  # noqa: S603  (this interpreter, this package)
            command(module, *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env=environment,
            **inherited,
        )
    )


def _inheriting(connection: Connection | None) -> dict[str, Any]:
    """Return what lets the new process, and no other, inherit a connection, and keeps Ctrl-C from it."""
    handles = [] if connection is None else [connection.fileno()]
    if sys.platform == "win32":
        if not handles:
            return {}
        os.set_handle_inheritable(handles[0], True)  # noqa: FBT003  (positional in its signature)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})
        return {"startupinfo": startup, "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"pass_fds": handles, "start_new_session": True}


class LaunchedProcess:
    """A process that was started here; where there are process groups it leads one of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.pid = process.pid
        self.waitable: list[int] = []  # nothing is ready when it has ended

    @property
    def has_ended(self) -> bool:
        """Whether it has ended; it stays a zombie, so that its group keeps its number."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # it was reaped, or this process ignores SIGCHLD: there is none to wait for
            return True

    def has_begun(self, _seconds: float | None) -> bool:
        """Whether it has begun, as it has when it is launched; a copied process is waited for so long."""
        return True

    def wait(self, seconds: float | None = None) -> str:
        """Wait for its end and say how it ended; subprocess.TimeoutExpired where that takes longer."""
        return status_of(self._process.wait(seconds))

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if not self.has_ended:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it and its process group; where there are no groups, what it has started stays."""
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def close_lifeline(self) -> None:
        """Close its standard input, at whose end it ends."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def end(self) -> str:
        """Kill it and its group, wait until it is gone, and say how it ended."""
        self.kill()
        status = self.wait()
        self.close_lifeline()
        return status


def status_of(code: int) -> str:
    """Say how a process ended from its exit code, negative for a signal: "SIGSEGV" or "exit status 3"."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


class StderrTail:
    """Drains what all processes write that have ``writing``, and keeps what came last."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, name="samplercheck-drain", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._reading, CHUNK):
                self._kept = (self._kept + data)[-KEPT:]
            os.close(self._reading)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines."""
        return tuple(self._kept.decode(errors="replace").splitlines()[-MOST_LINES:])

    def stop_writing(self) -> None:
        """Leave the writing end to the processes that have it."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def settle(self) -> None:
        """Read on to the end, where every process that writes has ended; else the reading end stays open."""
        self.stop_writing()
        self._thread.join(LAST_WRITE)


class ForkedChild:
    """A copy of this process as it is now, which serves it over a connection and ends with it; Linux only.

    ``serve`` is called in it, which holds none of the ``private`` connections.
    """

    def __init__(self, serve: Callable[[Connection], None], private: Iterable[Connection] = ()) -> None:
        self.connection, peer = Pipe()
        parent = os.getpid()
        self._pid = lifetime.fork()
        if not self._pid:
            lifetime.die_with_parent(parent)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for connection in (self.connection, *private):
                connection.close()
            with suppress(BaseException):
                serve(peer)
            os._exit(0)
        peer.close()

    def end(self) -> str:
        """Kill and reap it, and say how it has ended."""
        self.connection.close()
        with suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            return status_of(os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]))
        return status_of(-signal.SIGKILL)
