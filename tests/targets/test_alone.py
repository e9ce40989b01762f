"""Targets that know nothing of ranks are judged as samplers of one process, where nobody gives a contract."""

from __future__ import annotations

import os
import random
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)

import samplercheck as sc
from samplercheck.certifying.examine import examine
from samplercheck.engine.plan import Plan, target_of
from samplercheck.targets.alone import NOTE, note_on_one_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RANK = "RANK"
KIND = "DistributedSampler"
SHUFFLED = "ShuffledIfAsked"


class Shuffled(Sampler[int]):
    """A plain sampler of epochs."""

    def __init__(self, length: int, shuffle: bool, seed: int) -> None:
        self.length, self.shuffle, self.seed, self.epoch = length, shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.length))


class LosesOne(SequentialSampler):
    """Leaves the last sample out."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self) - 1))


class Hidden(DistributedSampler[Any]):
    """Asks for its place in its base."""

    def __init__(self, dataset: Any) -> None:
        super().__init__(dataset)


def loaded(dataset: Any) -> DataLoader[Any]:
    return DataLoader(dataset, shuffle=True)


def drawn(weights: list[float]) -> Any:
    return iter(weights)


def helped(dataset: Any) -> Any:
    return _mine(dataset)


def _mine(dataset: Any) -> Any:
    return range(dist.get_rank(), len(dataset), dist.get_world_size())


def by_environment(length: int) -> Any:
    return range(int(os.environ[RANK]), length, int(os.environ["WORLD_SIZE"]))


def by_variable(length: int) -> Any:
    return range(int(os.environ.get("LOCAL_RANK", "0")), length)


class OfWords(Shuffled):
    """Uses words that hold the letters of others, and a name of its own for what it sorts by."""

    town, mode = "Frankfurt", "distribution"

    def __iter__(self) -> Iterator[int]:
        self.distribution, self.maxlabel, self.pagerank = {}, 3, [1.0]  # type: ignore[var-annotated]
        rank = sorted(range(self.length))
        replicate = [one for one in rank for _ in range(1)]
        torch.distributions.Bernoulli(0.5)
        return iter(replicate)


class Ranked(Shuffled):
    """Has a number of ranks that are classes."""

    def __init__(self, length: int, shuffle: bool, seed: int, ranks: int = 3) -> None:
        super().__init__(length, shuffle, seed)
        self.ranks = ranks


@pytest.mark.parametrize(
    ("factory", "changes"),
    [
        (RandomSampler, {}),
        (OfWords, {"order": "auto", "epochs": "set_epoch"}),
        (Ranked, {"order": "auto", "epochs": "set_epoch"}),
        (SequentialSampler, {}),
        (BatchSampler, {}),
        (loaded, {}),
        (partial(Shuffled, seed=0), {"order": "auto", "epochs": "set_epoch"}),
        (Shuffled, {"order": "auto", "epochs": "set_epoch"}),
        (drawn, {"coverage": "sampled"}),
    ],
)
def test_what_knows_nothing_of_ranks_is_alone(factory: Callable[..., Any], changes: dict[str, Any]) -> None:
    made = sc.target(factory)
    assert made.is_assumed
    assert made.contract == sc.Contract.single_process(**changes)
    assert made.with_default().contract == sc.Contract()


def test_a_tail_of_batches_or_groups_is_no_word_about_ranks() -> None:
    made, single = sc.target(BatchSampler), sc.Contract.single_process()
    for unit in ("batch", "group"):
        tail = {"tail": "drop", "tail_unit": unit}
        assert made.change_contract(tail) == single.but(**tail)
        assert made.change_contract({**tail, "layout": "strided"}).sharding == "ranks"
    assert made.change_contract({"tail": "keep"}) == single.but(tail="keep")
    assert made.change_contract({"tail": "keep", "layout": "strided"}).sharding == "ranks"
    assert made.change_contract({"tail": "drop"}) == sc.Contract(tail="drop")


class Asking(SequentialSampler):
    """Knows its share by its place."""

    place: Any

    def __iter__(self) -> Iterator[int]:
        rank_of_this, number = self.place
        return iter(range(rank_of_this, len(self), number))


class ByCachedProperty(Asking):
    @cached_property
    def place(self) -> Any:
        return dist.get_rank(), dist.get_world_size()


class Descriptor:
    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return dist.get_rank(), dist.get_world_size()


class ByDescriptor(Asking):
    place = Descriptor()


class ByPartial(Asking):
    _ask = partial(lambda: (dist.get_rank(), dist.get_world_size()))

    @property
    def place(self) -> Any:
        return self._ask()


@lru_cache(None)
def _asked_once() -> Any:
    return dist.get_rank(), dist.get_world_size()


class ByCache(Asking):
    @property
    def place(self) -> Any:
        return _asked_once()


class ByCachedMethod(Asking):
    @property
    def place(self) -> Any:
        return self.once()

    @lru_cache(None)  # noqa: B019  (as people write it)
    def once(self) -> Any:
        return dist.get_rank(), dist.get_world_size()


BY_ATTRIBUTES = [ByCachedProperty, ByDescriptor, ByPartial, ByCache, ByCachedMethod]


@pytest.mark.parametrize(
    "factory", [DistributedSampler, Hidden, helped, by_environment, by_variable, *BY_ATTRIBUTES]
)
def test_what_asks_for_its_place_is_not(factory: Callable[..., Any]) -> None:
    made = sc.target(factory)
    assert not made.is_assumed
    assert made.contract == made.with_default().contract == sc.Contract()


def test_a_contract_that_is_given_stays() -> None:
    assert sc.target(RandomSampler, contract=sc.Contract()).contract == sc.Contract()
    changed = partial(Plan, target=RandomSampler, changes=True)
    ranks, order = changed(contract={"sharding": "ranks"}), changed(contract={"order": "shuffled"})
    assert target_of(ranks).contract == sc.Contract()
    assert target_of(order).contract == sc.Contract.single_process(order="shuffled")
    assert not target_of(order).is_assumed
    chunks, share = changed(contract={"shuffles": "chunks"}), changed(contract={"shuffles": "share"})
    assert target_of(chunks).contract == sc.Contract.single_process(shuffles="chunks")
    assert target_of(share).contract == sc.Contract(shuffles="share")


def test_a_run_says_so_and_finds_what_is_lost() -> None:
    laws = ("SC102", "SC103")
    run = partial(sc.run, profile="quick", select=laws, worlds=["simulated"])
    kept, lost = run(SequentialSampler), run(LosesOne)
    assert (kept.ok, kept.notes[0]) == (True, NOTE)
    assert [one.code for one in lost.results if one.outcome is sc.Outcome.BROKEN] == ["SC102"]


def in_parts(dataset: Any, num_parts: int = 1, part_id: int = 0) -> Any:
    return range(part_id, len(dataset), num_parts)


def chunked(dataset: Any, num_chunks: int = 4) -> Any:
    return range(0, len(dataset), num_chunks)


@pytest.mark.parametrize(
    ("factory", "axes", "left"),
    [
        (in_parts, {}, "num_parts and part_id"),
        (chunked, {}, "num_chunks"),
        (chunked, {"num_chunks": [1, 2]}, ""),
        (Shuffled, {}, ""),
    ],
)
def test_parameters_that_may_be_a_place_are_named(
    factory: Callable[..., Any], axes: dict[str, Any], left: str
) -> None:
    note = note_on_one_process(factory, axes, "it")
    assert sc.target(factory, axes=axes).is_assumed
    assert note.startswith("Judged as a sampler of one process")
    assert (note == NOTE) == (not left)
    assert left in note


def test_the_note_is_on_the_first_screen() -> None:
    report = sc.run(in_parts, profile="quick", select=("SC102",), worlds=["simulated"])
    assert report.ok
    said = " ".join(str(report).split())
    assert "Judged as a sampler of one process" in said
    assert "num_parts and part_id at the default" in said


def by_its_name(dataset: Any) -> Any:
    """A sampler that deals out, behind a name that only running it leads to."""
    return getattr(import_module("torch.utils.data"), KIND)(dataset, shuffle=False)


class InTurns:
    """Yields one half of the dataset, and the next object the other half, whatever their ranks."""

    made = 0

    def __init__(self, dataset: Any) -> None:
        self.length, self.half = len(dataset), InTurns.made % 2
        InTurns.made += 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.half, self.length, 2))


@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_what_deals_out_is_no_sampler_of_one_process_whatever_its_code_says(isolate: bool) -> None:
    made = sc.target(by_its_name)
    assert made.is_assumed
    report = sc.run(made, profile="quick", worlds=["simulated"], isolate=isolate)
    assert report.ok
    assert NOTE not in report.notes
    assert "SC104" in {one.code for one in report.results if one.outcome is sc.Outcome.HOLDS}


class ShuffledIfAsked(Shuffled):
    """Shuffles by its seed and the epoch that it is told."""

    def __init__(self, dataset: Any, shuffle: bool, seed: int) -> None:
        super().__init__(len(dataset), shuffle, seed)

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        draw = random.Random(f"{self.seed}-{self.epoch}") if self.shuffle else None
        order = range(self.length)
        return iter(draw.sample(order, self.length) if draw else order)


def shuffled_by_its_name(dataset: Any, shuffle: bool, seed: int) -> Any:
    """A sampler with a set_epoch, behind a name that only running it leads to."""
    return getattr(import_module(__name__), SHUFFLED)(dataset, shuffle, seed)


@pytest.mark.thorough
@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_what_has_a_set_epoch_is_told_its_epochs_whatever_its_code_says(isolate: bool) -> None:
    made = sc.target(shuffled_by_its_name)
    assert (made.is_assumed, made.contract.epochs) == (True, "advance")
    report = sc.run(made, profile="quick", worlds=["simulated"], isolate=isolate)
    assert report.ok
    assert report.notes[0] == NOTE
    assert "SC301" in {one.code for one in report.results if one.outcome is sc.Outcome.HOLDS}


@pytest.mark.thorough
def test_a_certificate_of_it_is_by_the_contract_that_it_was_judged_by() -> None:
    plan = Plan(target=f"{__name__}:by_its_name", profile="quick", worlds=("simulated",))
    examined = examine(plan, allow_dirty=True)
    assert examined["contract"] == sc.Contract().to_dict()
    assert examined["changes"] == {"sharding": "ranks"}


def test_halves_in_turns_are_not_dealt_out() -> None:
    report = sc.run(InTurns, profile="quick", select=("SC102",), worlds=["simulated"])
    assert not report.ok
    assert report.notes[0] == NOTE


class OfAnEpoch:
    """Makes the order of the epoch that it is built with, or told, from that and the seed alone."""

    def __init__(self, dataset: Any, seed: int = 0, epoch: int = 0) -> None:
        self.length, self.seed, self.epoch = len(dataset), seed, epoch

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        return iter(random.Random(f"{self.seed}-{self.epoch}").sample(range(self.length), self.length))


class ToldToo(OfAnEpoch):
    """May be told as well."""

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


class DrawnOfTheProcess(OfAnEpoch):
    """Draws on the generator of the process."""

    def __iter__(self) -> Iterator[int]:
        return iter(random.sample(range(self.length), self.length))


@pytest.mark.parametrize("target", [OfAnEpoch, ToldToo, DrawnOfTheProcess])
def test_what_is_built_with_an_epoch_is_held_to_what_it_does(target: Any) -> None:
    report = sc.run(target, profile="quick", select=["SC3", "SC4", "SC5"])
    assert report.outcome is sc.Outcome.HOLDS
    judged = {one.code for one in report.results if one.outcome is sc.Outcome.HOLDS}
    assert ("SC304" in judged) is (target is not DrawnOfTheProcess)
