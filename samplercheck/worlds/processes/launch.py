"""Launch: how a fresh interpreter is started for ranks, with hashing fixed and gloo on the loopback.

Called in the client. A started process hears from nobody but the client: standard input is a lifeline,
standard output goes nowhere. Imports neither torch nor the target.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from samplercheck.worlds.processes.command import command

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["launch"]

LOOPBACK = {"linux": "lo", "darwin": "lo0"}


def launch(module: str, connection: Connection, stderr: int, *, hash_seed: int) -> subprocess.Popen[bytes]:
    """Start ``main`` of a module with one end of a connection and this process' number."""
    handle = connection.fileno()
    only_these: dict[str, Any] = _passing(handle)
    process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  (this interpreter, this package)
        command(module, handle, os.getpid()),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=_environment(hash_seed),
        **only_these,
    )
    return process


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
