"""Ranks: what a process of a running job does for each case, in groups of all sizes that are tried, or alone.

Executed in every rank of the job, the first one too. A target that asks torch.distributed sees the group of
its case as its world. With ``--gather`` no group is made, entered or shown: a target takes its place from its
arguments, and a case in which it asks torch.distributed does not count. Imports torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from samplercheck.targets.binding import Binding
from samplercheck.targets.parcel import pack_named
from samplercheck.values.errors import SamplerCheckError, UsageError, WorldError
from samplercheck.worlds.groups.collectives import COLLECTIVES, GroupPace, activate, wrap_collectives
from samplercheck.worlds.groups.messages import Done, RunCase
from samplercheck.worlds.groups.rank import Rank
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.in_rank.guard import ProcessGuard
from samplercheck.worlds.job.place import JobPlace
from samplercheck.worlds.processes.black_box import BlackBox
from samplercheck.worlds.processes.bootstrap import write_frames_to

MOST_SIZES = 8
PATIENCE = timedelta(seconds=30)
"""What a collective of a case may take: one that the ranks do not all enter fails then."""
APART = 1_000
"""So many groups a target may make in one case: torch names them by counting, and no name comes twice."""
QUESTIONS = ("get_rank", "get_world_size", "get_backend", "is_initialized")
OF_GROUPS = ("unplaced",)
"""The experiments that have a target ask its group."""
UNOPENED = "process group has not been initialized"
ASKS = (
    "the target asks torch.distributed ({}), which with --gather knows nothing of the case: judge it without "
    "--gather, or let it take rank and world_size as arguments"
)
NO_PLACE = (
    "{} does not take its rank and world_size as arguments, and with --gather there is no process group to "
    "ask: let it take them, or leave --gather out."
)
OTHERS = (
    "The first rank judges another target (hash {}) than the one that this rank was started with: start the "
    "same command on all ranks."
)


def sizes_of(job: int) -> tuple[int, ...]:
    """Return the world sizes that a job of so many ranks is tried in: small ones, and all of it."""
    small = [size for size in (1, 2, 3, 4, 5, 6, 7, 8) if size < job]
    return (*small[: MOST_SIZES - 1], job)


class GroupedRank(Rank):
    """The process as a rank of groups of any of the sizes; each is made of the first ranks of the job."""

    def __init__(self, place: JobPlace, directory: Path) -> None:
        wrap_collectives()
        super().__init__(*_equip(place, directory))
        if dist.get_backend() == "nccl":
            self.device = torch.device("cuda", place.local)
            torch.cuda.set_device(self.device)
        self._whole = dist.group.WORLD
        self._groups: dict[int, tuple[Any, GroupPace]] = {}
        for size in sizes_of(place.size):
            self.renew(size)
        activate(self.notes)

    def send_off(self, binding: Binding) -> tuple[str, bytes]:
        """Return the name of a target, and the parcel by which the others get it."""
        return pack_named(binding)

    def learn(self, bind: Callable[[], Binding]) -> None:
        """Do nothing: a target comes in its parcel."""

    def renew(self, size: int) -> None:
        """Make the groups of a size; all ranks of the job do so at the same time."""
        members = list(range(size))
        group, own = (dist.new_group(members, timeout=PATIENCE) for _ in range(2))
        if self.rank < size:
            self._groups[size] = group, GroupPace(own, self.notes, self.device)

    def run_case(self, number: int, message: RunCase) -> Done:
        """Run the experiments of a case, of which this rank is one; its number is the same on all ranks."""
        self.size = message.case.world_size
        with self._in_group(self.size, number):
            return self.carry_out(message)

    @contextmanager
    def _in_group(self, size: int, number: int) -> Iterator[None]:
        """Let the group of a size be what torch.distributed has for its world."""
        group, self.pace = self._groups[size]
        world = distributed_c10d._world  # noqa: SLF001  (torch has no public way to change the default group)
        before, threads = world.group_count, torch.get_num_threads()
        world.group_count = number * APART
        torch.set_num_threads(1)
        distributed_c10d._update_default_pg(group)  # noqa: SLF001  (the same)
        try:
            yield
        finally:
            distributed_c10d._update_default_pg(self._whole)  # noqa: SLF001  (the same)
            world.group_count = before
            torch.set_num_threads(threads)


def _equip(place: JobPlace, directory: Path) -> tuple[dict[str, Any], None, ProcessGuard, BlackBox]:
    """Return what a rank is made of: its place, and what watches the target; the first one hears the user."""
    job = {"rank": place.rank, "world_size": place.size, "backend": "gloo"}
    box, give_up = BlackBox.create(directory / "notes"), write_frames_to(directory / "frames")
    guard = ProcessGuard(Deadlines(), give_up, box, careful=True, hears_user=place.rank == 0)
    return job, None, guard, box


def where_in(box: BlackBox) -> str:
    """Say what a rank is doing, for others who may lose it."""
    seen = box.read()
    if not seen.case:
        return "before its first case"
    step = "" if seen.step is None else f", step {seen.step}"
    epoch = "" if seen.epoch is None else f", epoch {seen.epoch}"
    return f"in the case {seen.case}, experiment {seen.experiment!r}{epoch}{step}"


def name_target(binding: Binding) -> str:
    """Return what ranks that do not send a target to one another know it by."""
    said = (binding.name, binding.contract.text, *sorted(binding.axes))
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def check_place(binding: Binding) -> None:
    """Refuse a target that would have to ask a process group where it is."""
    if binding.contract.sharding == "ranks" and not {"rank", "world_size"} <= binding.named:
        raise UsageError(NO_PLACE.format(binding.name))


class LoneRank(Rank):
    """The process as a rank that has no group: it runs its part of a case by itself."""

    def __init__(self, place: JobPlace, directory: Path) -> None:
        super().__init__(*_equip(place, directory))
        self._known: dict[str, Binding] = {}

    def send_off(self, binding: Binding) -> tuple[str, bytes]:
        """Take a target that this process was started with, as all are; return its name, and no parcel."""
        check_place(binding)
        name = name_target(binding)
        self._known[name] = binding
        return name, b""

    def learn(self, bind: Callable[[], Binding]) -> None:
        """Take the target that this process was started with."""
        with suppress(SamplerCheckError):  # which the first rank says, of the same target
            self.send_off(bind())

    def renew(self, size: int) -> None:
        """Do nothing: there are no groups."""

    def run_case(self, number: int, message: RunCase) -> Done:  # noqa: ARG002  (what all ranks of jobs are asked)
        """Run the experiments of a case, of which this rank is one."""
        self.size = message.case.world_size
        own = tuple(name for name in message.experiments if name not in OF_GROUPS)
        with _notice_questions() as asked:
            done = self.carry_out(replace(message, experiments=own))
        fault = done.fault
        if fault is not None and UNOPENED in fault.message:
            asked.append(fault.phase)
        return Done(problem=ASKS.format(asked[0])) if asked else replace(done, counts={})

    def _target(self, message: RunCase) -> Binding:
        if message.target not in self._known:
            raise WorldError(OTHERS.format(message.target[:8]))
        return self._known[message.target]


JobRank = GroupedRank | LoneRank


@contextmanager
def _notice_questions() -> Iterator[list[str]]:
    """Note which questions and collectives of torch.distributed are asked for meanwhile."""
    asked: list[str] = []
    there = [(module, name) for module in (dist, distributed_c10d) for name in (*QUESTIONS, *COLLECTIVES)]
    before = {place: getattr(*place) for place in there}
    for (module, name), original in before.items():
        setattr(module, name, partial(_note, asked, name, original))
    try:
        yield asked
    finally:
        for (module, name), original in before.items():
            setattr(module, name, original)


def _note(asked: list[str], name: str, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    asked.append(name)
    return original(*arguments, **named)
