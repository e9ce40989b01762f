"""Targets, and a program, that run in the ranks of a job."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import torch.distributed as dist
from torch.distributed import distributed_c10d
from torch.utils.data import DistributedSampler

import samplercheck as sc


def sound(length, rank, world_size):
    """Agrees with its arguments on where it is."""
    assert (dist.get_rank(), dist.get_world_size()) == (rank, world_size)
    return DistributedSampler(range(length), shuffle=False)


def meets(length):
    """Has all ranks of its world agree on a number before it yields."""
    numbers = [None] * dist.get_world_size()
    dist.all_gather_object(numbers, dist.get_rank())
    assert numbers == list(range(len(numbers)))
    group = dist.new_group(list(range(len(numbers))))
    dist.barrier(group)
    return DistributedSampler(range(length), shuffle=False)


class Loses:
    """Yields a block of the dataset, and one sample of it twice in the place of another."""

    def __init__(self, length, rank, world_size):
        self.block = range(length * rank // world_size, length * (rank + 1) // world_size)

    def __iter__(self):
        return (7 if index == 1_234_567 else index for index in self.block)


def loses(length, rank, world_size):
    """Builds one of these."""
    return Loses(length, rank, world_size)


def dies(length, rank, world_size):
    """Is killed in one rank of a large world."""
    if rank == 2 and world_size == 4 and length > 8:
        os.kill(os.getpid(), signal.SIGKILL)
    return DistributedSampler(range(length), shuffle=False)


def waits(length):
    """Waits for its world again and again, once it is as large as the job, and says so in a file."""
    if dist.get_world_size() == 4 and length > 8:
        Path(f"waits-{dist.get_rank()}").touch()
        for _ in range(3_000):
            dist.barrier()
            time.sleep(0.01)
    return DistributedSampler(range(length), shuffle=False)


def placed(length, rank, world_size):
    """Takes its place from its arguments."""
    return DistributedSampler(range(length), world_size, rank, shuffle=False)


def dies_alone(length, rank, world_size):
    """Is killed in one rank of a large world, where no group is asked."""
    if rank == 2 and world_size == 4 and length > 8:
        os.kill(os.getpid(), signal.SIGKILL)
    return placed(length, rank, world_size)


def asks(length, rank, world_size):
    """Takes its place from its arguments, and asks the group all the same."""
    if dist.is_initialized():
        assert dist.get_world_size() == world_size
    return placed(length, rank, world_size)


def gather(where) -> None:
    """Judge two targets in a program whose process group nobody else touches, which collectives show."""
    dist.init_process_group("gloo")
    before = dist.group.WORLD, distributed_c10d._world.group_count, dist.get_world_size
    holds = sc.run(placed, worlds=["attached"], gather=where)
    broken = sc.run("tests.zoo.rank_dependent_seed:bug", worlds=["attached"], gather=where)
    assert before == (dist.group.WORLD, distributed_c10d._world.group_count, dist.get_world_size)
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, (holds.to_dict(), broken.to_dict()))
    assert all(one == told[0] for one in told)
    sys.stdout.write(f"{holds.outcome.value} {','.join(one.code for one in broken.failures)}\n")
    dist.destroy_process_group()


def main() -> None:
    """Judge two targets in a program that has a process group of its own."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    holds = sc.run(sound, worlds=["attached"], select=["SC1"])
    broken = sc.run("tests.zoo.rank_dependent_seed:bug", worlds=["torchrun"], select=["SC1", "SC4"])
    told = [None] * dist.get_world_size()
    dist.all_gather_object(told, (holds.to_dict(), broken.to_dict()))
    assert all(one == told[0] for one in told)
    if rank == 0:
        sys.stdout.write(f"{holds.outcome.value} {','.join(one.code for one in broken.failures)}\n")
    dist.destroy_process_group()


if __name__ == "__main__":
    if sys.argv[1:]:
        gather(sys.argv[1])
    else:
        main()
