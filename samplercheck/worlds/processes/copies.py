"""Copies: processes that are copied from a fork server where that can be done, and launched elsewhere.

Called for supervised children and for the templates that ranks are forked from, in the process of the user
and in those children. Importing torch takes seconds; like this it is done once for all of them. A copy is
what a launched process would be: module path, environment, working directory, hash seed and flags are those
of who asks. Standard library alone.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from functools import cache, partial
from multiprocessing.connection import Connection, Pipe
from typing import Any, NamedTuple

from samplercheck.worlds.in_rank.surroundings import PLACE
from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.copied import CopiedProcess, Fallback, StartedProcess, ask_for_copy
from samplercheck.worlds.processes.launch import LaunchedProcess, launch

FORK_SERVER = "samplercheck.worlds.processes.fork_server"
HASH_SEED = "PYTHONHASHSEED"
PASSING = ("PYTEST_", "SAMPLERCHECK_", "GLOO_", HASH_SEED, *PLACE)
"""Variables that nothing reads which is imported beforehand; a copy gets them nevertheless. A simulated world
leaves the place of its last rank until it closes."""


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
) -> StartedProcess:
    """Start ``main`` of a module as ``launch`` does, as a copy where one can be had.

    ``needed`` and ``later`` are what a fork server that is launched for it imports.
    """
    wanted = dict(os.environ if environment is None else environment)
    source = _source_for(wanted, needed, later) if are_possible() else None
    if source is not None:
        job = {"main": f"{module}:main", "words": list(map(str, words)), "environment": wanted}
        fallback = Fallback(partial(launch, module, *words, environment=environment), stderr, connection)
        try:
            return source.copy(job, stderr, connection, fallback)
        except OSError:
            fallback.close()
    return launch(module, *words, stderr=stderr, connection=connection, environment=environment)


def take_over(connection: Connection, conditions: CopyConditions) -> None:
    """Let this copy ask for copies of its own where it was copied from."""
    _sources.clear()
    _sources[conditions.hash_seed] = CopySource(connection, conditions)


def _conditions(environment: dict[str, str]) -> CopyConditions:
    """Return what a process started here, with this environment, has in common with its copies."""
    kept = {name: value for name, value in environment.items() if not name.startswith(PASSING)}
    where = "" if all(map(os.path.isabs, sys.path)) else os.getcwd()  # noqa: PTH109  (a string)
    flags = sys.executable, sys.flags.optimize, tuple(sys.warnoptions)
    return CopyConditions(
        environment.get(HASH_SEED, "0"), flags, tuple(sys.path), where, tuple(sorted(kept.items()))
    )


@cache
def are_possible() -> bool:
    """Whether processes may be copied here and their ends be seen by others than their parents."""
    if not lifetime.copies_are_safe():
        return False
    try:
        os.close(lifetime.open_end(os.getpid()))
    except OSError:
        return False
    return True


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
        if source is None or not source.fits(conditions):
            if source is not None:
                source.close()
            source = _sources[conditions.hash_seed] = CopySource.launch(
                conditions, environment, needed, later
            )
        return source


class CopySource:
    """A fork server, as those see it that ask it for copies; an inherited one was not launched here."""

    def __init__(
        self, connection: Connection, conditions: CopyConditions, process: LaunchedProcess | None = None
    ) -> None:
        self.is_inherited = process is None
        self._connection = connection
        self._conditions = conditions
        self._process = process
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._is_closed = False

    @classmethod
    def launch(
        cls, conditions: CopyConditions, environment: dict[str, str], needed: str, later: str
    ) -> CopySource:
        """Launch a fork server; it imports what is needed while the caller goes on."""
        ours, peer = Pipe()
        try:
            process = launch(
                FORK_SERVER,
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
        """The number of the fork server where it was launched here and lives, else 0."""
        if self._process is None or not self.is_ours or self._is_closed or self._process.has_ended:
            return 0
        return self._process.pid

    def fits(self, conditions: CopyConditions) -> bool:
        """Whether copies are what is wanted, and can be had.

        Who asks may have added to its module path meanwhile: what both have loaded, both have from the same
        places, and what is loaded later is looked for along the path of who asks.
        """
        own = self._conditions
        if set(own.path) <= set(conditions.path):
            own = own._replace(path=conditions.path)
        lives = self.is_inherited or self.pid
        return bool(self.is_ours and conditions == own and lives and not self._is_closed)

    def copy(
        self, job: dict[str, Any], stderr: int, connection: Connection | None, fallback: Fallback
    ) -> CopiedProcess:
        """Ask for a copy that does a job, without waiting for it; OSError where there is nobody to ask."""
        handles = {} if connection is None else {"connection": connection.fileno()}
        where = os.getcwd()  # noqa: PTH109  (a string)
        job = {**job, "conditions": self._conditions, "path": list(sys.path), "directory": where}
        reading, lifeline = os.pipe()
        try:
            with self._lock:
                control = ask_for_copy(self._connection, job, stdin=reading, stderr=stderr, **handles)
        except OSError as error:
            os.close(lifeline)
            if isinstance(error, ConnectionError):  # it has ended
                self.close()
            raise
        finally:
            os.close(reading)
        return CopiedProcess(control, lifeline, fallback)

    def close(self) -> None:
        """Ask for no more copies; a fork server that was launched here ends, and its copies go on."""
        if self.is_ours and not self._is_closed:
            self._is_closed = True
            self._connection.close()
            if self._process is not None:
                self._process.end()
            atexit.unregister(self.close)
