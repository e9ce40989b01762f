"""Which cases a target is asked for before anything is searched: texts as labels go to what takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.engine._probe import cases_of_texts, probe
from samplercheck.worlds import open_world

if TYPE_CHECKING:
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
