"""What the worlds of real process groups share: gloo and nccl differ in what they need and in devices.

Opened by the engine through ``open_world``. Imports no torch in this process but to look for GPUs.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from samplercheck.errors import WorldError
from samplercheck.parcels import pack
from samplercheck.trace import Trace
from samplercheck.worlds.groups.group import Carried
from samplercheck.worlds.groups.pool import Pool
from samplercheck.worlds.in_rank.guard import Deadlines
from samplercheck.worlds.processes.post_mortem import says_nothing_of_it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from samplercheck.binding import Binding
    from samplercheck.case import Case

__all__ = ["MOST_RANKS", "GroupWorld"]

MOST_RANKS = 8
RANK_BYTES = 300 * 2**20


class GroupWorld:
    """Carries experiments to the ranks of real process groups; a context manager.

    ``max_ranks`` bounds how many processes are kept, ``memory`` the bytes that each may take beyond
    what it starts with. ``turn`` gives what is held while the ranks of a case work, where several
    processes have groups and take turns. ``hash_seed`` is that of strings in all ranks, ``reverse``
    starts the last rank first.
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
        self.most_ranks = self._carried_here() if max_ranks is None else max_ranks
        self.unavailable = self._why_unavailable()
        self._settings = {"deadlines": deadlines or Deadlines(), "memory": memory}
        self._manner: dict[str, Any] = {"hash_seed": hash_seed, "reverse": reverse, "method": method}
        self._turn = turn
        self._pool: Pool | None = None
        self._parcels: dict[int, tuple[Binding, str, bytes]] = {}

    def _carried_here(self) -> int:
        """Return how many ranks this machine carries."""
        return max(2, min(MOST_RANKS, _memory() // RANK_BYTES))

    def _why_unavailable(self) -> str:
        return ""

    def __enter__(self) -> GroupWorld:
        if not self.unavailable:
            try:
                self._pool = Pool(self.name, self.most_ranks, self._settings, **self._manner)
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

    def trace(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "") -> Trace:
        """Run the experiments in the ranks of a real group and return what they recorded."""
        carried = self._carried(binding, case, tuple(experiments))
        return Trace(
            case,
            binding.contract,
            carried.records,
            kind=kind,
            faults=carried.faults,
            named=binding.named,
            deadlock=carried.deadlock,
            not_carried=carried.problem,
            world=self.name,
        )

    def _carried(self, binding: Binding, case: Case, experiments: tuple[str, ...]) -> Carried:
        if self.unavailable or case.world_size > self.most_ranks:
            return Carried(problem=self.unavailable or self._too_many(case.world_size))
        pool = self._pool
        assert pool is not None
        target, parcel = self._parcel(binding)
        try:
            with self._turn():
                carried = pool.carry_out(case, target, parcel, experiments)
                if _may_be_from_outside(carried):
                    again = pool.carry_out(case, target, parcel, experiments)
                    if not _may_be_from_outside(again):
                        return again  # it was not the target that ended the rank
        except WorldError as error:
            return Carried(problem=str(error))
        return carried

    def _too_many(self, ranks: int) -> str:
        return (
            f"World {self.name!r} keeps at most {self.most_ranks} ranks and this case has {ranks}: "
            f"allow more with max_ranks={ranks} (--max-ranks {ranks})."
        )

    def _parcel(self, binding: Binding) -> tuple[str, bytes]:
        """Return the target's name among parcels and its parcel, packed once."""
        known = self._parcels.get(id(binding))
        if known is None:
            parcel = pack(binding)
            known = self._parcels[id(binding)] = (binding, hashlib.sha256(parcel).hexdigest(), parcel)
        return known[1], known[2]


def _may_be_from_outside(carried: Carried) -> bool:
    """Whether a rank has died of what someone else, or a machine short of memory, may have sent it."""
    return any(fault.kind == "crashed" and says_nothing_of_it(fault.error) for fault in carried.faults)


def _memory() -> int:
    """Return how much memory this machine has; what is free just now would make reports differ."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return MOST_RANKS * RANK_BYTES
