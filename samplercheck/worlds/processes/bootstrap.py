"""Bootstrap: the first that a process of the kit does, and the last.

Runs in supervised children and in ranks. Imports the standard library alone; what a rank then calls is
the rank's own code.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection as connections
from multiprocessing import process
from pathlib import Path
from typing import Any, NoReturn

from samplercheck.worlds.processes import lifetime

RANK_MAIN = "samplercheck.worlds.groups.rank:main"
EXIT_HUNG = 4


def write_frames_to(path: Path) -> Callable[[str], None]:
    """Let this process write its frames to a file when it crashes or gets SIGUSR2.

    Returns what a guard calls to give up on a target that hangs: it writes the frames and ends the process.
    """
    frames = path.open("w")  # faulthandler keeps it open
    faulthandler.enable(frames, all_threads=False)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR2, frames, all_threads=False)

    def give_up(_: str) -> None:
        """End; the black box knows why, and the frames of what hangs are left beside it."""
        with suppress(OSError):
            path.write_text(frames_of_main_thread())
        os._exit(EXIT_HUNG)

    return give_up


def frames_of_main_thread() -> str:
    """Return where the main thread is, in the way faulthandler writes it: the innermost first."""
    hanging = sys._current_frames()[threading.main_thread().ident or 0]  # noqa: SLF001  (documented, and the only way)
    stack = [(frame.f_code, line) for frame, line in traceback.walk_stack(hanging)]
    return "".join(f'  File "{code.co_filename}", line {line} in {code.co_name}\n' for code, line in stack)


def main(handle: str, starter: str) -> NoReturn:
    """Run a spawned rank."""
    lifetime.end_with_lifeline(lifetime.take_lifeline())
    lifetime.default_signals()
    run_rank(handle, starter)


def _open_connection(handle: int) -> Any:
    """Return the connection that came with this process; its own children do not inherit it."""
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, False)  # noqa: FBT003  (positional in its signature)
        return connections.PipeConnection(handle)
    os.set_inheritable(handle, False)  # noqa: FBT003  (positional in its signature)
    return connections.Connection(handle)


def import_object(reference: str) -> Callable[..., Any]:
    """Return what ``package.module:attribute`` names."""
    module, _, attribute = reference.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    return found


def run_rank(handle: str, _starter: str) -> NoReturn:
    """Do what the rank is for, then end at once: no thread or exit handler of a target runs after it.

    Its job is the first message.
    """
    connection = _open_connection(int(handle))
    job = connection.recv()
    # What multiprocessing keeps in files lies where it is removed, however this process ends.
    this_process: Any = process.current_process()
    this_process._config["tempdir"] = job["directory"]  # noqa: SLF001  (there is no public way to choose it)
    code = 1
    try:
        import_object(job.get("entry", RANK_MAIN))(job, connection)
        code = 0
    except BaseException:  # noqa: BLE001  (the process that started the rank shows it)
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    os._exit(code)
