"""How much sooner several processes are through: ``python tests/benchmarks/jobs.py [TARGET [PROFILE]]``.

Prints for 1, 2 ... jobs the seconds of each phase and how many times as quick they are, the best of several
runs that take turns. A machine that does other things as well shows less. So it prints the processor seconds
of this process ("here") and of all jobs together: on free processors the longest of these decides.
"""

from __future__ import annotations

import os
import resource
import sys
import time

from samplercheck.engine import Jobs, Plan, carry_out, serve_cases
from samplercheck.running.child import load_libraries
from samplercheck.worlds.processes.workers import WorkerPool

TARGET = "torch.utils.data:DistributedSampler"
ROUNDS = 5
PHASES = ("small scope", "frontier", "wide", "large")


def measure(plan: Plan, jobs: int) -> dict[str, float]:
    """The seconds of each phase, by the clock, and the processor seconds of all processes."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        with os.fdopen(reading) as said:
            lines = said.read()
        os.waitpid(process, 0)
        return {name: float(value) for name, value in (line.split("=") for line in lines.splitlines())}
    began = time.process_time()
    with WorkerPool(jobs, serve_cases(plan)) as pool:
        report = carry_out(plan, jobs=Jobs(pool) if len(pool) else None)
    found = {one.phase: one.seconds for one in report.tried}
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found |= {"here": time.process_time() - began, "jobs": children.ru_utime + children.ru_stime}
    os.write(writing, "\n".join(f"{name}={value}" for name, value in found.items()).encode())
    os._exit(0)


def main(target: str = TARGET, profile: str = "standard") -> None:
    """Print the table."""
    load_libraries()
    plan = Plan(target=target, profile=profile, worlds=("simulated",)).resolve()
    numbers = (1, 2) if (os.cpu_count() or 1) < 4 else (1, 2, 4)
    runs = {jobs: [] for jobs in numbers}
    for _ in range(ROUNDS):
        for jobs in numbers:
            runs[jobs].append(measure(plan, jobs))
    best = {jobs: {name: min(run[name] for run in runs[jobs]) for name in runs[jobs][0]} for jobs in numbers}
    print(f"{target}, {profile}: the best of {ROUNDS}; load {os.getloadavg()[0]:.1f}")
    for name in (*(phase for phase in PHASES if phase in best[1]), "here", "jobs"):
        row = "".join(f"{best[jobs][name]:10.2f}" for jobs in numbers)
        ratio = f"{best[1][name] / best[2][name]:6.2f} x" if name in PHASES else ""
        print(f"{name:12}{row}{ratio}")
    longest = max(best[2]["here"], best[2]["jobs"] / 2)
    print(f"on free processors, by these seconds: {best[1]['here'] / longest:.2f} x with 2 jobs")


if __name__ == "__main__":
    main(*sys.argv[1:])
