"""Hostile samplers: each is found where something is broken, passes where nothing is, and leaves no mark."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import samplercheck as sc
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.hostile import samplers
from tests.hostile.command import environment, finished, is_alive

SAMPLERS = Path(samplers.__file__)
CASE = "n=3,world=2,batch=1"
CAPPED = 90

# The law that is broken, then the rank, the epoch and the step.
FOUND = {
    "LoopsForEver": ("SC002", 1, 1, 1),
    "SleepsForEver": ("SC002", 1, 1, 1),
    "StealsTheAlarm": ("SC002", 1, 1, 1),
    "YieldsForEver": ("SC002", 1, 1, CAPPED),
    "RaisesOnOneRank": ("SC001", 1, 1, 1),
    "RaisesSystemExit": ("SC001", 1, 1, 1),
    "RaisesKeyboardInterrupt": ("SC001", 1, 1, 1),
    "YieldsStrings": ("SC101", 1, 1, 1),
}
# In a child of the command line; the others take long, or are found in the child as they are here.
ENDS = ("RaisesOnOneRank", "SwallowsEverything", "EndsTheProcess")
FOUND_BY_PARENT = {
    "SwallowsEverything": ("SC002", 1, 1, 1),
    "HoldsTheInterpreter": ("SC002", 1, 1, 1),
    "CrashesTheInterpreter": ("SC001", 1, 1, 1),
    "EndsTheProcess": ("SC001", 1, 1, 1),
    "KillsItself": ("SC001", 1, 1, 1),
}
SOUND = ("MovesAround", "FloodsStdout", "LeavesThread")
SOUND_IN_A_CHILD = ("ClosesStdout", "ComesBackTwice")


def place(failure):
    first = failure["violations"][0]
    return first["rank"], first["epoch"], first["step"]


# In process


def marks():
    """What a run may not change: generators, environment, directory, signal handlers, streams."""
    handlers = {one: signal.getsignal(one) for one in (signal.SIGALRM, signal.SIGINT)}
    numpy_state = np.random.get_state()
    return (
        random.getstate(),
        (numpy_state[0], numpy_state[1].tolist(), numpy_state[2:]),  # type: ignore[index]
        torch.get_rng_state().tolist(),
        {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
        Path.cwd(),
        handlers,
        (sys.stdout, sys.stderr, sys.stdin),
    )


def judged(name):
    """The report of a run in this process, which must leave everything as it found it."""
    with contextlib.redirect_stdout(io.StringIO()):
        before = marks()
        settings = {"deadlines": Deadlines(0.3)}
        report = sc.run(getattr(samplers, name), profile="quick", world_settings=settings)
        assert marks() == before
    return report.to_dict()


def broken(report):
    return {one["code"]: one["failure"] for one in report["results"] if one["outcome"] == "broken"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", FOUND)
def test_in_process_it_is_found_with_rank_epoch_and_step(name):
    code, *where = FOUND[name]
    report = judged(name)
    failure = broken(report)[code]
    assert failure["token"] == CASE
    assert place(failure) == tuple(where)
    assert [one["cases"] for one in report["tried"]][:1] == [65]


@pytest.mark.thorough
def test_in_process_a_list_that_is_refilled_is_found_behind_workers():
    assert set(broken(judged("RefillsOneList"))) == {"SC801"}


@pytest.mark.parametrize("name", SOUND)
def test_in_process_what_is_sound_passes(name):
    assert broken(judged(name)) == {}


@pytest.mark.thorough
def test_reseeding_the_generators_is_found_and_undone():
    assert place(broken(judged("ReseedsEverything"))["SC403"])[0] == 0


def in_a_process_of_its_own(name, directory, then=""):
    code = (
        "import samplercheck as sc; from samplercheck.worlds.in_rank.deadlines import Deadlines; "
        f"report = sc.run({f'{SAMPLERS}:{name}'!r}, profile='quick', "
        f"world_settings={{'deadlines': Deadlines(0.3)}}); {then}"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment(directory),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.thorough
def test_stdout_works_again_after_a_target_has_closed_it(tmp_path):
    done = in_a_process_of_its_own("ClosesStdout", tmp_path, "print(len(report.failures), 'failures')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 failures\n", "")


@pytest.mark.slow
def test_in_process_what_swallows_every_interruption_is_named_and_ends_the_process(tmp_path):
    done = in_a_process_of_its_own("SwallowsEverything", tmp_path)
    assert done.returncode == 4
    assert "rank 1 hung in next (experiment epochs, epoch 1, step 1)" in done.stderr
    assert f"case {CASE}" in done.stderr


# On the command line


def run_of(name, directory):
    return finished(f"samplers.py:{name}", directory, SAMPLERCHECK_DEADLINE="0.3")


def but_slow(names, *, quick):
    """Return names as parameters; all but a few are left to the slow part."""
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]


@pytest.mark.thorough
@pytest.mark.parametrize("name", but_slow([*FOUND, *FOUND_BY_PARENT], quick=ENDS))
def test_on_the_command_line_it_is_found_with_rank_epoch_and_step(tmp_path, name):
    code, *where = {**FOUND, **FOUND_BY_PARENT}[name]
    done = run_of(name, tmp_path)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    failure = broken(report)[code]
    assert failure["token"] == CASE
    assert place(failure) == tuple(where)
    assert [(one["cases"], one["planned"]) for one in report["tried"][:1]] == [(65, 65)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", but_slow([*SOUND, *SOUND_IN_A_CHILD], quick=SOUND_IN_A_CHILD))
def test_on_the_command_line_what_is_sound_passes(tmp_path, name):
    done = run_of(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(one["cases"] == one["planned"] for one in json.loads(done.stdout)["tried"])


@pytest.mark.thorough
def test_a_process_that_the_target_has_started_does_not_outlive_the_run(tmp_path):
    assert run_of("StartsProcess", tmp_path).returncode == 0
    started = [int(line) for line in (tmp_path / "notes").read_text().split()]
    assert started
    assert [pid for pid in started if is_alive(pid)] == []


@pytest.mark.thorough
def test_a_module_that_ends_the_process_is_a_usage_error(tmp_path):
    done = finished("dies_when_imported.py:Anything", tmp_path)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "The target's module ends the process (exit status 7) when it is imported." in said
