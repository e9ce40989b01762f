"""Launch: how a fresh interpreter is started with this one's module path, flags and loopback.

Called in the client. A started process hears from nobody but the client: standard input is a lifeline
on which nothing is ever said, standard output goes nowhere, of standard error the end is kept.
Imports the standard library alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["Tail", "interpreter_flags", "launch"]

KEPT = 4_096
CHUNK = 65_536
LAST_WORDS = 0.3
MOST_LINES = 5
LOOPBACK = {"linux": "lo", "darwin": "lo0"}
# The new process takes over this one's module path before it imports anything but sys.
BOOT = (
    f"import sys; sys.path[:] = sys.argv.pop(1).split({os.pathsep!r}); "
    "from {module} import main; main(*map(int, sys.argv[1:]))"
)


def launch(module: str, connection: Connection, stderr: int, *, hash_seed: int) -> subprocess.Popen[bytes]:
    """Start ``main`` of a module with one end of a connection and this process' number."""
    handle = connection.fileno()
    command = [sys.executable, *interpreter_flags(), "-c", BOOT.format(module=module)]
    where = os.pathsep.join(map(str, sys.path))
    only_these: dict[str, Any] = _passing(handle)
    process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  (this interpreter, this package)
        [*command, where, str(handle), str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=_environment(hash_seed),
        **only_these,
    )
    return process


def interpreter_flags() -> list[str]:
    """Return the interpreter's flags that change what a target does."""
    optimised = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    return [*optimised, *(f"-W{one}" for one in sys.warnoptions)]


class Tail:
    """Drains standard error of all processes that write to ``end``, and keeps what came last."""

    def __init__(self) -> None:
        self._reading, self.end = os.pipe()
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, name="samplercheck-drain", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._reading, CHUNK):
                self._kept = (self._kept + data)[-KEPT:]

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines."""
        return tuple(self._kept.decode(errors="replace").splitlines()[-MOST_LINES:])

    def let_go(self) -> None:
        """Leave the writing end to the processes that have it."""
        if self.end >= 0:
            os.close(self.end)
            self.end = -1

    def close(self) -> None:
        """Stop listening; a process that nobody could end may still hold the other end."""
        self.let_go()
        self._thread.join(LAST_WORDS)
        if not self._thread.is_alive():
            os.close(self._reading)


def _environment(hash_seed: int) -> dict[str, str]:
    """Return this environment with hashing fixed, and gloo kept on the loopback unless the user chose."""
    here = {"GLOO_SOCKET_IFNAME": LOOPBACK[sys.platform]} if sys.platform in LOOPBACK else {}
    return {**here, **os.environ, "PYTHONHASHSEED": str(hash_seed)}


def _passing(handle: int) -> dict[str, Any]:
    """Return what lets the new process, and no other, inherit a handle, and keeps Ctrl-C from it."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)  # noqa: FBT003  (positional in its signature)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})
        return {"startupinfo": startup, "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"pass_fds": (handle,), "start_new_session": True}
