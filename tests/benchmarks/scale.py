"""What long passes and large worlds cost: ``python tests/benchmarks/scale.py [LENGTH [RANKS]]``.

Prints, for samplers that yield 10^7 samples (or LENGTH, as in 1e8) in a world of 8: nanoseconds of a
processor for each index, by itself and with the kit; the most memory that a process takes, from 10^6 samples
on; whether a loss and a repetition that are planted are named; and for DistributedSampler with 10^5 samples
the seconds of a run of 512 ranks (or RANKS), and what a rank takes there and among 64. Measurements take
turns; a machine that does other things as well shows more.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine import Plan, carry_out
from samplercheck.experiments import STREAMED
from samplercheck.running.child import load_libraries
from samplercheck.values.sizes import Sizes, read_size
from samplercheck.worlds import open_world

LENGTH, RANKS, WORLD = 10**7, 512, 8
LARGE_LENGTH, FEW = 100_000, 64
ROUNDS = 5
LOST, DOUBLED = 1_234_567, 7_654


class Ranges:
    """Takes a block of the dataset and yields it as a range."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.block = range(length * rank // world_size, length * (rank + 1) // world_size)

    def __iter__(self) -> Any:
        return iter(self.block)


class Generated(Ranges):
    """Yields its block one by one."""

    def __iter__(self) -> Any:
        yield from self.block


class Listed(Ranges):
    """Makes a list first, as most samplers do."""

    def __iter__(self) -> Any:
        return iter(list(self.block))


class Batched(Ranges):
    """Yields batches of 64."""

    def __iter__(self) -> Any:
        return (list(self.block[begin : begin + 64]) for begin in range(0, len(self.block), 64))


class Planted(Ranges):
    """Yields one sample twice, in the place of another."""

    def __iter__(self) -> Any:
        return (DOUBLED if index == LOST else index for index in self.block)


def in_child(measure: Callable[[], float]) -> tuple[float, float]:
    """Return what a copy of this process measures, and by how many MB it grew at most."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        with os.fdopen(reading) as said:
            first, second = said.read().split()
        os.waitpid(process, 0)
        return float(first), float(second)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = measure()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    os.write(writing, f"{found} {grown / 1024}".encode())
    os._exit(0)


def bare(kind: type, length: int) -> float:
    """Return the seconds in which all ranks iterate by themselves."""
    began = time.process_time()
    for rank in range(WORLD):
        for _ in kind(length, rank, WORLD):
            pass
    return time.process_time() - began


def with_the_kit(kind: type, length: int) -> float:
    """Return the seconds in which a simulated world takes the fingerprints of one epoch."""
    binding = sc.target(kind, contract=sc.Contract(tail="keep", order="free")).bind()
    began = time.process_time()
    with open_world("simulated") as world:
        trace = world.trace(binding, Case(length=length, world_size=WORLD, epochs=1), (STREAMED,))
    taken = time.process_time() - began
    assert trace.streams[0].is_covered
    return taken


def compare_times(length: int) -> None:
    """Print a row for each kind of sampler."""
    print(f"length {length:,}, world {WORLD}: ns of a processor for each index (median of {ROUNDS}, from-to)")
    for kind in (Ranges, Generated, Listed, Batched):
        both: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for found, measure in zip(both, (bare, with_the_kit), strict=True):
                found.append(in_child(lambda: measure(kind, length))[0] / length * 1e9)  # noqa: B023  (called here)
        above = [kit - own for own, kit in zip(*both, strict=True)]
        texts = (f"{statistics.median(one):7.1f} ({min(one):.1f}-{max(one):.1f})" for one in (*both, above))
        print(f"  {kind.__name__:10}" + "".join(f"{text:>26}" for text in texts))


def compare_memory(length: int) -> None:
    """Print by how much a process grows that takes fingerprints of more and more samples."""
    print("memory: by how many MB a process grows that takes fingerprints")
    lengths = [one for one in (10**6, 10**7, 10**8) if one < length] + [length]
    for kind in (Ranges, Generated):
        grown = [in_child(lambda: with_the_kit(kind, one))[1] for one in lengths]  # noqa: B023  (called here)
        row = (f"{one:>15,}: {mb:5.1f}" for one, mb in zip(lengths, grown, strict=True))
        print(f"  {kind.__name__:10}" + "".join(row))


def run(target: Any, **sizes: int) -> Any:
    """Return the report of a run of one size in simulation."""
    return carry_out(Plan(target=target, worlds=("simulated",), sizes=Sizes(**sizes)))


def find_planted(length: int) -> None:
    """Print what is said of a loss and a repetition."""
    target = sc.target(Planted, contract=sc.Contract(tail="keep", order="free"), name="Planted")
    report = run(target, length=length, world_size=WORLD)
    print(f"one sample lost ({LOST}) and one doubled ({DOUBLED}) of {length:,}, in {report.seconds:.0f} s:")
    for one in report.failures:
        print(f"  {one.code}: {one.failure.violation.found}")


def time_ranks(world_size: int) -> float:
    """Return the seconds of a processor that a rank of DistributedSampler takes for a shuffled epoch."""
    binding = sc.target("torch.utils.data:DistributedSampler").bind()
    case = Case(length=LARGE_LENGTH, world_size=world_size, shuffle=True, epochs=1)
    with open_world("simulated") as world:
        began = time.process_time()
        world.trace(binding, case, ("epochs",))
        return (time.process_time() - began) / world_size


def compare_worlds(ranks: int) -> None:
    """Print what a rank takes in a small and in a large world, and what a run of the large one takes."""
    print(f"DistributedSampler, length {LARGE_LENGTH:,}: ms of a processor for each rank and shuffled epoch")
    for world in (FEW, ranks, FEW, ranks):
        print(f"  world {world:6,}: {time_ranks(world) * 1e3:8.2f}")
    report = run("torch.utils.data:DistributedSampler", length=LARGE_LENGTH, world_size=ranks)
    said = f"{report.tried[0].scope}; {report.outcome.value}"
    print(f"a run of world {ranks:,}: {report.seconds:.1f} s; {said}")


def main(length: str = str(LENGTH), ranks: str = str(RANKS)) -> None:
    """Print all of it."""
    load_libraries()
    number = read_size(length, "LENGTH")
    compare_times(number)
    compare_memory(number)
    find_planted(max(number, LENGTH))
    compare_worlds(read_size(ranks, "RANKS"))
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
