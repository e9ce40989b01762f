"""What a profile costs in processor seconds, for targets that are slow in several ways; prints a table.

Run by hand: ``python tests/benchmarks/profiles.py [quick|standard] [NAME ...]``. Each target has a process;
its phases follow. Beside the seconds stand turns of a loop: a slow machine takes longer for both.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time

from torch.utils.data import DistributedSampler

import samplercheck as sc
from tests.benchmarks.slow_targets import SLOW

TURNS = 10**6


def loop_seconds() -> float:
    """Return what a loop of many turns takes."""
    began = time.process_time()
    sum(turn & 1 for turn in range(TURNS))
    return time.process_time() - began


def run(name: str, profile: str) -> None:
    """Run one target and print what it took."""
    factory, promise = {"torch": (DistributedSampler, {}), **SLOW}[name]
    turn = min(loop_seconds() for _ in range(3))
    began = resource.getrusage(resource.RUSAGE_SELF)
    target = sc.target(factory, name=name, contract=sc.Contract(**promise))
    report = sc.run(target, profile=profile, worlds=["simulated"])
    ended = resource.getrusage(resource.RUSAGE_SELF)
    seconds = ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime
    broken = " ".join(one.code for one in report.failures)
    cases = sum(one.cases for one in report.tried)
    print(f"{name:<12}{seconds:>9.1f}{seconds / turn:>14.0f}{cases:>8}  {report.outcome.value} {broken}")
    for one in report.tried:
        print(f"  {one.phase:<14}{one.seconds:>5.1f}{one.cases:>22}", flush=True)


def main() -> None:
    """Print the table, a target after the other."""
    profile, *names = sys.argv[1:] or ["quick"]
    print(f"{profile:<12}{'seconds':>9}{'million turns':>14}{'cases':>8}")
    for name in names or ["torch", *SLOW]:
        child = multiprocessing.get_context("fork").Process(target=run, args=(name, profile))
        child.start()
        child.join()


if __name__ == "__main__":
    main()
