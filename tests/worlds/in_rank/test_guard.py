"""The guard hands on alarms that are not its own, as a test's timeout, and lets imports come to their end."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import time

import pytest

import samplercheck as sc
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank import guard
from samplercheck.worlds.in_rank.deadlines import Deadlines

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs signals of Unix")

SOON = 0.2


class TimeUp(BaseException):
    """As pytest-timeout's ``Failed``, which no ``except Exception`` catches."""


class Slow:
    """Sound; takes its time in one of its methods."""

    where = ""

    def __init__(self, length, rank, world_size):
        padded = -(-length // world_size) * world_size
        self.mine = [index % length for index in range(rank, padded, world_size)]
        self.wait("build")

    def wait(self, place):
        if place == self.where:
            time.sleep(0.02)
        elif place == self.where.removeprefix("swallowed "):
            with contextlib.suppress(BaseException):
                time.sleep(0.02)

    def __len__(self):
        self.wait("len")
        return len(self.mine)

    def __iter__(self):
        self.wait("iter")
        return iter(self.mine)


@pytest.fixture(params=[TimeUp, TimeoutError])
def late(request):
    def handler(*_):
        raise request.param("too late")

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, SOON)
    yield handler, request.param
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("where", ["build", "len", "iter", "swallowed iter"])
def test_an_alarm_of_others_ends_the_run_wherever_the_target_is(where, late, monkeypatch):
    handler, error = late
    monkeypatch.setattr(Slow, "where", where)
    with pytest.raises(error, match="too late"):
        sc.run(Slow, profile="quick", worlds=["simulated"])
    assert signal.getsignal(signal.SIGALRM) is handler


SLOW_MODULE = """
import time
time.sleep({seconds})
whole = True
"""


class Importing(Slow):
    """Imports a module when it is built, which takes longer than anything else may."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        importlib.import_module("imported_late")


def built(tmp_path, monkeypatch, seconds):
    (tmp_path / "imported_late.py").write_text(SLOW_MODULE.format(seconds=seconds))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "imported_late", raising=False)
    deadlines = Deadlines(seconds=0.1, wall_factor=2.0)
    with open_world("simulated", deadlines=deadlines) as world:
        trace = world.trace(sc.target(Importing).bind(), sc.Case(length=2), ("epochs",))
    return trace, sys.modules.pop("imported_late", None)


@pytest.mark.thorough
def test_an_import_inside_the_target_is_not_interrupted(tmp_path, monkeypatch):
    trace, imported = built(tmp_path, monkeypatch, 1.0)
    assert trace.is_whole
    assert imported.whole


def test_an_import_that_does_not_end_is_interrupted_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "IMPORTS", 2)
    trace, imported = built(tmp_path, monkeypatch, 60)
    assert [(one.kind, one.phase) for one in trace.faults] == [("deadline", "build")]
    assert imported is None
