"""A group that does not open: one rank that cannot join ends the wait, and a run gives up in the end."""

from __future__ import annotations

import time
from multiprocessing.connection import Connection, Pipe
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.values.errors import WorldError
from samplercheck.worlds import nccl, open_world
from samplercheck.worlds.groups import group
from samplercheck.worlds.groups import world as worlds
from samplercheck.worlds.groups.group import Group
from samplercheck.worlds.groups.messages import Done, send
from samplercheck.worlds.nccl import NcclWorld

if TYPE_CHECKING:
    from pathlib import Path

NO_GPU = "RuntimeError: CUDA error: invalid device ordinal"
SOON = 5.0
SETTINGS = {"backend": "nccl", "reverse": False}


class SourceOfTwo:
    """Starts two ranks: the second has no GPU, and the first waits for it forever."""

    has_stopped = False
    waitable = ()

    def __init__(self) -> None:
        self.ends: list[Connection] = []
        self.started = 0

    def start_rank(self, job: dict[str, Any]) -> Any:
        """Start a rank that has answered already, or never does."""
        here, there = Pipe()
        self.ends.append(there)
        self.started += 1
        if job["rank"] == 1:
            send(there, Done(problem=NO_GPU))
        return SimpleNamespace(connection=here, status="", stderr_end=(), pid=0, kill=lambda: None)

    def start(self) -> None:
        """Start with the first rank."""

    def preload(self, parcel: bytes) -> None:
        """Import nothing."""

    def hear(self) -> None:
        """Hear nothing of its ranks."""

    def close(self) -> None:
        """Keep nothing."""


def test_a_rank_that_cannot_join_ends_the_wait_of_all(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(WorldError, match=NO_GPU):
        Group(SourceOfTwo(), 2, tmp_path / "group", SETTINGS)
    assert time.monotonic() - begun < SOON


def test_where_none_answers_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "LONGEST_START", 0.1)
    with pytest.raises(WorldError, match="of 1 ranks: no answer"):
        Group(SourceOfTwo(), 1, tmp_path / "group", SETTINGS)


def test_a_run_does_not_wait_for_a_group_at_each_of_its_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceOfTwo()
    monkeypatch.setattr(worlds, "process_source", lambda *_, **__: source)
    binding = sc.target(DistributedSampler).bind()
    with open_world("gloo") as world:
        for length in range(9):
            trace = world.trace(binding, sc.Case(length=length, world_size=2, epochs=1), ("epochs",))
            assert NO_GPU in trace.not_carried
    assert source.started == 2 * (1 + worlds.MOST_RENEWALS)


def test_no_more_ranks_than_gpus_whatever_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nccl, "_gpus", lambda: 4)
    assert [NcclWorld(max_ranks=asked).most_ranks for asked in (None, 1, 4, 9)] == [4, 1, 4, 4]
    assert NcclWorld(max_ranks=9)._too_many(5).startswith("World 'nccl' needs 5 GPUs and found 4.")
    assert "allow more with max_ranks=3" in NcclWorld(max_ranks=2)._too_many(3)
