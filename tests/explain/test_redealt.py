"""Shares that are dealt out again: of the joined order of all ranks, or of that of a single process."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck import Case, Contract
from samplercheck.explain import redealt
from samplercheck.explain.change import Change
from samplercheck.targets.binding import Binding


def blocks(length: int, rank: int, world_size: int) -> list[int]:
    size = length // world_size
    return list(range(rank * size, (rank + 1) * size))


def turns(length: int, rank: int, world_size: int) -> list[int]:
    return list(range(rank, length, world_size))


def shares(change: Change, factory: Any, case: Case, **contract: Any) -> list[list[int]]:
    """What the ranks get when they are built with a change."""
    binding = change.binding(Binding(factory, Contract(**contract), {}, "dealt"))
    return [list(binding.build(case, rank, {})) for rank in range(case.world_size)]


@pytest.mark.parametrize(
    ("one", "factory", "expected"),
    [(redealt.dealt_in_turn, blocks, turns), (redealt.dealt_in_blocks, turns, blocks)],
)
def test_shares_are_joined_and_dealt_out_again(one: Change, factory: Any, expected: Any) -> None:
    assert shares(one, factory, Case(length=6, world_size=3)) == [expected(6, rank, 3) for rank in range(3)]


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        ({}, [[0, 2, 4], [1, 3, 0]]),
        ({"tail": "drop"}, [[0, 2], [1, 3]]),
        ({"tail": "keep"}, [[0, 2, 4], [1, 3]]),
        ({"coverage": "subset"}, [[0, 2], [1, 3]]),
        ({"layout": "contiguous"}, [[0, 1, 2], [3, 4, 0]]),
        ({"layout": "contiguous", "tail": "keep"}, [[0, 1], [2, 3, 4]]),
    ],
)
def test_the_order_of_a_single_process_is_dealt_out_as_the_contract_says(
    contract: dict[str, Any], expected: list[list[int]]
) -> None:
    def wrong(length: int, rank: int, world_size: int) -> list[int]:
        return list(range(length)) if world_size == 1 else []

    assert shares(redealt.dealt_out, wrong, Case(length=5, world_size=2), **contract) == expected


@pytest.mark.parametrize("contract", [{"endless": True, "epochs": "fixed"}, {"replicas": 2}])
def test_what_has_no_end_or_is_shared_by_ranks_stays_as_it_is(contract: dict[str, Any]) -> None:
    case = Case(length=4, world_size=2)
    assert shares(redealt.dealt_out, turns, case, **contract) == [[0, 2], [1, 3]]
