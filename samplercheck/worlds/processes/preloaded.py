"""Preloaded process: has torch and the kit loaded, runs no target's code, and makes copies of itself.

Started by ``copies``; the copies become supervised children and servers. It has one thread, never makes a
process group, and waits for nothing but requests. It ends when the process that started it does, or when
nobody has asked for a copy for some time. Linux only.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

from samplercheck.worlds.processes import copies, lifetime
from samplercheck.worlds.processes.bootstrap import import_object
from samplercheck.worlds.processes.template import receive_descriptor

EVERY = 0.25
LONGEST_IDLE = 300.0


def main(handle: str, client: str, needed: str, later: str) -> NoReturn:
    """Import what is ``needed``, by references, and serve ``client``; what is needed ``later`` follows."""
    os.set_inheritable(int(handle), False)  # noqa: FBT003  (positional in its signature)
    lifeline = lifetime.take_lifeline()
    lifetime.die_on_hangup(lifeline)
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _load(needed)
    gc.collect()
    gc.freeze()  # the copies share it, also while they collect garbage
    with suppress(EOFError, OSError):
        _Preloaded(int(handle), lifetime.open_end(int(client)), (lifeline,), old, later).serve()
    os._exit(0)


def _load(references: str) -> None:
    """Import what references name; of what is missing its users will complain."""
    gc.disable()
    for reference in filter(None, references.split(",")):
        with suppress(ImportError):
            import_object(reference)
    gc.enable()


class _Preloaded:
    """Copies itself when it is asked to.

    ``clients`` are who may ask: the process that started it and its copies. Each copy has a ``control``, over
    which its starter hears its number and has it reaped.
    """

    def __init__(self, handle: int, starter: int, private: tuple[int, ...], old: Any, later: str) -> None:
        self._first = Connection(handle)
        self._clients = [self._first]
        self._controls: dict[Connection, int] = {}
        self._left: list[int] = []
        self._starter = starter
        self._private = private
        self._old, self._later = old, later
        self._is_first = True

    def serve(self) -> None:
        """Serve until the starter has gone, or nothing was asked for and nothing ran for too long."""
        while True:
            longest = EVERY if self._left else None if self._controls else LONGEST_IDLE
            ready = wait([*self._clients, *self._controls, self._starter], longest)
            if self._starter in ready or not (ready or self._left or self._controls):
                return
            for connection in [*self._clients]:
                if connection in ready:
                    self._take_request(connection)
            for control in [*self._controls]:
                if control in ready:
                    self._give_up(control)
            self._left = [pid for pid in self._left if not os.waitpid(pid, os.WNOHANG)[0]]

    def _take_request(self, client: Connection) -> None:
        """Copy this process as a client asks for."""
        try:
            job = client.recv()
            received = [receive_descriptor(client) for _ in range(job["descriptors"])]
        except (EOFError, OSError):
            if client is self._first:
                raise
            client.close()
            self._clients.remove(client)
            return
        if not self._is_first:
            self._load_later()
        self._is_first = False
        asking, peer = Pipe()
        control = Connection(received[0])
        with suppress(OSError):  # no copy could be made, or nobody waits for it: the control is closed
            pid = lifetime.fork()
            if not pid:
                _become(job, received, peer, (*self._descriptors, asking.fileno()), self._old)
            self._controls[control] = pid
            self._clients.append(asking)
            control.send(pid)
        peer.close()
        for descriptor in received[1:]:
            os.close(descriptor)
        if control not in self._controls:
            asking.close()
            control.close()

    def _load_later(self) -> None:
        """Load what many jobs need and not all, once a second copy is asked for: more will be."""
        if self._later:
            _load(self._later)
            gc.freeze()
            self._later = ""

    @property
    def _descriptors(self) -> tuple[int, ...]:
        """What no copy may hold."""
        connections = [connection.fileno() for connection in (*self._clients, *self._controls)]
        return (*self._private, self._starter, *connections)

    def _give_up(self, control: Connection) -> None:
        """Reap a copy that has ended, and say how; one whose starter has gone is reaped when it ends."""
        pid = self._controls.pop(control)
        try:
            control.recv()
            control.send(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        except (EOFError, OSError):
            self._left.append(pid)
        control.close()


# In a copy


def _become(
    job: dict[str, Any], received: list[int], asking: Connection, private: tuple[int, ...], old: Any
) -> NoReturn:
    """Become what a request asks for; never returns."""
    code = 1
    try:
        lifetime.own_session()
        signal.signal(signal.SIGINT, old)
        for descriptor in (*private, received[0]):
            os.close(descriptor)
        for place, descriptor in zip((0, 2), received[1:3], strict=True):
            os.dup2(descriptor, place)
            os.close(descriptor)
        _settle(job)
        copies.take_over(asking, job["conditions"])
        words = [str(received[3]), str(job["client"])] if len(received) > len((0, 0, 0)) else []
        import_object(job["main"])(*words, *job["words"])
        code = 0
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else bool(asked.code)
    except BaseException:  # noqa: BLE001  (the process that asked shows it)
        with suppress(BaseException):
            traceback.print_exc()
            sys.stderr.flush()
    os._exit(code)


def _settle(job: dict[str, Any]) -> None:
    """Make this process like one that is started where the request comes from."""
    os.chdir(job["directory"])
    if dict(os.environ) != job["environment"]:
        os.environ.clear()
        os.environ.update(job["environment"])
    sys.path[:] = job["path"]
    importlib.invalidate_caches()
    tempfile.tempdir = None
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()  # of each process of its own, as Python's generator is after a fork
