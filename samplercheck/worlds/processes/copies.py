"""Copies: processes that are copied from a preloaded one where that can be done, and launched elsewhere.

Called for supervised children and for the servers that ranks are forked from, in the process of the user and
in those children. Importing torch takes seconds; like this it is done once for all of them. A copy is what a
launched process would be: module path, environment, working directory, hash seed and flags are those of who
asks. Standard library alone.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any, NamedTuple

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.copied import CopiedProcess, Launch
from samplercheck.worlds.processes.launch import LaunchedProcess, launch
from samplercheck.worlds.processes.template import send_descriptor

PRELOADED = "samplercheck.worlds.processes.preloaded"
HASH_SEED = "PYTHONHASHSEED"
PASSING = ("PYTEST_", "SAMPLERCHECK_", "GLOO_", HASH_SEED)
"""Variables that nothing reads which is imported beforehand; a copy gets them nevertheless."""


class CopyConditions(NamedTuple):
    """What a process and its copies have in common."""

    hash_seed: str
    flags: tuple[Any, ...]
    path: tuple[str, ...]
    where: str
    environment: tuple[tuple[str, str], ...]


def start(
    module: str,
    *words: object,
    stderr: int,
    connection: Connection | None = None,
    environment: dict[str, str] | None = None,
    needed: str = "",
    later: str = "",
) -> LaunchedProcess | CopiedProcess:
    """Start ``main`` of a module as ``launch`` does, as a copy where one can be had.

    ``needed`` and ``later`` are what a preloaded process that is launched for it imports.
    """
    wanted = dict(os.environ if environment is None else environment)

    def launch_it(stderr: int, connection: Connection | None) -> LaunchedProcess:
        return launch(module, *words, stderr=stderr, connection=connection, environment=environment)

    source = _source_for(wanted, needed, later) if _is_possible() else None
    if source is not None:
        job = {"main": f"{module}:main", "words": list(map(str, words)), "environment": wanted}
        with suppress(OSError):
            return source.copy(job, stderr, connection, launch_it)
    return launch_it(stderr, connection)


def take_over(connection: Connection, conditions: CopyConditions) -> None:
    """Let this copy ask for copies of its own where it was copied from."""
    _sources.clear()
    _sources[conditions.hash_seed] = CopySource(connection, conditions, inherited=True)


def _conditions(environment: dict[str, str]) -> CopyConditions:
    """Return what a process started here, with this environment, has in common with its copies."""
    kept = {name: value for name, value in environment.items() if not name.startswith(PASSING)}
    where = "" if all(map(os.path.isabs, sys.path)) else os.getcwd()  # noqa: PTH109  (a string)
    flags = sys.executable, sys.flags.optimize, tuple(sys.warnoptions)
    return CopyConditions(
        environment.get(HASH_SEED, "0"), flags, tuple(sys.path), where, tuple(sorted(kept.items()))
    )


def _is_possible() -> bool:
    """Whether processes may be copied here and their ends be seen by others than their parents."""
    return lifetime.copies_are_safe() and hasattr(os, "pidfd_open")


_sources: dict[str, CopySource] = {}
_lock = threading.Lock()


def _source_for(environment: dict[str, str], needed: str, later: str) -> CopySource | None:
    """Return where a copy with this environment comes from; None where there is nothing to copy."""
    try:
        conditions = _conditions(environment)
    except OSError:  # the working directory is gone
        return None
    with _lock:
        source = _sources.get(conditions.hash_seed)
        if source is not None and source.fits(conditions):
            return source
        if any(known.is_inherited for known in _sources.values() if known.is_ours):
            return None
        if source is not None:
            source.close()
        source = _sources[conditions.hash_seed] = CopySource.launch(conditions, environment, needed, later)
        return source


class CopySource:
    """A preloaded process, as those see it that ask it for copies of itself."""

    def __init__(
        self,
        connection: Connection,
        conditions: CopyConditions,
        process: LaunchedProcess | None = None,
        *,
        inherited: bool = False,
    ) -> None:
        self.is_inherited = inherited
        self._connection = connection
        self._conditions = conditions
        self._process = process
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._is_lost = False

    @classmethod
    def launch(
        cls, conditions: CopyConditions, environment: dict[str, str], needed: str, later: str
    ) -> CopySource:
        """Launch a preloaded process; it imports what is needed while the caller goes on."""
        ours, peer = Pipe()
        try:
            process = launch(
                PRELOADED,
                needed,
                later,
                stderr=subprocess.DEVNULL,
                connection=peer,
                environment={**environment, HASH_SEED: conditions.hash_seed},
            )
        finally:
            peer.close()
        source = cls(ours, conditions, process)
        atexit.register(source.close)
        return source

    @property
    def is_ours(self) -> bool:
        """Whether this process may ask; a copy of it that somebody else has made may not."""
        return self._owner == os.getpid()

    @property
    def pid(self) -> int:
        """The number of the preloaded process where it was launched here and lives, else 0."""
        lives = self._process is not None and self.is_ours and not self._process.has_ended
        return self._process.pid if lives and self._process is not None else 0

    def fits(self, conditions: CopyConditions) -> bool:
        """Whether copies are what is wanted, and can be had.

        A copy may ask for further ones after it has added to its module path: what both have loaded, both
        have from the same places, and what is loaded later is looked for along the path of who asks.
        """
        own = self._conditions
        if self.is_inherited and set(own.path) <= set(conditions.path):
            own = own._replace(path=conditions.path)
        lives = self.is_inherited or self.pid
        return bool(self.is_ours and conditions == own and lives and not self._is_lost)

    def copy(
        self, job: dict[str, Any], stderr: int, connection: Connection | None, instead: Launch
    ) -> CopiedProcess:
        """Ask for a copy that does a job, without waiting for it; OSError where there is nobody to ask."""
        control, peer = Pipe()
        reading, lifeline = os.pipe()
        handles = [] if connection is None else [connection.fileno()]
        descriptors = [peer.fileno(), reading, stderr, *handles]
        job = {**job, "client": os.getpid(), "conditions": self._conditions, "path": list(sys.path)}
        job |= {"descriptors": len(descriptors), "directory": os.getcwd()}  # noqa: PTH109  (a string)
        try:
            with self._lock:
                self._connection.send(job)
                for descriptor in descriptors:
                    send_descriptor(self._connection, descriptor)
        except OSError:
            self._is_lost = True
            os.close(lifeline)
            control.close()
            raise
        finally:
            peer.close()
            os.close(reading)
        kept = os.dup(stderr), None if connection is None else Connection(os.dup(connection.fileno()))
        return CopiedProcess(control, lifeline, kept, instead)

    def close(self) -> None:
        """End the preloaded process; its copies go on."""
        if self._process is not None and self.is_ours:
            self._connection.close()
            self._process.end()
            self._process = None
        self._is_lost = True
        atexit.unregister(self.close)
