"""Newborn: the first that a rank process does, and the last. Runs in ranks, copied or started afresh.

Imports the standard library alone; what it then calls is the rank's own code.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from contextlib import suppress
from multiprocessing import connection as connections
from multiprocessing import process
from typing import TYPE_CHECKING, Any, NoReturn

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.lifeline import end_with_lifeline, take_lifeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["ENTRY", "main", "named", "run_rank"]

ENTRY = "samplercheck.worlds.groups.rank:main"


def main(handle: str, _client: str) -> NoReturn:
    """Run a rank that was started afresh; its job is the first message."""
    end_with_lifeline(take_lifeline())
    lifetime.default_signals()
    connection = _opened(int(handle))
    run_rank(connection.recv(), connection)


def _opened(handle: int) -> Any:
    """Return the connection that came with this process, and let its own children not have it."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, False)  # noqa: FBT003  (positional in its signature)
        return connections.PipeConnection(handle)
    os.set_inheritable(handle, False)  # noqa: FBT003  (positional in its signature)
    return connections.Connection(handle)


def named(reference: str) -> Callable[..., Any]:
    """Return what ``package.module:attribute`` names."""
    module, _, attribute = reference.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


def run_rank(job: dict[str, Any], connection: Connection) -> NoReturn:
    """Do what the rank is for; a target's threads and exit handlers do not get the last word."""
    # What multiprocessing keeps in files lies where it is removed, however this process ends.
    myself: Any = process.current_process()
    myself._config["tempdir"] = job["directory"]  # noqa: SLF001  (there is no public way to choose it)
    code = 1
    try:
        named(job.get("entry", ENTRY))(job, connection)
        code = 0
    except BaseException:  # noqa: BLE001  (they are its last words)
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    os._exit(code)
