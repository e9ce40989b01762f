"""Workers: copies of this process from before anything ran in it, which answer requests side by side.

Made by the supervised child once the target is imported, of which it is a copy that needs no import. One that
ends or stands still has its requests given back: who asked carries them out itself. Linux only.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.black_box import BlackBox, Sighting
from samplercheck.worlds.processes.bootstrap import write_frames_to
from samplercheck.worlds.processes.launch import ForkedChild
from samplercheck.worlds.processes.post_mortem import Stillness
from samplercheck.worlds.processes.private import PrivateDirectory

Serve = Callable[[Any], Any]
MakeServer = Callable[[BlackBox, Callable[[str], None]], Serve]

POLL = 0.05
MARGIN = 1.0
DEPTH = 2
AHEAD = 16
"""Requests that a worker has beside the one it answers, and how far all may be ahead of what is taken."""


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """The reply of a worker that has ended instead: how, and where it was last seen."""

    status: str
    seen: Sighting


class _Worker:
    """One worker, as who asks it sees it; ``waiting`` are the requests that it has not replied to."""

    def __init__(self, child: ForkedChild, box: BlackBox) -> None:
        self.child, self.box = child, box
        self.waiting: deque[int] = deque()
        self._stillness = Stillness()

    def is_still(self, passed: float) -> bool:
        """Whether Python has not run there for longer than may be."""
        pulse = self.box.pulse
        seconds = self._stillness.look(pulse, passed, excused=pulse is None or not self.waiting)
        return seconds > self.box.patience + MARGIN


class WorkerPool:
    """Has ``number`` workers, or none where there can be none; ``make`` returns what answers in each."""

    def __init__(self, number: int, make: MakeServer) -> None:
        self._number = number
        self._make = make
        self._workers: list[_Worker] = []
        self._private: PrivateDirectory | None = None

    def __enter__(self) -> WorkerPool:
        if self._number > 1 and lifetime.copies_are_safe():
            self._private = PrivateDirectory()
            for _ in range(self._number):
                self._start(self._private)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._private is not None:
            self._private.close()
            self._private = None

    def __len__(self) -> int:
        return len(self._workers)

    def close(self) -> None:
        """End all workers, whatever they do."""
        for worker in self._workers:
            worker.child.end()
            worker.box.close()
        self._workers = []

    def _start(self, private: PrivateDirectory) -> None:
        path = private.path / f"worker-{len(self._workers)}"
        box = BlackBox.create(path)
        serve = partial(_serve, self._make, box, path.with_suffix(".frames"))
        others = [worker.child.connection for worker in self._workers]
        self._workers.append(_Worker(ForkedChild(serve, others), box))

    def carry_out(self, requests: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, int, Any]]:
        """Yield the keys of pairs of a key and a request, in their order, with a worker and its reply.

        A request of None is sent nowhere. The reply is None where nobody replied, and a ``WorkerEnd`` where
        a worker ended. A caller that gives up half-way ends the workers: what they do by then may never end.
        """
        call = _Call(self._workers, iter(requests))
        try:
            yield from call.replies()
        finally:
            if any(worker.waiting for worker in self._workers):
                self.close()


class _Call:
    """The requests of one call, and the replies that have come and are not taken yet."""

    def __init__(self, workers: list[_Worker], requests: Iterator[tuple[Any, Any]]) -> None:
        self._workers = workers
        self._numbers = {id(worker): number for number, worker in enumerate(workers)}
        self._requests = requests
        self._keys: deque[Any] = deque()
        self._replies: dict[int, tuple[int, Any]] = {}
        self._taken = self._sent = 0
        self._is_over = False

    def replies(self) -> Iterator[tuple[Any, int, Any]]:
        before = time.monotonic()
        while True:
            self._send()
            if not self._keys:
                return
            if self._taken in self._replies:
                worker, reply = self._replies.pop(self._taken)
                self._taken += 1
                yield self._keys.popleft(), worker, reply
                before = time.monotonic()
                continue
            now = time.monotonic()
            self._listen(now - before)
            before = now

    def _send(self) -> None:
        """Give every worker something to do; what nobody can be asked for is answered by nobody."""
        while not self._is_over and self._sent - self._taken <= AHEAD * max(1, len(self._workers)):
            free = [worker for worker in self._workers if len(worker.waiting) < DEPTH]
            if self._workers and not free:
                return
            pair = next(self._requests, None)
            if pair is None:
                self._is_over = True
                return
            key, request = pair
            self._keys.append(key)
            number, self._sent = self._sent, self._sent + 1
            if request is None or not free:
                self._replies[number] = (-1, None)
                continue
            least = min(free, key=lambda worker: len(worker.waiting))
            least.waiting.append(number)
            try:
                least.child.connection.send_bytes(pickle.dumps(request))
            except (OSError, ValueError):
                self._give_back(least, "")

    def _listen(self, passed: float) -> None:
        """Take what workers have to say, and see to those that have ended or stand still."""
        ready = wait([worker.child.connection for worker in self._workers], POLL)
        for worker in [*self._workers]:
            if worker.child.connection in ready:
                try:
                    reply = pickle.loads(worker.child.connection.recv_bytes())
                    self._replies[worker.waiting.popleft()] = (self._numbers[id(worker)], reply)
                except (EOFError, OSError):
                    self._give_back(worker, "")
            elif worker.is_still(passed):
                self._give_back(worker, "hung")

    def _give_back(self, worker: _Worker, status: str) -> None:
        """Take a worker out that has ended, and give its requests back."""
        ended = worker.child.end()
        self._workers.remove(worker)
        end = WorkerEnd(status or ended, worker.box.read())
        for place, number in enumerate(worker.waiting):
            self._replies[number] = (self._numbers[id(worker)], None if place else end)
        worker.waiting.clear()
        worker.box.close()


def _serve(make: MakeServer, box: BlackBox, frames: Path, connection: Connection) -> None:
    """Answer until the other end is gone. What cannot travel is no answer."""
    serve = make(box, write_frames_to(frames))  # at once: who asks has a look at the target itself, meanwhile
    while True:
        request = pickle.loads(connection.recv_bytes())
        reply = pickle.dumps(None)
        with suppress(Exception):
            reply = pickle.dumps(serve(request))
        connection.send_bytes(reply)
