"""Server: has torch loaded, is the ancestor of all ranks, and keeps the template processes of ranks.

Started by ``ForkedRanks``, in a process and a session of its own, with one thread. It never runs a
target's code and never waits for another process, so that it always hears when the client has gone: then
it ends everything that descends from it, and itself.
"""

from __future__ import annotations

import gc
import os
import signal
import time
import traceback
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.template import TemplateProcess, receive_descriptor

EVERY = 0.25
LONGEST_END = 4.0
GLANCE = 0.002


def main(handle: str, client: str) -> NoReturn:
    """Serve the client, which has the process id ``client`` and the other end of ``handle``."""
    os.set_inheritable(int(handle), False)  # noqa: FBT003  (positional in its signature)
    lifeline = lifetime.take_lifeline()
    lifetime.die_on_hangup(lifeline)
    lifetime.default_signals()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_everything()
    lifetime.adopt_orphans()
    os.close(lifeline)  # from now on the server ends its descendants before itself; no copy may hold this
    code = 0
    try:
        _Server(Connection(int(handle)), int(client)).serve()
    except (EOFError, ConnectionError, ProcessLookupError):
        pass
    except BaseException:  # noqa: BLE001  (a mistake in this file; the client shows the end of standard error)
        traceback.print_exc()
        code = 1
    _end_all()
    os._exit(code)


def _import_everything() -> None:
    """Load what every rank needs; what is frozen the forks share, also while they collect garbage."""
    from samplercheck.worlds.groups.rank import prepare

    prepare()
    gc.collect()
    gc.freeze()


def _end_all() -> None:
    """Kill and reap all descendants, those included that are started meanwhile."""
    until = time.monotonic() + LONGEST_END
    while (below := lifetime.descendants(os.getpid())) and time.monotonic() < until:
        for pid in below:
            lifetime.kill(pid)
        lifetime.reap()
        time.sleep(GLANCE)


class _Server:
    """Does what the client asks for, and tells it of ranks' starts and ends.

    While a new template process opens a parcel, the ranks that are asked for wait in line. Templates
    whose place was taken stay as long as they have ranks.
    """

    def __init__(self, client: Connection, parent: int) -> None:
        self._client = client
        self._parent = parent
        # It need not be this process's parent, which may be one that is only there to be copied.
        self._gone = [lifetime.open_end(parent)] if hasattr(os, "pidfd_open") else []
        self._exits = lifetime.ChildExits()
        self._retired: list[TemplateProcess] = []
        self._opening: TemplateProcess | None = None
        self._current: TemplateProcess | None = None
        self._current = self._fork_template()
        self._line: dict[int, tuple[bytes, int]] = {}

    @property
    def _templates(self) -> list[TemplateProcess]:
        current = (self._current, self._opening, *self._retired)
        return [template for template in current if template is not None]

    def _fork_template(self, *details: Any) -> TemplateProcess:
        connections = [template.connection.fileno() for template in self._templates]
        private = [self._client.fileno(), *self._exits.descriptors, *self._gone, *connections]
        return TemplateProcess(private, *details)

    def serve(self) -> None:
        """Serve until the client has gone, also where somebody else holds its end of the connection."""
        self._client.send(("ready", 0, ""))
        while self._gone or os.getppid() == self._parent:
            connections = [template.connection for template in self._templates]
            ready = wait([self._client, self._exits.reading, *self._gone, *connections], EVERY)
            if set(self._gone).intersection(ready):
                return
            if self._client in ready:
                self._obey(*self._client.recv())
            if self._exits.reading in ready:
                self._exits.drain()
                self._reap()
            for template in self._templates:
                self._hear(template)
            if self._opening is not None and time.monotonic() > self._opening.until:
                self._settle(f"it did not end within {self._opening.seconds:g} s")

    def _obey(self, kind: str, *details: Any) -> None:
        if kind == "preload":
            if self._opening is not None:
                self._settle("another target was asked for meanwhile")
            self._opening = self._fork_template(*details)
        elif kind == "start":
            number, job = details
            self._line[number] = job, receive_descriptor(self._client)
        else:
            self._kill(*details)
        self._serve_line()

    def _serve_line(self) -> None:
        while self._line and self._opening is None and self._current is not None:
            number = next(iter(self._line))
            self._current.start_rank(number, *self._line.pop(number))

    def _kill(self, number: int) -> None:
        if number in self._line:
            os.close(self._line.pop(number)[1])
        for template in self._templates:
            if number in template.ranks:
                template.kill(number)

    def _hear(self, template: TemplateProcess) -> None:
        """Take in what a template has sent; do without one that is dead, or no longer needed."""
        for kind, number, found in template.hear():
            if kind == "opened":
                self._settle(found)
                continue
            self._client.send((kind, number, found))
            if kind == "ended":
                self._end_orphans()
        is_idle = template in self._retired and not template.ranks
        if template in self._templates and (template.how or is_idle):
            self._lose(template)

    def _settle(self, reason: str) -> None:
        """Take the new template where nothing speaks against it, else a clean one."""
        opened, self._opening = self._opening, None
        assert opened is not None
        assert self._current is not None
        if reason:
            self._end(opened, reason)
        if not reason or not self._current.is_clean:
            self._retired.append(self._current)
            self._current = None if reason else opened
            self._current = self._current or self._fork_template()
        self._client.send(("preloaded", 0, reason))
        self._serve_line()

    def _lose(self, template: TemplateProcess) -> None:
        if template is self._opening:
            self._settle(template.how)
            return
        self._end(template, template.how)
        if template is self._current:
            self._current = None
            self._current = self._fork_template()
        else:
            self._retired.remove(template)

    def _end(self, template: TemplateProcess, how: str) -> None:
        for message in template.end(how):
            self._client.send(message)

    def _reap(self) -> None:
        """Reap templates and orphans."""
        for pid, code in lifetime.reap().items():
            for template in self._templates:
                if template.pid == pid:
                    template.mark_reaped(code)
                    self._hear(template)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Kill what descends from no living template: a dead rank has left it behind."""
        below = lifetime.descendants(os.getpid())
        known = {template.pid for template in self._templates}
        for pid in below:
            topmost = pid
            while below[topmost] != os.getpid():
                topmost = below[topmost]
            if topmost not in known:
                lifetime.kill(pid)
