"""Server: has torch loaded, is the ancestor of all ranks, and keeps the stems that they are copied from.

Started by the nursery, in a process and a session of its own, with one thread. It never runs a target's
code and waits for nobody, so that it always hears when the client has gone: then it ends everything
that descends from it, and itself.
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
from samplercheck.worlds.processes.child_exits import Bell, buried
from samplercheck.worlds.processes.lifeline import die_on_hangup, take_lifeline
from samplercheck.worlds.processes.template import take_descriptor
from samplercheck.worlds.processes.templates import Stem

__all__ = ["main"]

EVERY = 0.25
LONGEST_END = 4.0
GLANCE = 0.002


def main(handle: str, client: str) -> NoReturn:
    """Serve the client, which has the number ``client`` and the other end of ``handle``."""
    os.set_inheritable(int(handle), False)  # noqa: FBT003  (positional in its signature)
    lifeline = take_lifeline()
    die_on_hangup(lifeline)
    lifetime.default_signals()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_everything()
    lifetime.adopt_orphans()
    os.close(lifeline)  # from now on the server ends its descendants before itself; no copy may hold this
    code = 0
    try:
        _Server(Connection(int(handle)), int(client)).serve()
    except (EOFError, ConnectionError):
        pass
    except BaseException:  # noqa: BLE001  (a mistake in this file; the client shows the last words)
        traceback.print_exc()
        code = 1
    _end_all()
    os._exit(code)


def _import_everything() -> None:
    """Load what every rank needs; what is frozen the copies share, also while they collect garbage."""
    from samplercheck.worlds.groups.rank import prepare

    prepare()
    gc.collect()
    gc.freeze()


def _end_all() -> None:
    """Kill and bury all descendants, those included that are born meanwhile."""
    until = time.monotonic() + LONGEST_END
    while (below := lifetime.descendants(os.getpid())) and time.monotonic() < until:
        for pid in below:
            lifetime.kill(pid)
        buried()
        time.sleep(GLANCE)


class _Server:
    """Does what the client asks for, and tells it of births and deaths.

    While a new stem opens a parcel, the ranks that are asked for stand in line. Stems whose place was
    taken stay as long as they have ranks.
    """

    def __init__(self, client: Connection, parent: int) -> None:
        self._client = client
        self._parent = parent
        self._bell = Bell()
        self._retired: list[Stem] = []
        self._opening: Stem | None = None
        self._stem: Stem | None = None
        self._stem = self._copied()
        self._line: dict[int, tuple[bytes, int]] = {}

    @property
    def _stems(self) -> list[Stem]:
        return [stem for stem in (self._stem, self._opening, *self._retired) if stem is not None]

    def _copied(self, *details: Any) -> Stem:
        voices = [stem.voice.fileno() for stem in self._stems]
        return Stem([self._client.fileno(), *self._bell.descriptors, *voices], *details)

    def serve(self) -> None:
        """Serve until the client has gone, which ends its connection or makes this process an orphan."""
        self._client.send(("ready", 0, ""))
        while os.getppid() == self._parent:
            waiting = wait([self._client, self._bell.reading, *(stem.voice for stem in self._stems)], EVERY)
            if self._client in waiting:
                self._obey(*self._client.recv())
            if self._bell.reading in waiting:
                self._bell.hush()
                self._bury()
            for stem in self._stems:
                self._listen(stem)
            if self._opening is not None and time.monotonic() > self._opening.until:
                self._settle(f"it did not end within {self._opening.seconds:g} s")

    def _obey(self, kind: str, *details: Any) -> None:
        if kind == "preload":
            if self._opening is not None:
                self._settle("another target was asked for meanwhile")
            self._opening = self._copied(*details)
        elif kind == "bear":
            number, job = details
            self._line[number] = job, take_descriptor(self._client)
        else:
            self._kill(*details)
        self._serve_line()

    def _serve_line(self) -> None:
        while self._line and self._opening is None and self._stem is not None:
            number = next(iter(self._line))
            self._stem.bear(number, *self._line.pop(number))

    def _kill(self, number: int) -> None:
        if number in self._line:
            os.close(self._line.pop(number)[1])
        for stem in self._stems:
            if number in stem.ranks:
                stem.kill(number)

    def _listen(self, stem: Stem) -> None:
        """Take in what a stem has said; do without one that is dead, or that nobody needs."""
        for kind, number, found in stem.said():
            if kind == "opened":
                self._settle(found)
                continue
            self._client.send((kind, number, found))
            if kind == "died":
                self._end_orphans()
        if stem in self._stems and (stem.how or (stem in self._retired and not stem.ranks)):
            self._lose(stem)

    def _settle(self, reason: str) -> None:
        """Take the new stem where nothing speaks against it, else a clean one."""
        opened, self._opening = self._opening, None
        assert opened is not None
        assert self._stem is not None
        if reason:
            self._end(opened, reason)
        if not reason or not self._stem.is_clean:
            self._retired.append(self._stem)
            self._stem = None if reason else opened
            self._stem = self._stem or self._copied()
        self._client.send(("preloaded", 0, reason))
        self._serve_line()

    def _lose(self, stem: Stem) -> None:
        if stem is self._opening:
            self._settle(stem.how)
            return
        self._end(stem, stem.how)
        if stem is self._stem:
            self._stem = None
            self._stem = self._copied()
        else:
            self._retired.remove(stem)

    def _end(self, stem: Stem, how: str) -> None:
        for message in stem.end(how):
            self._client.send(message)

    def _bury(self) -> None:
        """Bury stems and orphans."""
        for pid, code in buried().items():
            for stem in self._stems:
                if stem.pid == pid:
                    stem.bury(code)
                    self._listen(stem)
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Kill whoever descends from no living stem: a dead rank has left it behind."""
        below = lifetime.descendants(os.getpid())
        known = {stem.pid for stem in self._stems}
        for pid in below:
            eldest = pid
            while below[eldest] != os.getpid():
                eldest = below[eldest]
            if eldest not in known:
                lifetime.kill(pid)
