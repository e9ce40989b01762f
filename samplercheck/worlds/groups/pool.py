"""Pool: warm groups of ranks, one for each world size, as many at once as the machine carries.

Used by the worlds of real process groups. Imports values alone, no torch.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

from samplercheck.values.errors import WorldError
from samplercheck.worlds.groups.group import CaseOutcome, Group
from samplercheck.worlds.groups.messages import RunCase
from samplercheck.worlds.processes.private import PrivateDirectory
from samplercheck.worlds.processes.source import process_source

MOST_RENEWALS = 3


class Pool:
    """Keeps groups warm, those used last; ``settings`` are what ranks are started with."""

    def __init__(self, most_ranks: int, settings: dict[str, Any], *, hash_seed: int, method: str) -> None:
        self._most_ranks = most_ranks
        self._renewals = MOST_RENEWALS
        self._given_up = ""
        self._settings = settings
        self._groups: dict[int, Group] = {}  # the least recently used first
        self._numbers = count()
        self._preloaded: set[str] = set()
        self._private = PrivateDirectory()
        self.directory = self._private.path
        self._new_source = partial(process_source, self.directory, hash_seed=hash_seed, method=method)
        self._source = self._new_source()
        self._source.start()

    def carry_out(self, request: RunCase) -> CaseOutcome:
        """Carry out a case in the warm group of its size, or in a new one."""
        if self._given_up:
            raise WorldError(self._given_up)
        try:
            self._preload(request)
            outcome = self._carry_once(request)
            return self._carry_once(request) if outcome.is_stale else outcome
        except WorldError as error:
            if not self._renewals:
                self._given_up = str(error)  # each case would wait for it again
            self._renew()
            raise
        except OSError as error:
            self._renew()
            raise WorldError(
                f"World {self._settings['backend']!r} met the limits of this machine: {error}. Fewer ranks "
                "(--max-ranks) may fit."
            ) from None

    def _carry_once(self, request: RunCase) -> CaseOutcome:
        group = self._group(request.case.world_size)
        try:
            return group.carry_out(request)
        finally:
            if not group.is_usable:
                self._retire(group.world_size)

    def _preload(self, request: RunCase) -> None:
        """Let ranks that are started from now on find the target's module imported."""
        if request.target not in self._preloaded:
            self._preloaded.add(request.target)
            self._source.preload(request.parcel)

    def _group(self, world_size: int) -> Group:
        group = self._groups.pop(world_size, None)
        if group is None:
            while self._groups and sum(self._groups) + world_size > self._most_ranks:
                self._retire(next(iter(self._groups)))
            directory = self.directory / f"group{next(self._numbers)}"
            group = Group(self._source, world_size, directory, self._settings)
        self._groups[world_size] = group
        return group

    def _retire(self, world_size: int) -> None:
        group = self._groups.pop(world_size, None)
        if group is not None:
            group.close()

    def _renew(self) -> None:
        """Begin again with new processes; not endlessly, where something on this machine is in the way."""
        if self._renewals:
            self._renewals -= 1
            self._end()
            self._preloaded.clear()
            with suppress(OSError):  # the next case starts it, or says why it cannot
                self._source = self._new_source()
                self._source.start()

    def retire_all(self) -> None:
        """End all groups; whatever comes next finds new ones."""
        for world_size in tuple(self._groups):
            self._retire(world_size)

    def _end(self) -> None:
        self.retire_all()
        self._source.close()

    def close(self) -> None:
        """End everything and remove what it needed on the disk."""
        self._end()
        self._private.close()
