"""The black box: what was written before the end is read after it."""

from __future__ import annotations

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from samplercheck import Case
from samplercheck.worlds.processes.black_box import RUNNING, BlackBox
from tests.hostile.command import environment

NAMES = ("epochs", "lengths", "again")
CASE = Case(length=3, world_size=2, shuffle=True, seed=7)


@pytest.fixture
def box(tmp_path):
    made = BlackBox.create(tmp_path / "box")
    yield made
    made.close()


def seat(rank=1, experiment="again"):
    return SimpleNamespace(rank=rank, experiment=experiment)


def test_an_empty_black_box_knows_of_no_case(box):
    seen = box.read()
    assert (seen.case, seen.experiments, seen.experiment, seen.hung) == ("", (), "", False)


def test_the_case_and_the_place_are_read_as_they_were_written(box, tmp_path):
    box.enter_stage(RUNNING)
    box.enter_case(CASE, NAMES)
    box.at(1, 2)
    reader = BlackBox(tmp_path / "box")
    seen = reader.read()
    reader.close()
    assert Case.parse(seen.case) == CASE
    assert (seen.stage, seen.rank, seen.experiment, seen.experiments) == (RUNNING, 1, "again", NAMES)


def test_a_shorter_case_leaves_nothing_of_a_longer_one(box):
    box.enter_case(CASE, NAMES)
    box.enter_case(Case(length=1), NAMES)
    assert Case.parse(box.read().case) == Case(length=1)


def test_a_case_with_long_features_is_kept_whole(box):
    long = Case(length=40_000, features={"lengths": range(1, 40_001)})
    box.enter_case(long, NAMES)
    assert Case.parse(box.read().case) == long


def test_a_note_names_phase_epoch_and_step(box):
    box.enter_case(CASE, NAMES)
    box.note(seat(), "set_epoch", 2)
    seen = box.read()
    assert (seen.rank, seen.experiment) == (1, "again")
    assert (seen.phase, seen.epoch, seen.step) == ("set_epoch", 2, None)


def test_each_step_is_noted_before_it_is_taken(box):
    steps = []

    def yielding():
        for item in "abc":
            steps.append(box.read().step)
            yield item
        steps.append(box.read().step)

    assert list(box.stepping(yielding())) == ["a", "b", "c"]
    assert steps == [0, 1, 2, 3]


def test_a_hang_is_told_from_a_place(box):
    box.enter_case(CASE, NAMES)
    box.hang(seat(rank=0), "next", 1, 5)
    seen = box.read()
    assert (seen.hung, seen.rank, seen.phase, seen.epoch, seen.step) == (True, 0, "next", 1, 5)


def test_there_is_a_pulse_only_while_something_watches(box):
    assert box.pulse is None
    box.watch(on=True)
    box.beat()
    box.beat()
    assert box.pulse == 2
    box.watch(on=False)
    assert box.pulse is None


def test_patience_is_what_the_case_allows_but_never_nothing(box):
    assert box.patience == 1.0
    box.allow(12.5)
    assert box.patience == 12.5


def test_what_was_written_survives_the_writer_being_killed(tmp_path):
    BlackBox.create(tmp_path / "box").close()
    code = (
        "import os, pathlib; from samplercheck import Case; "
        "from samplercheck.worlds.processes.black_box import BlackBox; "
        f"box = BlackBox(pathlib.Path({str(tmp_path / 'box')!r})); "
        f"box.enter_case(Case.parse({CASE.token!r}), {NAMES!r}); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), check=False)
    assert done.returncode == -signal.SIGKILL
    box = BlackBox(tmp_path / "box")
    assert Case.parse(box.read().case) == CASE
    box.close()
