"""What a target may disturb around itself, kept and put back: environment, directory, streams, signals.

Used by simulated worlds, once around a run and cheaply after each case, and in ranks. And how directories are
listed there in another order, as another machine lists them. Standard library alone.
"""

from __future__ import annotations

import os
import pathlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

PLACE = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK")
SMALL_NODES, MANY, OF_MANY = {3: 1, 4: 2}, 8, 8
"""The worlds of several nodes: three of one rank, two of two, and from two nodes on those of eight each."""


def node_size_of(world_size: int) -> int:
    """Return how many ranks a simulated node has; most worlds are one node."""
    many = OF_MANY if world_size > MANY and world_size % OF_MANY == 0 else world_size
    return SMALL_NODES.get(world_size, many)


class Surroundings:
    """The process's environment, directory, standard streams and signal handlers."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._placed: dict[str, str] = {}
        self._raw = _raw_environment().copy()
        self._directory = os.getcwd()
        self._streams = (sys.stdout, sys.stderr, sys.stdin)
        self._spare = [_duplicate(number) for number in (0, 1, 2)]
        self._in_main = threading.current_thread() is threading.main_thread()
        self._handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}

    def place(self, rank: int, world_size: int, node_size: int) -> None:
        """Set the variables that launchers set for a rank, on one of several nodes or on a single one."""
        self._undo_changes()
        placed, before = _variables_of(rank, world_size, node_size), self._placed
        for name, value in placed.items():
            if before.get(name) != value:
                os.environ[name] = value
                key = os.environ.encodekey(name)
                self._raw[key] = _raw_environment()[key]
        self._placed = placed

    def tidy(self) -> None:
        """Undo what the case's ranks may have changed; cheap when nothing was."""
        if _directory() != self._directory:
            os.chdir(self._directory)
        self._undo_changes()
        streams = (sys.stdout, sys.stderr, sys.stdin)
        if streams != self._streams or any(map(_is_closed, streams[:2])):
            self._restore_streams()

    def restore(self) -> None:
        """Put everything back as it was found."""
        with suppress(FileNotFoundError):
            os.chdir(self._directory)
        self._restore_environment()
        self._restore_streams()
        if self._in_main:
            for number, handler in self._handlers.items():
                if handler is not None and signal.getsignal(number) != handler:
                    signal.signal(number, handler)
        for spare in self._spare:
            if spare is not None:
                with suppress(OSError):  # a target may have closed every descriptor it could find
                    os.close(spare)

    def _undo_changes(self) -> None:
        if _raw_environment() != self._raw:
            self._restore_environment()

    def _restore_environment(self) -> None:
        for name in set(os.environ) - set(self._environment):
            del os.environ[name]
        for name, value in self._environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        self._placed, self._raw = {}, _raw_environment().copy()

    def _restore_streams(self) -> None:
        sys.stdout, sys.stderr, sys.stdin = self._streams
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream: Any = getattr(sys, name)
            spare = self._spare[number]
            if _duplicate(number, probe=True) is None and spare is not None:
                with suppress(OSError):
                    os.dup2(spare, number)
            if _is_closed(stream):
                reopened = open(number, "w", closefd=False, buffering=1)
                setattr(sys, name, reopened)
                if stream is getattr(sys, f"__{name}__"):
                    setattr(sys, f"__{name}__", reopened)
        self._streams = (sys.stdout, sys.stderr, sys.stdin)


@lru_cache(maxsize=64)
def _variables_of(rank: int, world_size: int, node_size: int) -> dict[str, str]:
    """Return what launchers set for a rank."""
    node, local = divmod(rank, node_size)
    values = (rank, world_size, local, node_size, node, node)
    return {name: str(value) for name, value in zip(PLACE, values, strict=True)}


def _raw_environment() -> dict[Any, Any]:
    """Return the environment as ``os.environ`` keeps it: to compare all of it takes a microsecond."""
    raw: dict[Any, Any] = vars(os.environ)["_data"]
    return raw


def _directory() -> str | None:
    """Return the working directory; None where it has been deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _is_closed(stream: Any) -> bool:
    return bool(getattr(stream, "closed", False))


def _duplicate(number: int, *, probe: bool = False) -> int | None:
    """Duplicate a standard descriptor, or with ``probe`` only say whether it is open."""
    try:
        if probe:
            os.fstat(number)
            return number
        return os.dup(number)
    except OSError:
        return None


class Entries:
    """What ``os.scandir`` returns, with the last entry first: an iterator that can be closed."""

    def __init__(self, scanned: Any) -> None:
        with scanned:
            self._left = iter(list(scanned)[::-1])

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._left)

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Yield no more."""
        self._left = iter(())


def list_in_reverse() -> None:
    """Let ``os.listdir`` and ``os.scandir``, and so glob, ``os.walk`` and pathlib, begin at the end.

    Done once, in a rank of a process of its own, before its target is built.
    """
    listdir: Callable[..., list[Any]] = os.listdir
    scandir: Callable[..., Any] = os.scandir
    reverse: dict[str, Any] = {
        "listdir": lambda *path, **named: listdir(*path, **named)[::-1],
        "scandir": lambda *path, **named: Entries(scandir(*path, **named)),
    }
    vars(os).update(reverse)
    holds_its_own = getattr(pathlib, "_NormalAccessor", None)  # Python 3.10
    for name, function in reverse.items() if holds_its_own else ():
        setattr(holds_its_own, name, staticmethod(function))
