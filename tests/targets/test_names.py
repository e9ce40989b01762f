"""What the code behind a target mentions."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data import DistributedSampler

from samplercheck.targets.names import (
    LOOKED_AT,
    depends_on_hashes,
    may_start_threads,
    names_behind,
    numbers_behind,
    signature_of,
)
from tests.support import awkward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Base:
    """Has what others inherit."""

    @property
    def inherited(self) -> Any:
        return helper(self)


class Built(Base):
    """Runs what a target may name."""

    @classmethod
    def made(cls) -> Any:
        return awkward.HOSTILE if hasattr(awkward, "HOSTILE") else None

    def __iter__(self) -> Iterator[int]:
        yield from (one for one in range(3) if one not in "by_name")


def helper(one: Any) -> str:
    return f"{one}/{hash(one)}"


def of_set(length: int) -> Any:
    return list({*range(length)})


def of_comprehension(length: int) -> Any:
    return [one for one in {one * 2 for one in range(length)}]  # noqa: C416  (that is the point)


def in_order(length: int) -> Any:
    return sorted(range(length))


def nested(length: int) -> Callable[[], Any]:
    def within() -> Any:
        return frozenset(range(length))

    return within


def test_names_come_from_methods_bases_helpers_and_texts() -> None:
    names = names_behind(Built)
    assert names is not None
    assert {"inherited", "made", "helper", "hash", "by_name", "HOSTILE", "__iter__"} <= names
    assert names_behind(partial(Built)) >= names  # type: ignore[operator]  # not None


@pytest.mark.parametrize(
    ("factory", "depends"),
    [(Built, True), (of_set, True), (of_comprehension, True), (nested, True), (in_order, False)],
)
def test_sets_and_hashes_are_seen(factory: Callable[..., Any], depends: bool) -> None:
    assert depends_on_hashes(factory) is depends


def test_what_is_too_large_is_not_known() -> None:
    many = [lambda number=number: number for number in range(LOOKED_AT)]
    made = partial(in_order, *many)
    assert names_behind(made) is None
    assert depends_on_hashes(made)


def reads_ahead(length: int) -> Any:
    return threading.Thread(target=helper, args=(length,))


@pytest.mark.parametrize(("factory", "may"), [(reads_ahead, True), (of_set, False)])
def test_threads_are_found_in_the_code(factory: Any, may: bool) -> None:
    assert may_start_threads(factory) is may


LIMIT = 4_321


class Numbered:
    share = 77
    borders = (200, [300], 400)

    def __iter__(self) -> Iterator[int]:
        return iter(range(LIMIT, 512 + self.share, 13))


def test_numbers_stand_in_code_in_classes_and_in_modules() -> None:
    assert {13, 77, 512, LIMIT, 200, 400} <= numbers_behind(Numbered)
    assert LIMIT not in numbers_behind(DistributedSampler)


def test_the_line_where_a_class_begins_is_no_number_of_its_code() -> None:
    moved = type("Moved", (Numbered,), {"__firstlineno__": 98_765})  # Python sets it from 3.13 on
    assert numbers_behind(moved) == numbers_behind(Numbered)


def split(dataset, rank, world_size):
    return dataset[rank::world_size]


def cut(batch_size):
    return torch.arange(9).split(batch_size)


def test_a_method_is_no_function_of_the_module_that_has_its_name():
    assert "rank" not in names_behind(cut)
    assert "split" in names_behind(cut)
    assert "rank" in names_behind(lambda dataset: split(dataset, 0, 1))


def test_what_is_called_in_a_nested_function_is_found_though_a_method_has_its_name():
    def nested(text):
        return text.split(), [*map(lambda one: split(one, 0, 1), text)]  # noqa: C417

    assert "rank" in names_behind(nested)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated where the function is made")
def test_a_signature_is_read_where_annotations_name_what_type_checkers_alone_import():
    names = {}
    exec("def build(dataset: NotImported, rank: int): ...", names)
    assert [*signature_of(names["build"]).parameters] == ["dataset", "rank"]
