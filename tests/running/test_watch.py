"""The watch over one child, with a clock and a child of the test's own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from samplercheck.running import watch as _watch
from samplercheck.running.watch import Watch
from samplercheck.search.profiles import IMPORT
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING, STARTING


class Clock:
    """A clock that jumps by ``tick`` at every sleep."""

    def __init__(self, tick):
        self.now, self.tick = 0.0, tick

    def monotonic(self):
        return self.now

    def sleep(self, _):
        self.now += self.tick


class Child:
    """A child whose pulse beats so many times and which says a report after so many looks."""

    def __init__(self, *, beats=0, speaks_after=10**9, stage=RUNNING, watched=True):
        self.beats, self.speaks_after, self.looks = beats, speaks_after, 0
        self.interrupted = self.asked = 0
        self.has_ended, self.frames, self.stderr_end = False, (), ()
        self.stage, self.watched = stage, watched

    @property
    def box(self):
        pulse = min(self.looks, self.beats) if self.watched else None
        return SimpleNamespace(pulse=pulse, patience=10.0, stage=self.stage, read=lambda: "seen")

    def events(self):
        self.looks += 1
        return [{"report": {}}] if self.looks > self.speaks_after else []

    def interrupt(self):
        self.interrupted += 1

    def ask_for_frames(self):
        self.asked += 1


@pytest.fixture
def watched(monkeypatch):
    def watch(child, tick=0.02, count=0):
        clock = Clock(tick)
        monkeypatch.setattr(_watch, "time", clock)
        ending = Watch(child, SimpleNamespace(count=count), lambda _: None).until_end()
        return ending, clock.now

    return watch


def test_a_report_ends_the_watch(watched):
    ending, _ = watched(Child(beats=3, speaks_after=3))
    assert ending == {"report": {}}


def test_a_heart_that_stands_still_longer_than_the_case_allows_is_a_hang(watched):
    child = Child(beats=5)
    ending, now = watched(child)
    assert (ending.status, ending.seen, child.asked) == ("hung", "seen", 1)
    assert 11.0 < now < 11.5


def test_a_heart_that_beats_is_never_a_hang(watched):
    ending, now = watched(Child(beats=10**9, speaks_after=5_000))
    assert ending == {"report": {}}
    assert now > 90


def test_a_machine_that_was_asleep_raises_no_alarm(watched):
    ending, now = watched(Child(beats=1, speaks_after=40), tick=3_600)
    assert ending == {"report": {}}
    assert now > 3_600


def test_nothing_is_expected_of_the_heart_where_nothing_watches(watched):
    ending, _ = watched(Child(watched=False, speaks_after=5_000))
    assert ending == {"report": {}}


def test_an_import_may_take_its_time_but_not_for_ever(watched):
    ending, now = watched(Child(watched=False, stage=IMPORTING), tick=0.2)
    assert ending.status == "hung"
    assert 300 < now < 301


def test_ctrl_c_is_passed_on_once_and_waited_for_two_seconds(watched):
    child = Child(beats=10**9)
    ending, now = watched(child, count=1)
    assert (child.interrupted, ending.status) == (1, "hung")
    assert 2.0 < now < 2.1


@pytest.mark.parametrize("stage", [STARTING, IMPORTING])
def test_a_child_that_has_tried_nothing_is_not_waited_for_after_ctrl_c(watched, stage):
    child = Child(stage=stage, watched=False)
    ending, now = watched(child, count=1)
    assert (child.interrupted, ending.status) == (0, "hung")
    assert now < 0.1


def test_a_report_after_ctrl_c_is_taken(watched):
    ending, _ = watched(Child(beats=10**9, speaks_after=20), count=1)
    assert ending == {"report": {}}


def test_a_long_import_is_told_once(monkeypatch):
    clock, heard = Clock(0.5), []
    monkeypatch.setattr(_watch, "time", clock)
    child = Child(watched=False, stage=IMPORTING, speaks_after=120)
    assert Watch(child, SimpleNamespace(count=0), heard.append).until_end() == {"report": {}}
    assert [(one.phase, one.seconds) for one in heard] == [(IMPORT, 20.5)]


def test_nothing_is_told_of_a_long_run(monkeypatch):
    heard = []
    clock = Clock(0.5)
    monkeypatch.setattr(_watch, "time", clock)
    Watch(Child(beats=10**9, speaks_after=120), SimpleNamespace(count=0), heard.append).until_end()
    assert heard == []
