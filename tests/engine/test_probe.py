"""Which cases a target is asked for before anything is searched: texts as labels go to what takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.engine._probe import cases_of_texts, probe
from samplercheck.values.sizes import OwnBatch
from samplercheck.worlds import open_world
from tests.sound.batches import (
    cuts_rounds_of_four,
    drops_eights_alone,
    drops_what_fills_no_batch,
    fills_batches_of_four,
    fills_rounds_of_four,
    loads_fours,
)
from tests.sound.endless import GoesOnInTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck import Case


def by_set(labels: list[Any], rank: int, world_size: int) -> list[int]:
    return [index for label in set(labels) for index, one in enumerate(labels) if one == label][
        rank::world_size
    ]


def by_set_of_numbers(labels: list[Any], rank: int, world_size: int) -> list[int]:
    return by_set([int(label) for label in labels], rank, world_size)


def by_sorting(labels: list[Any], rank: int, world_size: int) -> list[int]:
    return sorted(range(len(labels)), key=labels.__getitem__)[rank::world_size]


def without_labels(length: int, rank: int, world_size: int) -> list[int]:
    return list(set(range(rank, length, world_size)))


def texts_for(factory: Any) -> list[Case]:
    with open_world("simulated") as world:
        return list(cases_of_texts(world, sc.target(factory).bind(), ()))


def test_what_is_read_from_the_dataset_is_a_trait() -> None:
    def longest_first(dataset: Any, rank: int, world_size: int) -> list[int]:
        return sorted(range(len(dataset)), key=lambda one: -dataset.lengths[one])[rank::world_size]

    with open_world("simulated") as world:
        scopes = [probe(world, sc.target(one).bind(), ()) for one in (longest_first, without_labels)]
    assert [one.may_group for one in scopes] == [True, False]
    assert [{trait for trait in one.traits if trait.startswith("reads ")} for one in scopes] == [
        {"reads lengths"},
        set(),
    ]


def test_what_yields_nothing_of_like_samples_in_early_epochs_is_looked_at_in_later_ones() -> None:
    def with_the_kind(difficulty: list[int], epoch: int) -> list[int]:
        bound = max(difficulty, default=0) * min(1.0, (epoch + 1) / 5)
        return [index for index, hard in enumerate(difficulty) if hard <= bound]

    def nothing(difficulty: list[int], epoch: int) -> list[int]:
        return []

    with open_world("simulated") as world:
        contract = sc.Contract.single_process(epochs="set_epoch")
        bindings = [sc.target(one, contract=contract).bind() for one in (with_the_kind, nothing)]
        assert [probe(world, one, ()).kind for one in bindings] == ["samples", ""]


def test_what_makes_sets_and_takes_texts_as_labels_is_tried_with_them() -> None:
    (case,) = texts_for(by_set)
    assert case.has_texts
    assert dict(case.features)["labels"][:6] == ("class0", "class1", "class2", "class3", "class4", "class0")


@pytest.mark.parametrize("factory", [by_set_of_numbers, by_sorting, without_labels])
def test_what_refuses_texts_or_has_no_sets_is_not(factory: Any) -> None:
    assert not texts_for(factory)


def ragged(length: int, rank: int, world_size: int) -> list[list[int]]:
    order = list(range(rank, length, world_size))
    return [order[:1], *(order[at : at + 3] for at in range(1, len(order), 3))]


def one_for_all_ranks(length: int, rank: int, world_size: int) -> list[list[int]]:
    each = 12 // world_size
    order = list(range(rank, length, world_size))
    return [order[at : at + each] for at in range(0, len(order), each)]


def two_of_each_class(labels: list[int]) -> list[list[int]]:
    places = [[at for at, one in enumerate(labels) if one == label] for label in set(labels)]
    rounds = zip(*(zip(one[::2], one[1::2], strict=False) for one in places), strict=False)
    return [[index for pair in one for index in pair] for one in rounds]


def sevens(labels: list[int]) -> list[list[int]]:
    order = sorted(range(len(labels)), key=labels.__getitem__)
    return [order[at : at + 7] for at in range(0, len(order), 7)]


def hundreds(length: int, rank: int, world_size: int) -> list[list[int]]:
    order = list(range(rank, length, world_size))
    return [order[at : at + 100] for at in range(0, len(order), 100)]


@pytest.mark.parametrize(
    ("factory", "size"),
    [
        (fills_batches_of_four, 4),
        (loads_fours, 4),
        (drops_eights_alone, 8),
        (hundreds, 100),
        (drops_what_fills_no_batch, 1),
        (ragged, 1),
        (without_labels, 1),
        (two_of_each_class, 1),
        (sevens, 7),
    ],
)
def test_batches_whose_size_cannot_be_asked_for_have_one_of_their_own(
    factory: Callable[..., Any], size: int
) -> None:
    with open_world("simulated") as world:
        assert probe(world, sc.target(factory).bind(), ()).own_batch == OwnBatch(size)
        varied = sc.target(factory, contract=sc.Contract(batches="variable")).bind()
        assert probe(world, varied, ()).own_batch == OwnBatch()


def test_a_batch_that_all_ranks_share_has_the_size_of_its_parts() -> None:
    with open_world("simulated") as world:
        own = probe(world, sc.target(one_for_all_ranks).bind(), ()).own_batch
        assert own == OwnBatch(12, is_shared=True)
        assert [own.on(ranks) for ranks in (1, 2, 3, 5, 24)] == [12, 6, 4, 2, 1]


@pytest.mark.parametrize(
    ("factory", "tail", "size"),
    [
        (fills_rounds_of_four, "pad", 4),
        (cuts_rounds_of_four, "drop", 4),
        (without_labels, "drop", 1),
        (lambda length: range(length if length > 5 else 0), "drop", 1),
        (lambda length: [0] * 7 if length == 1 else range(length), "pad", 1),
    ],
)
def test_rounds_of_samples_have_a_size_where_they_are_promised(
    factory: Callable[..., Any], tail: str, size: int
) -> None:
    contract = sc.Contract(tail=tail, tail_unit="batch")  # type: ignore[arg-type]  # a parameter
    with open_world("simulated") as world:
        assert probe(world, sc.target(factory, contract=contract).bind(), ()).own_batch == OwnBatch(size)
        assert probe(world, sc.target(factory).bind(), ()).own_batch == OwnBatch()


@pytest.mark.usefixtures("brief")
def test_a_walk_that_iterators_go_on_with_has_no_other_epochs_where_a_contract_leaves_that_out() -> None:
    said = sc.Contract(endless=True, order="shuffled", layout="strided", after_break="rest")
    report = sc.run(sc.target(GoesOnInTurn, contract=said), profile="quick", worlds="simulated")
    assert report.failures == ()
    assert "epochs='fixed'" in repr(report.contract)
