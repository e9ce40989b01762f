"""The spare process: every answer is that of a process in which nothing has run yet."""

from __future__ import annotations

import os
import time

import pytest

from samplercheck.worlds.processes import spare
from samplercheck.worlds.processes.lifetime import copies_are_safe
from samplercheck.worlds.processes.spare import SpareProcess

pytestmark = pytest.mark.skipif(not copies_are_safe(), reason="processes cannot be copied here")


def test_no_answer_depends_on_the_one_before_or_on_what_has_run_since():
    seen = []

    def answer(question):
        seen.append(question)
        return list(seen)

    with SpareProcess(answer) as process:
        seen.append("here")
        assert [process.ask(number) for number in range(3)] == [[0], [1], [2]]


@pytest.mark.parametrize(
    "end",
    [lambda: os._exit(3), lambda: os._exit(0), lambda: 1 / 0, lambda: os.kill(os.getpid(), 9)],
    ids=["exit", "exit as if well", "error", "signal"],
)
def test_a_copy_that_ends_gives_no_answer_and_the_next_one_does(end):
    with SpareProcess(lambda question: end() if question else "well") as process:
        assert process.ask(True) is None
        assert process.ask(False) == "well"


def test_a_copy_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(spare, "LONGEST", 0.2)
    with SpareProcess(lambda question: time.sleep(60) if question else os.getpid()) as process:
        assert process.ask(True) is None
        assert process.ask(False) != os.getpid()


def test_nothing_is_left_of_it():
    with SpareProcess(lambda _: os.getppid()) as process:
        number = process.ask(0)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert process.ask(0) is None
