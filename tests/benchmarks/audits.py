"""What an audit of a large job takes: seconds and memory, by the ranks, steps and epochs of the job.

Prints a table for docs/training.md: python tests/benchmarks/audits.py [FOLDER FOR SOME GB]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import samplercheck as sc
from tests.support.large_ledgers import write_job

JOBS = (
    {"world": 8, "steps": 200_000, "epochs": 10},
    {"world": 64, "steps": 100_000, "epochs": 1},
    {"world": 64, "steps": 1_000_000, "epochs": 1},
    {"world": 64, "steps": 1_000_000, "epochs": 1, "uneven": 3},
    {"world": 64, "steps": 1_000_000, "epochs": 20, "die": 730_050},
    {"world": 64, "steps": 1_000_000, "epochs": 1600},
)
MEASURE = "import sys; from tests.benchmarks.audits import measure; measure(sys.argv[1])"


def measure(folder):
    """Print how many seconds an audit takes, how much memory at most, and what it says."""
    began, worked = time.perf_counter(), time.process_time()
    report = sc.audit(folder)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    said = ", ".join(one.code for one in report.failures) or "holds"
    print(f"{seconds:.1f} s | {worked:.1f} s | {megabytes:.0f} MB | {said}")


def main():
    place = sys.argv[1] if len(sys.argv) > 1 else None
    print(
        "| ranks | steps of each | epochs | | ledgers | audit | processor | memory | |\n" + "| --- " * 9 + "|"
    )
    for job in JOBS:
        how = "killed, goes on" if "die" in job else "some repeated" if "uneven" in job else ""
        with tempfile.TemporaryDirectory(dir=place) as folder:
            write_job(Path(folder), **job)
            size = sum(one.stat().st_size for one in Path(folder).iterdir()) / 2**20
            said = subprocess.run(  # a process of its own, so that its peak is its own
                [sys.executable, "-c", MEASURE, folder], check=True, capture_output=True, text=True
            )
        words = (
            job["world"],
            f"{job['steps']:,}",
            job["epochs"],
            how,
            f"{size:,.0f} MB",
            said.stdout.strip(),
        )
        print("| " + " | ".join(map(str, words)) + " |", flush=True)


if __name__ == "__main__":
    main()
