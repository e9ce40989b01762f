"""How much sooner several processes are through: ``python tests/benchmarks/jobs.py [TARGET [PROFILE]]``.

Prints for 1, 2 ... jobs the seconds of each phase and how many times as quick they are: the medians of
several runs that take turns. Processors that share a core, or that others use too, allow less than their
number. So "apart" has the seconds of 2 whole runs side by side that know nothing of each other, and "of what
the machine allows" how many times as quick 2 jobs are on processors on which those take no longer than one.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from statistics import median

from samplercheck.engine import Jobs, Plan, carry_out, serve_cases
from samplercheck.running.child import load_libraries
from samplercheck.worlds.processes.workers import WorkerPool

TARGET = "torch.utils.data:DistributedSampler"
ROUNDS = 5
PHASES = ("small scope", "frontier", "wide", "large")


def start(plan: Plan, jobs: int) -> tuple[int, int]:
    """Start a run in a process of its own; return the process and where it tells its seconds."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    began = time.process_time()
    with WorkerPool(jobs, serve_cases(plan)) as pool:
        report = carry_out(plan, jobs=Jobs(pool) if len(pool) else None)
    found = {one.phase: one.seconds for one in report.tried}
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found |= {"here": time.process_time() - began, "jobs": children.ru_utime + children.ru_stime}
    os.write(writing, "\n".join(f"{name}={value}" for name, value in found.items()).encode())
    os._exit(0)


def finish(process: int, reading: int) -> dict[str, float]:
    """The seconds of each phase, by the clock, and the processor seconds of all processes."""
    with os.fdopen(reading) as said:
        lines = said.read()
    os.waitpid(process, 0)
    return {name: float(value) for name, value in (line.split("=") for line in lines.splitlines())}


def run_apart(plan: Plan) -> dict[str, float]:
    """The seconds of two runs side by side that know nothing of each other: of each phase the longer."""
    one, other = (finish(*started) for started in [start(plan, 1) for _ in range(2)])
    return {name: max(one[name], other[name]) for name in one}


def main(target: str = TARGET, profile: str = "standard") -> None:
    """Print the table."""
    load_libraries()
    plan = Plan(target=target, profile=profile, worlds=("simulated",)).resolve()
    numbers = (1, 2) if (os.cpu_count() or 1) < 4 else (1, 2, 4)
    runs = {jobs: [] for jobs in numbers}
    apart = []
    for _ in range(ROUNDS):
        for jobs in numbers:
            runs[jobs].append(finish(*start(plan, jobs)))
        apart.append(run_apart(plan))
    best = {
        jobs: {name: median(run[name] for run in runs[jobs]) for name in runs[jobs][0]} for jobs in numbers
    }
    beside = {name: median(run[name] for run in apart) for name in apart[0]}
    heads = "".join(f"{jobs:8} job{'s' if jobs > 1 else ' '}" for jobs in numbers)
    print(f"{target}, {profile}: medians of {ROUNDS}; load {os.getloadavg()[0]:.1f}")
    print(f"{'':12}{heads}{'apart':>10}{'2 jobs':>10}{'of what the machine allows':>30}")
    for name in (*(phase for phase in PHASES if phase in best[1]), "here", "jobs"):
        row = f"{name:12}" + "".join(f"{best[jobs][name]:12.2f}" for jobs in numbers)
        if name in PHASES:
            gained, allowed = (one[name] / best[2][name] for one in (best[1], beside))
            row += f"{beside[name]:10.2f}{gained:8.2f} x{allowed:28.2f} x"
        print(row)


if __name__ == "__main__":
    main(*sys.argv[1:])
