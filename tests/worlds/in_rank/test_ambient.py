"""The global generators as ranks find them: what moves is named, where seldom asked by a second look."""

from __future__ import annotations

import importlib
import random

import pytest
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.values.case import Case
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.ambient import DRAWS, AmbientGenerators, RestoredGenerators

CASE = Case(length=5, world_size=2, shuffle=True)


@pytest.fixture(autouse=True)
def restored():
    with RestoredGenerators():
        yield


def test_of_many_questions_none_finds_what_nothing_moved():
    ambient = AmbientGenerators()
    ambient.enter(CASE, 0, shared=False)
    assert [ambient.find_moved() for _ in range(3 * DRAWS)] == [()] * 3 * DRAWS
    torch.rand(1)
    random.random()
    assert ambient.find_moved() == ("random", "torch")
    assert ambient.find_moved() == ()


def test_a_question_that_may_wait_is_left_to_the_next_until_something_was_moved():
    ambient = AmbientGenerators()
    ambient.enter(CASE, 0, shared=False, seldom=True)
    torch.rand(1)
    assert ambient.find_moved(may_wait=True) == ()
    assert ambient.find_moved() == ("torch",)
    assert ambient.came_too_late
    ambient.enter(CASE, 0, shared=False, seldom=True)
    torch.rand(1)
    assert ambient.find_moved(may_wait=True) == ("torch",)
    assert not ambient.came_too_late


@pytest.mark.parametrize("shared", [False, True])
def test_what_a_module_draws_while_it_is_imported_is_not_the_targets(tmp_path, monkeypatch, shared):
    monkeypatch.syspath_prepend(tmp_path)
    name = f"draws_on_import_{shared}"
    (tmp_path / f"{name}.py").write_text("import random\nrandom.random()\n")
    ambient = AmbientGenerators()
    ambient.enter(CASE, 0, shared=shared)
    if shared:
        ambient.share(CASE, watched=True)
    importlib.import_module(name)
    assert ambient.find_moved() is None  # nobody knows who did it
    random.random()
    assert ambient.find_moved() == ("random",)


class DrawsWhenBuilt(DistributedSampler):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if self.rank:
            torch.rand(1)


def test_a_rank_that_moved_one_and_was_seldom_asked_begins_again_and_tells_when():
    with open_world("simulated") as world:
        for _ in range(2):
            trace = world.trace(sc.target(DrawsWhenBuilt).bind(), CASE, ("epochs", "seeds", "knobs"))
            assert [record.notes["moved"] for record in trace.of("epochs")] == [(), (("building", "torch"),)]
            assert all(len(records) == CASE.world_size for records in trace.records.values())
            assert trace.of("seeds")[0].notes["seeds"]
