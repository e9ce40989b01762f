"""The guard hands on alarms that are not its own: a test's timeout ends the run and is no finding."""

from __future__ import annotations

import contextlib
import signal
import time

import pytest

import samplercheck as sc

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
