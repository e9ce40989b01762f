"""Template: the process that ranks are forked from, with what they need loaded, and often a target imported.

Started by ``ForkedRanks``, as a copy of the first fork server. A target is imported before any rank is there,
and what that does to its process no other template feels. Once there are ranks it runs no target's code: when
it hears that who started it has gone, it ends all that descends from it, and itself.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.bootstrap import import_object
from samplercheck.worlds.processes.fork_server import ForkServer

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

OPENING = "opening"
LONGEST_END = 4.0
QUIET = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""What libraries read while they are loaded, and then start no threads: SciPy's, and pandas with Arrow."""


def main(handle: str, client: str) -> NoReturn:
    """Serve the process with the id ``client``, which has the other end of ``handle``."""
    lifeline = lifetime.take_lifeline()
    lifetime.die_on_hangup(lifeline)
    lifetime.default_signals()
    lifetime.adopt_orphans()
    _load()
    template = _Template(handle, client, [lifeline], signal.default_int_handler)
    try:
        with suppress(EOFError, OSError):
            template.serve()
    finally:
        lifetime.end_descendants(LONGEST_END)
    os._exit(0)


def _load() -> None:
    """Load what every rank needs; what is frozen the forks share, also while they collect garbage."""
    from samplercheck.worlds.groups.rank import prepare

    prepare()
    gc.collect()
    gc.freeze()


class _Template(ForkServer):
    """Opens one parcel at most, and then makes ranks, which end with it."""

    def obey(self, client: Connection, job: dict[str, Any]) -> None:
        """Open a parcel, or make a rank."""
        if "parcel" in job:
            client.send(OPENING)
            client.send(_open(job["parcel"], job["opener"]))
        else:
            super().obey(client, job)

    def prepare(self) -> None:
        """Keep no lifeline: from now on what descends from this process is ended before it."""
        while self.private:
            os.close(self.private.pop())

    def begin_copy(self, server: int) -> None:
        """Let a rank end with its template, and what it starts with the rank."""
        lifetime.die_with_parent(server)
        lifetime.adopt_orphans()

    def notice_end(self) -> None:
        """End what a rank has left behind."""
        lifetime.end_descendants(LONGEST_END, kept=[*self.copies.values(), *self.left])


def _open(parcel: bytes, opener: str) -> str:
    """Import what the parcel needs; return why ranks may not be forked from here afterwards."""
    added = {name: value for name, value in QUIET.items() if name not in os.environ}
    os.environ.update(added)
    try:
        import_object(opener)(parcel)
    except BaseException as error:  # noqa: BLE001  (a rank meets it again and reports it)
        return f"it raised {type(error).__name__}: {error}"
    finally:
        for name in added:
            os.environ.pop(name, None)
    lifetime.default_signals()
    threads = lifetime.count_threads() - 1
    if threads:
        return f"it started {threads} thread{'s' * (threads > 1)}"
    if lifetime.descendants(os.getpid()):
        return "it started a process"
    return "it initialised CUDA" if _has_touched_cuda() else ""


def _has_touched_cuda() -> bool:
    """Ask torch in a fork of this process whether CUDA is beyond use there."""
    copy = lifetime.fork()
    if not copy:
        import torch

        os._exit(torch.cuda._is_in_bad_fork())  # noqa: SLF001  (there is no public way to ask)
    return os.waitpid(copy, 0)[1] != 0
