"""Lone ranks: what a process of a running job does for each case where its process group must not be touched.

Executed in every rank with ``--gather``. No group is made, entered or shown: a target takes its place from
its arguments. One that asks torch.distributed gets the job's own answer, and its case does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch.distributed as dist
from torch.distributed import distributed_c10d

from samplercheck.targets.binding import Binding
from samplercheck.values.errors import UsageError, WorldError
from samplercheck.worlds.groups.collectives import COLLECTIVES
from samplercheck.worlds.groups.messages import Done, RunCase
from samplercheck.worlds.groups.rank import Rank
from samplercheck.worlds.job.place import JobPlace
from samplercheck.worlds.job.ranks import open_guard

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

    def __init__(self, place: JobPlace, directory: Path, *, hears_user: bool) -> None:
        job = {"rank": place.rank, "world_size": place.size, "backend": "gloo"}
        super().__init__(job, None, *open_guard(directory, hears_user=hears_user))
        self._known: dict[str, Binding] = {}

    def learn(self, binding: Binding) -> str:
        """Take a target that this process was started with; return its name."""
        check_place(binding)
        name = name_target(binding)
        self._known[name] = binding
        return name

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
