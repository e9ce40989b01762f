"""Ranks on GPUs: what fails there fails alone, and what comes after it is tried."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.worlds import open_world
from tests.hostile.samplers import Sound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from samplercheck.worlds.nccl import NcclWorld

pytestmark = [pytest.mark.nccl, pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")]

FAILS, GOES_ON = 5, 6


class Broadcasts(Sound):
    """Hands its samples on from the first rank, in a tensor that lies where ``device`` says."""

    device = "cuda"

    def __iter__(self) -> Iterator[int]:
        found = torch.tensor(list(super().__iter__()), device=self.device)
        dist.broadcast(found, 0)
        yield from found.tolist()


class BroadcastsFromCpu(Broadcasts):
    device = "cpu"


class FailsOnTheGpu(Sound):
    """Asks a GPU for what is not there, which ends the GPU for its process; not so at any length."""

    def __iter__(self) -> Iterator[int]:
        if len(self.dataset) == FAILS:
            torch.zeros(1, device="cuda")[torch.tensor([FAILS], device="cuda")].item()
        yield from super().__iter__()


@pytest.fixture(scope="module")
def world() -> Iterator[NcclWorld]:
    with open_world("nccl", max_ranks=1) as world:
        yield world


def traced(world: NcclWorld, factory: type, length: int) -> sc.values.trace.Trace:
    case = sc.Case(length=length, world_size=1, epochs=2)
    return world.trace(sc.target(factory).bind(), case, ("epochs", "again"))


def test_a_collective_goes_through_the_gpu(world: NcclWorld) -> None:
    trace = traced(world, Broadcasts, 4)
    assert trace.is_whole, (trace.faults, trace.not_carried)
    assert [list(one.items) for one in trace.of("epochs")[0].passes] == [[0, 1, 2, 3]] * 2


def test_a_tensor_that_lies_on_the_cpu_is_what_fails_in_a_job(world: NcclWorld) -> None:
    trace = traced(world, BroadcastsFromCpu, 4)
    assert not trace.not_carried
    assert ["device type cpu" in one.message for one in trace.faults] == [True]


def test_what_has_ended_the_gpu_of_a_process_is_not_what_the_next_case_finds(world: NcclWorld) -> None:
    trace = traced(world, FailsOnTheGpu, FAILS)
    assert not trace.not_carried
    assert ["device-side assert" in one.message for one in trace.faults] == [True]
    assert traced(world, FailsOnTheGpu, GOES_ON).is_whole


def test_more_ranks_than_gpus_are_not_waited_for() -> None:
    many = torch.cuda.device_count() + 1
    with open_world("nccl", max_ranks=many) as world:
        trace = world.trace(
            sc.target(DistributedSampler).bind(), sc.Case(length=5, world_size=many, epochs=1), ("epochs",)
        )
    assert trace.not_carried.startswith(f"World 'nccl' needs {many} GPUs and found {many - 1}.")


JOB = """
import torch, torch.distributed as dist, samplercheck as sc
torch.cuda.set_device(0)
dist.init_process_group("nccl")
report = sc.run(torch.utils.data.DistributedSampler, worlds=["attached"])
ones = torch.ones(1, device="cuda")
dist.all_reduce(ones)
print(*(tried.cases for tried in report.tried), report.outcome.value, dist.get_backend(), ones.item())
dist.destroy_process_group()
"""


def test_a_job_on_gpus_is_attached_to_and_goes_on(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text(JOB)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "1", script]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert ended.stdout.split()[-4:] == ["60", "unknown", "nccl", "1.0"], ended.stderr
