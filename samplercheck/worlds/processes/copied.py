"""One copied process, as the process that asked for it sees it: like a launched one, but not its child.

Used by ``copies`` and for forked ranks. Its end is seen through a descriptor of the kernel's, and it is
reaped by the fork server, its parent. Standard library alone.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.launch import LaunchedProcess, status_of

COPY = "a copy"
KILLED = status_of(-9)
AT_ONCE = 0.3
LONGEST_REAP = 5.0


def ask_for_copy(server: Connection, job: dict[str, Any], **descriptors: int) -> Connection:
    """Ask a fork server for a copy that does a job and gets descriptors; return what is heard of it by."""
    control, peer = Pipe()
    try:
        sent = {"control": peer.fileno(), **descriptors}
        with _channel(server) as channel:
            server.send({**job, "client": os.getpid(), "descriptors": list(sent)})
            socket.send_fds(channel, [b"+"], list(sent.values()))
    except OSError:
        control.close()
        raise
    finally:
        peer.close()
    return control


def receive_descriptors(client: Connection, names: list[str]) -> dict[str, int]:
    """Receive the descriptors that follow a request; what this process starts does not inherit them."""
    with _channel(client) as channel:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, len(names))
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)  # noqa: FBT003  (positional in its signature)
    if len(descriptors) < len(names):
        raise EOFError
    return dict(zip(names, descriptors, strict=True))


def _channel(connection: Connection) -> socket.socket:
    return socket.socket(fileno=os.dup(connection.fileno()))


class Fallback:
    """What launches a process where nobody copies it; what that one gets is kept open here."""

    def __init__(
        self, launch: Callable[..., LaunchedProcess], stderr: int, connection: Connection | None
    ) -> None:
        self._launch = launch
        self._stderr = os.dup(stderr)
        self._connection = None if connection is None else Connection(os.dup(connection.fileno()))

    def launch(self) -> LaunchedProcess:
        """Launch the process."""
        return self._launch(stderr=self._stderr, connection=self._connection)

    def close(self) -> None:
        """Let go of what is kept."""
        os.close(self._stderr)
        if self._connection is not None:
            self._connection.close()


class CopiedProcess:
    """A process copied for here, or launched if nobody copies any more; ``pid`` is 0 until known.

    One that has no ``fallback`` is as if it was killed where it is not copied, and ``why`` may say why.
    """

    def __init__(self, control: Connection, lifeline: int = -1, fallback: Fallback | None = None) -> None:
        self._control = control
        self._lifeline = lifeline
        self._fallback = fallback
        self._launched: LaunchedProcess | None = None
        self._pid, self._end = 0, -1
        self._status = ""
        self.why = ""

    @property
    def pid(self) -> int:
        """Its number, 0 while that is not known."""
        self.has_begun(0)
        return self._pid if self._launched is None else self._launched.pid

    @property
    def has_ended(self) -> bool:
        """Whether it has ended; it stays a zombie, so that its group keeps its number."""
        if not self.has_begun(0):
            return False
        if self._launched is not None:
            return self._launched.has_ended
        return bool(self._status) or bool(wait([self._end], 0))

    def has_begun(self, seconds: float | None) -> bool:
        """Whether it has begun, which is waited for so long; launch it where nobody copies it."""
        if self._pid or self._status or self._launched is not None:
            return True
        try:
            if not self._control.poll(seconds):
                return False
            found = self._control.recv()
            if isinstance(found, int):
                self._end, self._pid = lifetime.open_end(found), found
            else:
                self.why = found
        except (EOFError, OSError):  # the fork server has ended
            pass
        if not self._pid:
            self._control.close()
            if self._fallback is None:
                self._status = KILLED
            else:
                self._launched = self._fallback.launch()
        self._let_go()
        return True

    @property
    def waitable(self) -> list[int]:
        """What is ready when it has ended."""
        return [self._end] if self._pid and not self._status else []

    def wait(self, seconds: float | None = None) -> str:
        """Wait for its end and say how it ended; subprocess.TimeoutExpired where that takes longer."""
        until = None if seconds is None else time.monotonic() + seconds
        if not self.has_begun(seconds):
            raise subprocess.TimeoutExpired(COPY, seconds or 0)
        left = None if until is None else max(0.0, until - time.monotonic())
        if self._launched is not None:
            return self._launched.wait(left)
        if not self._status:
            if not wait([self._end], left):
                raise subprocess.TimeoutExpired(COPY, seconds or 0)
            self._status = self._reap()
        return self._status

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        pid = self.pid
        if pid and not self.has_ended:
            os.kill(pid, number)

    def kill(self) -> None:
        """Kill it and its process group; one that does not begin at once will end as it begins."""
        if not self.has_begun(AT_ONCE):
            self._status = KILLED
            self._let_go()
            self._control.close()
            self.close_lifeline()
        elif self._launched is not None:
            self._launched.kill()
        elif not self._status:
            lifetime.kill(self._pid)

    def close_lifeline(self) -> None:
        """Close its standard input, at whose end it ends."""
        if self._launched is not None:
            self._launched.close_lifeline()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def end(self) -> str:
        """Kill it and its group, wait until it is gone, and say how it ended."""
        self.kill()
        status = self.wait()
        self.close_lifeline()
        return status

    def _let_go(self) -> None:
        if self._fallback is not None:
            self._fallback.close()
            self._fallback = None

    def _reap(self) -> str:
        """Have it reaped and return how it ended; what ended its parent too came from outside."""
        try:
            self._control.send("reap")
            return status_of(self._control.recv()) if self._control.poll(LONGEST_REAP) else KILLED
        except (EOFError, OSError):
            return KILLED
        finally:
            self._control.close()
            os.close(self._end)


StartedProcess = LaunchedProcess | CopiedProcess
"""A process that was started from here, in one way or the other."""
