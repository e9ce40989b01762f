"""The meeting of workers: a thing is done once, and a worker that dies while doing it blocks nobody."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

import pytest

from samplercheck.pytesting._meeting import MOST_ATTEMPTS, Meeting

LONGEST_WAIT = 60

forked = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are told to die by signals of Unix")


def once_slowly(directory, done):
    """What a worker does: a thing that takes a while."""

    def act():
        done.put(os.getpid())
        time.sleep(0.3)
        return {"by": os.getpid()}

    done.put(Meeting(directory).once("run", "pkg:x", act)["by"])


def for_ever(directory, begun):
    """What a worker does that will not live to see its end."""

    def act():
        with meeting.turn():
            begun.set()
            time.sleep(LONGEST_WAIT)
        return {}

    meeting = Meeting(directory)
    meeting.once("run", "pkg:x", act)


def test_what_is_done_is_not_done_again(tmp_path):
    meeting, calls = Meeting(tmp_path / "made"), []

    def act():
        calls.append(1)
        return {"is": 0.1}

    assert [meeting.once("a", "pkg:x", act) for _ in range(3)] == [{"is": 0.1}] * 3
    assert calls == [1]
    assert meeting.once("b", "pkg:x", lambda: {"other": None}) == {"other": None}


def test_an_error_leaves_no_answer_and_the_lock_is_free(tmp_path):
    meeting = Meeting(tmp_path)
    for _ in range(MOST_ATTEMPTS + 1):
        with pytest.raises(ZeroDivisionError):
            meeting.once("a", "pkg:x", lambda: {"is": 1 / 0})
    assert meeting.once("a", "pkg:x", lambda: {"is": 1}) == {"is": 1}


@pytest.mark.thorough
def test_others_wait_and_read(tmp_path):
    context = multiprocessing.get_context("spawn")
    done = context.SimpleQueue()
    workers = [context.Process(target=once_slowly, args=(tmp_path, done)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(LONGEST_WAIT)
        assert worker.exitcode == 0
    said = [done.get() for _ in range(4)]
    assert len(set(said)) == 1  # the one that did it, three times read


@forked
def test_a_worker_that_is_killed_in_its_turn_blocks_nobody(tmp_path):
    context = multiprocessing.get_context("spawn")
    begun = context.Event()
    worker = context.Process(target=for_ever, args=(tmp_path, begun))
    worker.start()
    assert begun.wait(LONGEST_WAIT)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join(LONGEST_WAIT)
    meeting = Meeting(tmp_path)
    with meeting.turn():
        assert meeting.once("run", "pkg:x", lambda: {"done": True}) == {"done": True}


@forked
def test_what_ended_workers_again_and_again_is_not_tried_for_ever(tmp_path):
    for _ in range(MOST_ATTEMPTS):
        child = os.fork()
        if not child:
            Meeting(tmp_path).once("run", "pkg:x", lambda: os._exit(3))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    answer = Meeting(tmp_path).once("run", "pkg:x", lambda: {"done": True})
    assert "samplercheck run pkg:x" in answer["error"]
