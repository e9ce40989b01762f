"""Fork server: a process that makes copies of itself for those that ask. Linux only.

The first one, started by ``copies``, has torch and the kit loaded and runs no target's code: its copies
become supervised children, and the templates that ranks are forked from (``template``), fork servers too.
It has one thread, never makes a process group, and waits for nothing but requests. It ends when the process
that started it does, or when nobody has asked for a copy for some time.
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
from samplercheck.worlds.processes.copied import receive_descriptors

LONGEST_IDLE = 300.0


def main(handle: str, client: str, needed: str, later: str) -> NoReturn:
    """Import what is ``needed``, by references, and serve ``client``; what is needed ``later`` follows."""
    lifeline = lifetime.take_lifeline()
    lifetime.die_on_hangup(lifeline)
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    _load(needed)
    gc.collect()
    gc.freeze()  # the copies share it, also while they collect garbage
    with suppress(EOFError, OSError):
        _Preloaded(handle, client, [lifeline], interrupt, later).serve()
    os._exit(0)


def _load(references: str) -> None:
    """Import what references name; of what is missing its users will complain."""
    gc.disable()
    for reference in filter(None, references.split(",")):
        with suppress(ImportError):
            import_object(reference)
    gc.enable()


class ForkServer:
    """Copies itself when it is asked to.

    ``client`` is the connection to the process that started it; copies that may ask for others are clients
    too. Each copy has a ``control``, over which who asked for it hears its number and has it reaped. ``left``
    are copies that nobody waits for any more. ``private`` are descriptors that no copy may hold,
    ``interrupt`` is what a copy does at Ctrl-C.
    """

    longest_idle: float | None = None

    def __init__(self, handle: str, starter: str, private: list[int], interrupt: Any) -> None:
        os.set_inheritable(int(handle), False)  # noqa: FBT003  (positional in its signature)
        self.client = Connection(int(handle))
        self.copies: dict[Connection, int] = {}
        self.private = private
        self._clients = [self.client]
        self._ends: list[int] = []
        self.left: list[int] = []
        self._process = os.getpid()
        self._starter = lifetime.open_end(int(starter))
        self._interrupt = interrupt

    def serve(self) -> None:
        """Serve until the starter has gone, or nothing was asked for and nothing ran for too long."""
        while True:
            runs = self.copies or self.left
            watched: list[Any] = [*self._clients, *self.copies, *self._ends, self._starter]
            ready = wait(watched, None if runs else self.longest_idle)
            if self._starter in ready or not ready:
                return
            for connection in [*self._clients]:
                if connection in ready:
                    self._hear(connection)
            for control in [*self.copies]:
                if control in ready:
                    self._give_up(control)
            for end in [end for end in self._ends if end in ready]:
                os.close(end)
                self._ends.remove(end)
                self.notice_end()
            self.left = [pid for pid in self.left if not os.waitpid(pid, os.WNOHANG)[0]]

    def notice_end(self) -> None:
        """Do what is to be done when a copy has ended."""

    def prepare(self) -> None:
        """Get ready to be copied; called before each copy."""

    def begin_copy(self, server: int) -> None:
        """Do what a copy of the process ``server`` has to do first."""

    def obey(self, client: Connection, job: dict[str, Any]) -> None:
        """Make the copy that a client asks for."""
        received = receive_descriptors(client, job["descriptors"])
        self.prepare()
        asking = Pipe() if "conditions" in job else ()
        control = Connection(received.pop("control"))
        try:
            pid = lifetime.fork()
            if not pid:
                self._become(job, received, (control, *asking[:1]), *asking[1:])
        except OSError as error:
            _say(control, str(error))
            control.close()
        else:
            self.copies[control] = pid
            self._ends.append(lifetime.open_end(pid))
            self._clients += asking[:1]
            _say(control, pid)
        for connection in asking[1:] if control in self.copies else asking:
            connection.close()
        for descriptor in received.values():
            os.close(descriptor)

    def _hear(self, client: Connection) -> None:
        """Do what a client asks for; the end of the first one is that of this process."""
        try:
            self.obey(client, client.recv())
        except (EOFError, OSError):
            if client is self.client:
                raise
            client.close()
            self._clients.remove(client)

    def _give_up(self, control: Connection) -> None:
        """Reap a copy that has ended, and say how; one whose starter has gone is reaped when it ends."""
        pid = self.copies.pop(control)
        try:
            control.recv()
            control.send(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        except (EOFError, OSError):
            self.left.append(pid)
        control.close()

    def _become(
        self,
        job: dict[str, Any],
        received: dict[str, int],
        private: tuple[Connection, ...],
        asks: Connection | None = None,
    ) -> NoReturn:
        """Become what a request asks for; never returns. Where it ``asks``, it can be a client itself."""
        code = 1
        try:
            self.begin_copy(self._process)
            lifetime.own_session()
            signal.signal(signal.SIGINT, self._interrupt)
            for connection in (*private, *self._clients, *self.copies):
                connection.close()
            for descriptor in (*self.private, *self._ends, self._starter):
                os.close(descriptor)
            if asks is not None:
                _settle(job, received)
                copies.take_over(asks, job["conditions"])
            words = [str(received["connection"]), str(job["client"])] if "connection" in received else []
            import_object(job["main"])(*words, *job["words"])
            code = 0
        except SystemExit as asked:
            code = asked.code if isinstance(asked.code, int) else bool(asked.code)
        except BaseException:  # noqa: BLE001  (the process that asked shows it)
            with suppress(BaseException):
                traceback.print_exc()
                sys.stderr.flush()
        os._exit(code)


class _Preloaded(ForkServer):
    """The first fork server, whose copies go on without it; ``later`` is what not all of them need."""

    longest_idle = LONGEST_IDLE

    def __init__(self, handle: str, starter: str, private: list[int], interrupt: Any, later: str) -> None:
        super().__init__(handle, starter, private, interrupt)
        self._later = later
        self._is_first = True

    def prepare(self) -> None:
        """Load what many jobs need and not all, once a second copy is asked for: more will be."""
        if self._later and not self._is_first:
            _load(self._later)
            gc.freeze()
            self._later = ""
        self._is_first = False


def _say(control: Connection, what: int | str) -> None:
    with suppress(OSError):  # nobody waits for it any more
        control.send(what)


# In a copy


def _settle(job: dict[str, Any], received: dict[str, int]) -> None:
    """Make this process like one that is started where the request comes from."""
    for place, name in ((0, "stdin"), (2, "stderr")):
        os.dup2(received[name], place)
        os.close(received[name])
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
