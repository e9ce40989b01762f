"""SC903 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.place_from_group import LAW
from tests.support.traces import a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield


def unplaced(*ranks: tuple[Yield, Yield], again: list[Record] | None = None, **case: object) -> Trace:
    """A trace whose ranks yield the first with a place given by hand, the second without."""
    others = {
        "unplaced": [a_record(found) for _, found in ranks],
        "again": again or [a_record(placed) for placed, _ in ranks],
    }
    return a_trace(*[[placed] for placed, _ in ranks], others=others, **case)  # type: ignore[arg-type]


def test_holds_where_both_yield_the_same() -> None:
    trace = unplaced(([0, 2], [0, 2]), ([1, 3], [1, 3]), length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_finds_ranks_that_take_themselves_for_the_only_one() -> None:
    first, second = judged(LAW, unplaced(([0, 2], [0, 1, 2, 3]), ([1, 3], [0, 1, 2, 3]), length=4))
    assert (first.rank, first.epoch, first.step, first.indices) == (0, 0, 1, (2, 1))
    assert (second.rank, second.step, second.indices) == (1, 0, (1, 0))
    assert (
        first.found == "rank 0 yielded 2 in step 1 of epoch 0, and 1 with its place left to the process group"
    )
    assert first.experiment == "unplaced"
    assert "get_rank" in first.hint


def test_finds_batches_of_the_wrong_place() -> None:
    trace = unplaced(([[0, 1]], [[0, 1]]), ([[2, 3]], [[0, 1]]), length=4, batch_size=2)
    assert [(found.rank, found.indices) for found in judged(LAW, trace)] == [(1, (2, 3, 0, 1))]


def test_shared_generators_determine_a_first_pass() -> None:
    shared = Contract(ambient_rng="shared")
    (found,) = judged(LAW, unplaced(([0, 1], [1, 0]), contract=shared, length=2))
    assert found.indices == (0, 1)


def test_nothing_is_proved_where_a_rebuilt_target_differs() -> None:
    assert not LAW.sees(unplaced(([0, 1], [1, 0]), again=[a_record([1, 0])], length=2))


def test_has_nothing_to_look_at_where_the_place_is_always_given_or_nothing_comes() -> None:
    again = [a_record([0])]
    assert not LAW.sees(a_trace([[0]], others={"unplaced": [a_record()], "again": again}, length=1))
    assert not LAW.sees(unplaced(([], []), length=0))


def test_sees_more_ranks_than_samples_and_ranks_that_share_nothing() -> None:
    assert judged(LAW, unplaced(([0], [0]), ([0], [0]), length=1)) == []
    alone = Contract(sharding="none")
    assert [
        found.rank for found in judged(LAW, unplaced(([0], [0]), ([0], []), contract=alone, length=1))
    ] == [1]


@pytest.mark.parametrize(
    ("named", "traits", "expected"),
    [
        ({"rank", "world_size"}, {"finds_place"}, True),
        ({"rank", "world_size"}, set(), False),
        ({"rank"}, {"finds_place"}, False),
    ],
)
def test_applies_where_both_arguments_can_be_left_out(
    named: set[str],
    traits: set[str],
    expected: bool,
) -> None:
    scope = Scope(contract=Contract(), named=frozenset(named), traits=frozenset(traits))
    assert LAW.applies(scope) is expected
