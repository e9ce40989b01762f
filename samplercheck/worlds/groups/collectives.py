"""The collectives of a rank of a real group: the target's, noted while it waits in them, and the kit's own.

Runs inside ranks; ``wrap_collectives`` also in the template that ranks are forked from, before the target's
module is imported and takes torch's functions over by name. Imports torch.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from samplercheck.experiments.seat import Seat
from samplercheck.values.wording import EXPERIMENTS, in_epoch, ordinal
from samplercheck.worlds.in_rank.guard import ProcessGuard
from samplercheck.worlds.processes.black_box import BlackBox

COLLECTIVES = (
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "gather_object",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
)
MAKES_GROUPS = ("new_group", "new_subgroups", "init_process_group", "destroy_process_group")

_active: list[CollectiveNotes] = []


class CollectiveNotes:
    """Notes each collective of one rank in its black box, and counts them by group.

    While a rank waits in one, it is not the target that hangs: who keeps the clock of the whole
    group decides what that means.
    """

    def __init__(self, box: BlackBox, guard: ProcessGuard) -> None:
        self._box = box
        self._guard = guard
        self._counts: dict[str, int] = {}
        self._depth = 0
        self.seat: Seat | None = None
        self.total = 0
        self.has_failed = False
        self.has_made_groups = False

    def begin(self, seat: Seat) -> None:
        """Begin a new case: who asks what of the target is seen at the seat."""
        self.seat = seat
        self._counts.clear()
        self.total = 0
        self.has_failed = self.has_made_groups = False
        self._box.note_collectives("{}")

    @property
    def counts(self) -> dict[str, int]:
        """The number of collectives by group, the kit's own among them."""
        return dict(self._counts)

    @contextmanager
    def waiting(self, name: str, group: Any, *, own: bool = False) -> Iterator[None]:
        """Note that the rank waits in a collective of a group; ``own`` ones are the kit's."""
        if self._depth or self.seat is None:
            yield
            return
        self._depth = 1
        self._enter(name, group, own=own)
        self._guard.excused = True
        try:
            yield
        except BaseException:
            self.has_failed = True
            raise
        finally:
            self._guard.excused = False
            self._depth = 0
            self._box.note_collectives(json.dumps({"counts": self._counts}))

    def _enter(self, name: str, group: Any, *, own: bool) -> None:
        group = dist.group.WORLD if group is None else group
        key, members = _identity(group)
        self._counts[key] = count = self._counts.get(key, 0) + 1
        self.total += not own
        waits = {"name": name, "group": key, "members": members, "count": count}
        notes = {"waits": {**waits, "where": self._where(own=own)}, "counts": self._counts}
        self._box.note_collectives(json.dumps(notes))

    def _where(self, *, own: bool) -> str:
        """Where the target is: "the 1st collective of the case, by a second object, epoch 0"."""
        seat = self.seat
        assert seat is not None
        epoch = None if seat.passing is None else seat.passing.epoch
        number = "" if own else f"the {ordinal(self.total)} collective of the case"
        words = "" if own else EXPERIMENTS.get(seat.experiment, "")
        return ", ".join(filter(None, (number, words, in_epoch(epoch).removeprefix(", "))))


class GroupPace:
    """The collective that keeps ranks together at every step, in its own group; a seat's ``pace``."""

    def __init__(self, group: Any, notes: CollectiveNotes, device: torch.device) -> None:
        self._group = group
        self._notes = notes
        size = dist.get_world_size(group)
        self._own = torch.zeros(1, dtype=torch.int64, device=device)
        self._all = torch.zeros(size, dtype=torch.int64, device=device)
        self._parts = [self._all[rank : rank + 1] for rank in range(size)]

    def meet(self, steps: int) -> list[int]:
        """Meet all ranks and learn how many steps each has taken."""
        self._own.fill_(steps)
        with self._notes.waiting("the collective of a step", self._group, own=True):
            dist.all_gather(self._parts, self._own, group=self._group)
        return self._all.tolist()


def _identity(group: Any) -> tuple[str, list[int]]:
    """Return a group's name, which is the same on all ranks, and its members."""
    if not isinstance(group, dist.ProcessGroup):  # GroupMember.NON_GROUP_MEMBER: torch itself warns
        return "none", []
    return group.group_name, sorted(dist.get_process_group_ranks(group))


def activate(notes: CollectiveNotes) -> None:
    """Let the collectives of this process be noted from now on."""
    _active[:] = [notes]


def wrap_collectives() -> None:
    """Put wrappers in the place of torch's collectives; they note nothing before ``activate``."""
    for name in sorted({*COLLECTIVES, *MAKES_GROUPS}):
        original = getattr(distributed_c10d, name)
        if not hasattr(original, "__samplercheck__"):
            wrapper = _wrapper(name, original)
            for module in (dist, distributed_c10d):
                setattr(module, name, wrapper)


def _wrapper(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    place = list(inspect.signature(original).parameters).index("group") if name not in MAKES_GROUPS else -1

    @wraps(original)
    def note(*arguments: Any, **named: Any) -> Any:
        if not _active:
            return original(*arguments, **named)
        notes = _active[0]
        notes.has_made_groups = notes.has_made_groups or name in MAKES_GROUPS
        if name in MAKES_GROUPS and name not in COLLECTIVES:
            return original(*arguments, **named)
        group = named.get("group", arguments[place] if -1 < place < len(arguments) else None)
        with notes.waiting(name, group):
            return original(*arguments, **named)

    note.__samplercheck__ = True  # type: ignore[attr-defined]  # a mark of our own
    return note
