"""A rank that imports a large package is no rank that hangs; one that has begun and stands still is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from samplercheck.worlds.groups import member
from samplercheck.worlds.groups.member import IMPORTS, UNMOVED, Member
from samplercheck.worlds.processes.post_mortem import Stillness

if TYPE_CHECKING:
    import pytest

PATIENCE = 10.0
LOOK = 0.2


class LivingBox:
    """The black box of a rank whose guard still beats, and which does nothing that is seen."""

    patience, moves, collectives = PATIENCE, 0, ""

    def __init__(self, experiment: str) -> None:
        self.beats = 0
        self.experiment = experiment

    @property
    def pulse(self) -> int:
        """Another beat each time."""
        self.beats += 1
        return self.beats

    def read(self) -> Any:
        """Say where the rank is."""
        return SimpleNamespace(experiment=self.experiment, case="")


def watch(experiment: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """Return after how many seconds a rank that stands still is given up."""
    rank: Any = Member.__new__(Member)
    rank.status, rank.box = "", LivingBox(experiment)
    rank.process = SimpleNamespace(pid=0)
    rank._pulse, rank._moves = Stillness(), Stillness()
    monkeypatch.setattr(member, "ask_for_frames", lambda _: None)
    looks = 0
    while not rank.status:
        rank._check_pulse(LOOK)
        looks += 1
    return looks * LOOK


def test_while_it_joins_its_group_a_rank_may_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    rank: Any = Member.__new__(Member)
    rank.status, rank.done, rank._silent_since = "", None, None
    rank.box = SimpleNamespace(pulse=1, moves=0, collectives="", patience=1.0, read=lambda: None)
    rank.process = SimpleNamespace(pid=0, status="")
    rank._pulse, rank._moves = Stillness(), Stillness()
    monkeypatch.setattr(member, "ask_for_frames", lambda _: None)
    for _ in range(100):
        rank.look(LOOK, joins=True)
    assert not rank.is_lost
    for _ in range(100):
        rank.look(LOOK)
    assert rank.status == "hung"


def test_before_its_first_experiment_a_rank_may_import_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert UNMOVED * PATIENCE < watch("epochs", monkeypatch) < UNMOVED * PATIENCE + 3
    assert IMPORTS * PATIENCE <= watch("", monkeypatch) < IMPORTS * PATIENCE + 15
