"""Contracts that real samplers need: who keeps one is told of its field, who breaks it is found.

The samplers are those of ``tests/sound/declared.py``, which keep them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from tests.sound import declared
from tests.support.complaints import complaints

if TYPE_CHECKING:
    from tests.zoo._sound import Strided

pytestmark = pytest.mark.usefixtures("brief")
DRAWN = {"sharding": "none", "coverage": "sampled", "order": "free"}


def run(factory: Any, **promise: Any) -> Any:
    return sc.run(sc.target(factory, contract=sc.Contract(**promise)), profile="quick")


def own_chunk(length: int, rank: int, world_size: int, seed: int) -> Strided:
    return declared.OwnChunk(length, rank, world_size, shuffle=True, seed=seed)


def seedable(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    return declared.Seedable(length, rank, world_size, shuffle=shuffle, seed=seed)


def dropped_before_repeated(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    return declared.DroppedBeforeRepeated(length, rank, world_size, shuffle=shuffle, seed=seed)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("factory", "promise", "field"),
    [
        (declared.tempered, DRAWN, "frequencies="),
        (declared.poisson, {**DRAWN, "batches": "variable"}, "empty_batches=True"),
        (own_chunk, {"order": "shuffled"}, 'shuffles="share"'),
        (seedable, {}, 'epochs="either"'),
        (dropped_before_repeated, {"repeats": 3, "tail": "drop"}, "tail_first=True"),
        (declared.topped_up, {"batches": "variable"}, "top_up=True"),
    ],
)
def test_a_failure_names_the_field_that_would_be_kept(
    factory: Any, promise: dict[str, Any], field: str
) -> None:
    report = run(factory, **promise)
    blocks = [" ".join(one.failure.text.split()) for one in report.results if one.failure]
    assert any(field in block for block in blocks), blocks


def drawn_as_weighted(weights: Any, seed: int) -> declared.Drawn:
    return declared.Drawn(weights, seed)  # BUG: the temperature is forgotten


class MissesTheFirst(declared.Poisson):
    def share(self) -> list[Any]:
        return [[i for i in batch if i] for batch in super().share()]  # BUG: sample 0 is never drawn


def misses_the_first(length: int, seed: int) -> declared.Poisson:
    return MissesTheFirst(length, seed=seed, shuffle=True)


class OneChunkOrder(declared.OwnChunk):
    def set_epoch(self, epoch: int) -> None:
        """BUG: every epoch has the order of the first."""


def chunk_in_one_order(length: int, rank: int, world_size: int, seed: int) -> Strided:
    return OneChunkOrder(length, rank, world_size, shuffle=True, seed=seed)


class CountsAlone(declared.Seedable):
    def set_epoch(self, epoch: int) -> None:
        """BUG: only passes are counted."""


def counts_alone(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    return CountsAlone(length, rank, world_size, shuffle=shuffle, seed=seed)


class CutBehindOne(declared.DroppedBeforeRepeated):
    def share(self) -> list[int]:
        return super().share()[: -self.copies]  # BUG: a whole sample less than divides


def cut_behind_one(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    return CutBehindOne(length, rank, world_size, shuffle=shuffle, seed=seed)


class ForgetsOne(declared.ToppedUp):
    def order(self) -> list[int]:
        return super().order()[:-1] if self.length > 1 else super().order()  # BUG: the last is lost


def forgets_one(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    return ForgetsOne(length, 3, rank, world_size, shuffle=shuffle, seed=seed)


@pytest.mark.parametrize(
    ("factory", "promise", "code"),
    [
        (drawn_as_weighted, {**DRAWN, "frequencies": declared.by_fourth_roots}, "SC1001"),
        (misses_the_first, {**DRAWN, "batches": "variable", "empty_batches": True}, "SC1001"),
        pytest.param(
            chunk_in_one_order,
            {"order": "shuffled", "shuffles": "share"},
            "SC301",
            marks=pytest.mark.thorough,
        ),
        (counts_alone, {"epochs": "either"}, "SC304"),
        (cut_behind_one, {"repeats": 3, "tail": "drop", "tail_first": True}, "SC105"),
        (forgets_one, {"batches": "variable", "top_up": True}, "SC102"),
    ],
)
def test_who_breaks_what_is_declared_is_found(factory: Any, promise: dict[str, Any], code: str) -> None:
    assert code in complaints(run(factory, **promise))
