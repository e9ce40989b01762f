"""Real jobs under a drill, by launchers and without: planted faults are found, sound ones raise nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samplercheck.training.drills import Drill, carry_out
from samplercheck.training.drills.kills import Kill
from samplercheck.values.finding import Outcome
from tests.training.jobs import broken

SCRIPT, SPAWNED, NODES = (
    str(Path(__file__).with_name(name)) for name in ("script.py", "spawned.py", "nodes.py")
)
ONCE, GOES_ON, WHOLE, UNDISTURBED = "SC1101", "SC1102", "SC1103", "SC1108"
pytestmark = [pytest.mark.slow]


def drill(*words, ranks=1, launcher="torchrun", at=("17",), **asked):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    starts = {
        (True, "torchrun"): [*torchrun, SCRIPT],
        (True, "spawn"): [sys.executable, SPAWNED, str(ranks)],
        (True, "nodes"): [sys.executable, NODES, str(ranks // 2)],
        (False, "torchrun"): [sys.executable, SCRIPT],
    }
    command = (*starts[ranks > 1, launcher], "{dir}", "--bare", *words)
    kills = tuple(map(Kill.parse, at))
    return carry_out(Drill(words=command, at=kills, promise="same-order", **asked), print)


@pytest.mark.parametrize(
    ("fault", "words", "asked", "laws"),
    [
        ("epoch-set-back", [], {}, {ONCE, GOES_ON, UNDISTURBED}),
        ("offset-in-later-epochs", [], {}, {ONCE, WHOLE, UNDISTURBED}),
        ("loader-not-saved", [], {}, {ONCE, GOES_ON, UNDISTURBED}),
        ("counted-by-sampler", ["--way", "state", "--workers", "2"], {}, {ONCE, GOES_ON, UNDISTURBED}),
        ("order-from-global-rng", [], {}, {ONCE, GOES_ON, UNDISTURBED}),
        ("batch-in-flight", [], {}, {ONCE, GOES_ON, UNDISTURBED}),
        pytest.param(
            *("state-of-rank-0", ["--way", "state"], {"ranks": 2}, {ONCE, GOES_ON, UNDISTURBED}),
            marks=pytest.mark.gloo,
        ),
        pytest.param(
            *("other-world", ["--every", "4"], {"ranks": 2, "at": ["11"], "world": 1}, {ONCE}),
            marks=pytest.mark.gloo,
        ),
    ],
)
def test_a_planted_fault_is_found_by_its_law(fault, words, asked, laws):
    report = drill("--fault", fault, *words, **asked)
    assert broken(report) == laws, str(report)


@pytest.mark.gloo
@pytest.mark.parametrize("launcher", ["torchrun", "spawn", "nodes"])
def test_a_sound_job_of_two_ranks_and_two_workers_is_sound(launcher):
    report = drill("--way", "state", "--workers", "2", ranks=2, launcher=launcher, at=["5/4"])
    assert report.ok, str(report)
    assert {one.code: one.outcome for one in report.results}[UNDISTURBED] is Outcome.HOLDS


@pytest.mark.gloo
def test_a_sound_job_goes_on_with_another_number_of_ranks():
    assert broken(drill("--every", "4", ranks=2, at=["11"], world=1)) == set()
