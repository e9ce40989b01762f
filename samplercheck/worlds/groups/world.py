"""What the worlds of real process groups share: gloo and nccl differ in what they need and in devices.

Opened by the engine through ``open_world``. Groups of ranks stay warm, one for each world size, as many at
once as the machine carries. Imports no torch in this process but to look for GPUs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache, partial
from itertools import count
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.parcel import pack_named
from samplercheck.values.case import Case
from samplercheck.values.errors import WorldError
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare
from samplercheck.worlds._long_passes import trace_case
from samplercheck.worlds.groups.group import CaseOutcome, Group
from samplercheck.worlds.groups.messages import RunCase
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.processes.post_mortem import may_be_from_outside
from samplercheck.worlds.processes.private import PrivateDirectory
from samplercheck.worlds.processes.source import STOPPED, process_source

MOST_RENEWALS = 3


class ProcessWorld(ABC):
    """Carries experiments to the ranks of real process groups; a context manager.

    ``max_ranks`` bounds how many processes are kept, ``memory`` the bytes that each may take beyond
    what it starts with. ``turn`` gives what is held while the ranks of a case work, where several
    processes have groups and take turns. ``hash_seed`` is that of strings in all ranks, ``reverse``
    starts the last rank first and lists directories from their end.
    """

    name = ""

    def __init__(
        self,
        deadlines: Deadlines | None = None,
        *,
        max_ranks: int | None = None,
        memory: int | None = None,
        turn: Callable[[], AbstractContextManager[object]] = nullcontext,
        hash_seed: int = 0,
        reverse: bool = False,
        method: str = "",
    ) -> None:
        self.most_ranks = self._most_ranks(max_ranks)
        self.unavailable = self._why_unavailable()
        allowed = {"deadlines": deadlines or Deadlines(), "memory": memory}
        self._settings = {"backend": self.name, "reverse": reverse, **allowed}
        self._source_settings: dict[str, Any] = {"hash_seed": hash_seed, "method": method}
        self._turn = turn
        self._pool: Pool | None = None
        self._parcel = cache(pack_named)

    @abstractmethod
    def _most_ranks(self, asked: int | None) -> int:
        """Return how many ranks are kept on this machine, where so many were asked for."""

    @abstractmethod
    def _why_unavailable(self) -> str:
        """Say why this machine carries none; empty where it does."""

    def __enter__(self) -> ProcessWorld:
        if not self.unavailable:
            try:
                self._pool = Pool(self.most_ranks, self._settings, **self._source_settings)
            except OSError as error:
                self.unavailable = f"World {self.name!r} cannot be opened on this machine: {error}."
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def prepare(self, binding: Binding) -> None:
        """Pack the target; ``TargetError`` where it cannot travel."""
        self._parcel(binding)

    def hurry(self, deadlines: Deadlines) -> None:
        """Wait no longer than this for ranks from now on; those that wait longer are ended."""
        self._settings["deadlines"] = deadlines
        if self._pool is not None:
            self._pool.retire_all()

    def stop(self) -> None:
        """End the wait for ranks that another thread is in, and carry out nothing more."""
        if self._pool is not None:
            self._pool.stop()

    def trace(
        self,
        binding: Binding,
        case: Case,
        experiments: Sequence[str],
        kind: str = "",
        spare: Spare = "usual",  # noqa: ARG002  (nothing is left out in real ranks)
    ) -> Trace:
        """Run the experiments in the ranks of a real group and return what they recorded."""
        return trace_case(self._trace, binding, case, experiments, kind)

    def _trace(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
        outcome = CaseOutcome.of_all(partial(self._outcome, binding, case), tuple(experiments))
        return outcome.as_trace(binding, case, kind, self.name)

    def _outcome(self, binding: Binding, case: Case, experiments: tuple[str, ...]) -> CaseOutcome:
        if self.unavailable or case.world_size > self.most_ranks:
            return CaseOutcome(problem=self.unavailable or self._too_many(case.world_size))
        pool = self._pool
        assert pool is not None
        target, parcel = self._parcel(binding)
        request = RunCase(case=case, target=target, parcel=parcel, experiments=experiments)
        try:
            with self._turn():
                outcome = pool.carry_out(request)
                if _may_be_from_outside(outcome):
                    again = pool.carry_out(request)
                    if not _may_be_from_outside(again):
                        return again  # it was not the target that ended the rank
        except WorldError as error:
            return CaseOutcome(problem=str(error))
        return outcome

    def _too_many(self, ranks: int) -> str:
        return (
            f"World {self.name!r} keeps at most {self.most_ranks} ranks and this case has {ranks}: "
            f"allow more with max_ranks={ranks} (--max-ranks {ranks})."
        )


def _may_be_from_outside(outcome: CaseOutcome) -> bool:
    """Whether a rank has died of what someone else, or a machine short of memory, may have sent it."""
    return any(fault.kind == "crashed" and may_be_from_outside(fault.error) for fault in outcome.faults)


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

    def stop(self) -> None:
        """End the wait for ranks that another thread is in, and begin nothing more."""
        self._given_up, self._renewals = STOPPED, 0
        self._source.has_stopped = True

    def _end(self) -> None:
        self.retire_all()
        self._source.close()

    def close(self) -> None:
        """End everything and remove what it needed on the disk."""
        self._end()
        self._private.close()
