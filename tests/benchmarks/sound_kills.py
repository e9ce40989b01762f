"""Sound jobs are killed at random steps and go on: no alarm is allowed. Prints a table of kills and alarms.

By hand, for some minutes: python tests/benchmarks/sound_kills.py [KILLS OF EACH] [SEED] [FIRST JOB]
"""

from __future__ import annotations

import random
import sys
import time

from samplercheck.training.drills import Drill, carry_out
from samplercheck.training.drills.kills import Kill
from samplercheck.values.finding import Outcome
from tests.training.test_drilled_scripts import NODES, SCRIPT, SPAWNED

STEPS = 30
"""Of 3 epochs; so many samples are there."""
JOBS = (  # launcher, ranks, workers, how it goes on
    ("plain", 1, 0, "skip"),
    ("torchrun", 1, 2, "state"),
    ("spawn", 2, 0, "skip"),
    ("spawn", 2, 2, "state"),
    ("torchrun", 2, 2, "skip"),
    ("torchrun", 2, 0, "state"),
    ("fork", 4, 2, "state"),
    ("fork", 4, 0, "skip"),
    ("torchrun", 4, 0, "state"),
    ("nodes", 4, 2, "skip"),
)
"""Ranks are spawned, forked off, or started by torchrun, at last on two nodes."""


def draw_kills(number, draws):
    """Return kills at random steps, of the job as it works or behind its step, one in five of them twice."""
    chosen = set()
    while len(chosen) < number:
        steps = [draws.randrange(1, STEPS)]
        if draws.random() < 0.2:
            steps.append(draws.randrange(1, STEPS - steps[0] + 1))
        chosen.add(tuple(f"{one}{draws.choice(('', '+'))}" for one in steps))
    return tuple(Kill(one, "by chance") for one in sorted(chosen))


def drill(launcher, ranks, workers, way, kills):
    """Return the report of a drill, and its lines."""
    start = {
        "plain": [SCRIPT],
        "nodes": [NODES, str(ranks // 2)],
        "torchrun": ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), SCRIPT],
        "spawn": [SPAWNED, str(ranks)],
        "fork": [SPAWNED, f"{ranks}forked"],
    }[launcher]
    words = [
        "{dir}",
        "--bare",
        "--way",
        way,
        "--workers",
        str(workers),
        "--length",
        str(ranks * STEPS // 3 * 4),
    ]
    said = []

    def say(line):
        said.append(line)
        print(line, file=sys.stderr, flush=True)

    asked = Drill(words=(sys.executable, *start, *words), at=kills, promise="same-order")
    return carry_out(asked, say), said


def main():
    number, seed, first = (int(one) for one in [*sys.argv[1:4], *("5", "1", "0")[len(sys.argv) - 1 :]])
    draws = random.Random(seed)
    print("| launcher | ranks | workers | goes on by | kills | sound | not judged | alarms | |")
    print("| --- " * 9 + "|")
    for job in JOBS[first:]:
        began, kills = time.monotonic(), draw_kills(number, draws)
        report, said = drill(*job, kills)
        sound = sum(": sound" in line for line in said)
        alarms = [one.code for one in report.results if one.outcome is Outcome.BROKEN]
        left = sum("not judged" in line for line in said)
        row = (
            *job,
            len(kills),
            sound,
            left,
            ", ".join(alarms) or "none",
            f"{time.monotonic() - began:.0f} s",
        )
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


if __name__ == "__main__":
    main()
