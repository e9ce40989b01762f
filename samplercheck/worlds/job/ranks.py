"""Ranks: what a process of a running job does for each case, and the groups of the sizes that can be tried.

Executed in every rank of the job, the first one too. A target that asks torch.distributed sees the group of
its case as its world. Imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from samplercheck.worlds.groups.collectives import GroupPace, activate, wrap_collectives
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


def sizes_of(job: int) -> tuple[int, ...]:
    """Return the world sizes that a job of so many ranks is tried in: small ones, and all of it."""
    small = [size for size in (1, 2, 3, 4, 5, 6, 7, 8) if size < job]
    return (*small[: MOST_SIZES - 1], job)


class JobRank(Rank):
    """The process as a rank of groups of any of the sizes; each is made of the first ranks of the job."""

    def __init__(self, place: JobPlace, directory: Path, *, hears_user: bool) -> None:
        wrap_collectives()
        job = {"rank": place.rank, "world_size": place.size, "backend": "gloo"}
        super().__init__(job, None, *open_guard(directory, hears_user=hears_user))
        if dist.get_backend() == "nccl":
            self.device = torch.device("cuda", place.local)
            torch.cuda.set_device(self.device)
        self._whole = dist.group.WORLD
        self._groups: dict[int, tuple[Any, GroupPace]] = {}
        for size in sizes_of(place.size):
            self.renew(size)
        activate(self.notes)

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


def open_guard(directory: Path, *, hears_user: bool) -> tuple[ProcessGuard, BlackBox]:
    """Return what watches the target in a process of a job, and where it notes what the target does."""
    box, frames = BlackBox.create(directory / "notes"), write_frames_to(directory / "frames")
    return ProcessGuard(Deadlines(), frames, box, careful=True, hears_user=hears_user), box


def where_in(box: BlackBox) -> str:
    """Say what a rank is doing, for others who may lose it."""
    seen = box.read()
    if not seen.case:
        return "before its first case"
    step = "" if seen.step is None else f", step {seen.step}"
    epoch = "" if seen.epoch is None else f", epoch {seen.epoch}"
    return f"in the case {seen.case}, experiment {seen.experiment!r}{epoch}{step}"
