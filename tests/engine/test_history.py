"""A case that fails only after others have run in its process: said so, with what they left, and repeated."""

from __future__ import annotations

import importlib
import math
import random
import time
from dataclasses import replace
from typing import ClassVar

import pytest
import torch

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine import Plan, as_carried_out, carry_out
from samplercheck.engine._copies import Copies
from samplercheck.engine._history import try_scripts
from samplercheck.values.report import Proposal
from samplercheck.worlds.processes.lifetime import copies_are_safe
from samplercheck.worlds.processes.spare import SpareProcess

pytestmark = pytest.mark.skipif(not copies_are_safe(), reason="processes cannot be copied here")

_ORDERS = {}


class CountsInItsClass:
    """Loses its last sample on rank 0 once forty passes have begun in its process."""

    begun = 0

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self):
        CountsInItsClass.begun += 1
        length = self.length - (self.rank == 0 and CountsInItsClass.begun > 120)
        return iter(range(self.rank, max(0, length), self.world_size))


class RemembersBySize:
    """Yields the order that was made first for a dataset of this size, whatever was asked for."""

    def __init__(self, dataset, rank, world_size, shuffle, seed):
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        key = self.length, self.epoch
        if key not in _ORDERS:
            order = sorted(range(self.length), key=lambda one: hash((one, self.seed, self.epoch)))
            _ORDERS[key] = order if self.shuffle else list(range(self.length))
        order = _ORDERS[key]
        padded = (order * self.world_size)[: -(-self.length // self.world_size) * self.world_size]
        return iter(padded[self.rank :: self.world_size])


def explained(target, *codes):
    """The failures of a run that can ask what a case does as the first of a process."""
    plan = Plan(target=target, profile="quick", worlds=["simulated"], select=codes).resolve()
    with SpareProcess(as_carried_out(plan, carry_out)) as spare:
        report = carry_out(plan, ask=spare.ask)
    return plan, {one.code: one.failure for one in report.failures}


@pytest.mark.thorough
def test_what_earlier_cases_left_is_named_and_running_them_again_shows_the_failure_again(monkeypatch):
    monkeypatch.setattr(CountsInItsClass, "begun", 0)
    plan, failures = explained(CountsInItsClass, "SC102")
    failure = failures["SC102"]
    assert failure.cause == (
        "It depends on what ran before in this process: the class attribute CountsInItsClass.begun keeps "
        "what other cases have left."
    )
    assert failure.evidence.startswith("alone this case holds, after ")
    assert failure.evidence.endswith("and with that put back it holds")
    assert failure.region == ""
    assert failure.before
    assert "on another machine" not in failure.text
    again = replace(plan, cases=(failure.case,), experiments=failure.experiments)
    for before, outcome in (((), "holds"), (failure.before, "broken")):
        monkeypatch.setattr(CountsInItsClass, "begun", 0)
        report = carry_out(replace(again, before=before))
        assert report.results[0].outcome.value == outcome


@pytest.mark.thorough
def test_a_cache_that_forgets_an_argument_is_no_argument_that_is_not_asked_for(monkeypatch):
    """In one process shuffle on and off yield the same, whichever comes first; in two they do not."""
    monkeypatch.setattr("tests.engine.test_history._ORDERS", {})
    _, failures = explained(RemembersBySize, "SC303")
    assert "ignores shuffle" not in failures["SC303"].cause


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("import sys; sys.exit('SC102 complete: lost')", True),
        ("raise ValueError", True),
        ("from tests.engine.test_history import CountsInItsClass as Own; assert Own.begun", True),
        ("from tests.engine.test_history import CountsInItsClass as Own; assert not Own.begun", False),
        ("import sys; sys.exit(0)", False),
        ("import multiprocessing", True),
    ],
)
def test_a_script_is_tried_in_a_process_in_which_nothing_ran(text, fails, monkeypatch):
    monkeypatch.setattr(CountsInItsClass, "begun", 0)
    plan = Plan(target=CountsInItsClass, profile="quick").resolve()
    with SpareProcess(as_carried_out(plan, carry_out)) as spare:
        CountsInItsClass.begun = 200
        assert try_scripts(Copies(spare.ask))(text) is fails
    assert try_scripts(None)(text)


class KeepsBySeed:
    """Keeps orders for all objects by seed and epoch, whatever length they were made for."""

    kept: ClassVar[dict[tuple[int, int], list[int]]] = {}

    def __init__(self, dataset, rank, world_size, seed):
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        key = self.seed, self.epoch
        if key not in KeepsBySeed.kept:
            order = list(range(self.length))
            random.Random(f"{key}").shuffle(order)
            KeepsBySeed.kept[key] = order
        order = KeepsBySeed.kept[key]
        total = -(-self.length // self.world_size) * self.world_size
        return iter([order[place % len(order)] for place in range(self.rank, total, self.world_size)])


def test_no_copy_is_asked_that_may_take_longer_than_there_is_time(monkeypatch):
    """Each copy imports again what a target imports late, such as a trainer, which takes seconds."""
    asked: list[str] = []

    def ask(question):
        asked.append(question)
        time.sleep(0.2)
        return "holds", ()

    copies = Copies(ask)
    copies.limit(end=time.monotonic() + 0.3)
    assert [copies("first"), copies("second")] == [("holds", ()), None]
    assert (asked, copies.is_over) == (["first"], True)
    copies.limit()  # some seconds there are always
    assert copies("third") is not None
    monkeypatch.setattr("samplercheck.engine._copies.DEAR", 0.1)
    monkeypatch.setattr("samplercheck.engine._copies.SHORTEST", 0.3)
    copies.limit()
    assert [copies("fourth"), copies("fifth")] == [("holds", ()), None]


@pytest.mark.thorough
def test_what_a_measured_case_has_left_is_named_too(monkeypatch):
    """Before the small scope one of its longer cases is measured, which fills the cache."""
    monkeypatch.setattr(KeepsBySeed, "kept", {})
    monkeypatch.setattr("samplercheck.engine._fit.MEASURED", 1)
    promised = sc.target(KeepsBySeed, contract=sc.Contract(order="shuffled"))
    _, failures = explained(promised, "SC101")
    assert failures["SC101"].cause == (
        "It depends on what ran before in this process: the class attribute KeepsBySeed.kept keeps what "
        "other cases have left."
    )
    assert failures["SC101"].evidence.startswith("alone this case holds, after one of another length it ")
    assert (
        failures["SC101"].violation.event == "after one for a dataset of another length in the same process"
    )
    assert "KeepsBySeed.kept" in failures["SC101"].fix


def limit_once(copies, end=math.inf):
    """Let questions be asked of the laws, and none of those that were left."""
    copies._end = end if copies._limited == math.inf else 0.0
    copies._limited = time.monotonic()


@pytest.mark.thorough
def test_of_a_law_that_was_not_asked_nothing_is_said_beside_one_that_others_have_broken(monkeypatch):
    """Where it fails follows from what ran before, and that may be what a rule would be made of."""
    monkeypatch.setattr(KeepsBySeed, "kept", {})
    monkeypatch.setattr("samplercheck.engine._fit.MEASURED", 1)
    monkeypatch.setattr("samplercheck.engine._history.MOST_LAWS", 1)
    monkeypatch.setattr("samplercheck.engine._copies.Copies.limit", limit_once)
    promised = sc.target(KeepsBySeed, contract=sc.Contract(order="shuffled"))
    _, failures = explained(promised, "SC101", "SC102")
    assert "KeepsBySeed.kept" in failures["SC101"].cause
    assert (failures["SC102"].region, failures["SC102"].cause) == ("", "")


class KeepsTheFirstLength:
    """Deals out no sample beyond the first dataset that so many ranks have seen."""

    seen: ClassVar[dict[int, int]] = {}

    def __init__(self, length, rank, world_size):
        self.rank, self.world_size, self.length = rank, world_size, length
        self.kept = min(length, KeepsTheFirstLength.seen.setdefault(world_size, length))

    def __len__(self):
        return (self.length + self.world_size - 1) // self.world_size

    def __iter__(self):
        padded = (list(range(self.kept)) * self.world_size)[: len(self) * self.world_size]
        return iter(padded[self.rank :: self.world_size])


@pytest.mark.thorough
def test_of_a_law_that_there_was_no_time_for_it_is_said_behind_which_others_it_fails(monkeypatch):
    monkeypatch.setattr(KeepsTheFirstLength, "seen", {})
    monkeypatch.setattr("samplercheck.engine._history.MOST_LAWS", 1)
    _, failures = explained(KeepsTheFirstLength, "SC102", "SC201")
    first, second = failures.values()
    assert "KeepsTheFirstLength.seen keeps what other cases have left" in first.cause
    assert (second.cause, second.before, second.also) == (first.cause, first.before, ("SC102",))


@pytest.mark.thorough
@pytest.mark.parametrize(("settled", "is_told"), [("SC101", False), ("SC302", True)])
def test_no_contract_is_proposed_that_excuses_what_others_have_left(monkeypatch, settled, is_told):
    monkeypatch.setattr(KeepsBySeed, "kept", {})
    monkeypatch.setattr("samplercheck.engine._fit.MEASURED", 1)
    proposal = Proposal(contract={"coverage": "sampled"}, signs=("draw",), settled=(settled,))
    monkeypatch.setattr("samplercheck.engine._conclusion.propose_after", lambda *_: proposal)
    plan = Plan(target=KeepsBySeed, profile="quick", worlds=["simulated"], select=("SC101",)).resolve()
    with SpareProcess(as_carried_out(plan, carry_out)) as spare:
        report = carry_out(plan, ask=spare.ask)
    assert "KeepsBySeed.kept" in report.failures[0].failure.cause
    assert (report.proposal is not None) is is_told


@pytest.mark.thorough
def test_what_fails_by_itself_has_no_history():
    _, failures = explained(lambda length, rank, world_size: list(range(rank, length, world_size)), "SC104")
    assert failures["SC104"].before == ()
    assert failures["SC104"].cause.startswith("The tail that world_size does not divide")


def seeds_globally_from_a_package(length, rank, world_size, epoch):
    """Imports what it is made of, as a builder does; who drew in the first case of a process is not known."""
    importlib.import_module("imported_by_a_builder")
    torch.manual_seed(epoch)
    return list(range(rank, length // world_size * world_size, world_size))


@pytest.mark.thorough
def test_what_a_builder_imports_is_no_history(tmp_path, monkeypatch):
    (tmp_path / "imported_by_a_builder.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    _, failures = explained(seeds_globally_from_a_package, "SC403")
    assert failures["SC403"].cause.startswith("It sets the global seed of torch to the epoch")


@pytest.mark.thorough
def test_without_a_spare_process_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(CountsInItsClass, "begun", 0)
    plan = Plan(target=CountsInItsClass, profile="quick", worlds=["simulated"], select=["SC102"])
    (result,) = carry_out(plan).failures
    assert result.failure.before == ()
    assert result.failure.case.world_size >= Case(length=1).world_size
