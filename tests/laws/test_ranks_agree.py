"""SC401 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.ranks_agree import LAW
from tests.support.traces import a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

NAMES = frozenset({"rank", "world_size", "shuffle"})


def a_world(*passes: Yield, again: list[Record] | None = None, **case: object) -> Trace:
    """One epoch, each rank's pass; the second object yields the same unless told."""
    case.setdefault("shuffle", True)
    other = again or [a_record(one) for one in passes]
    return a_trace(*[[one] for one in passes], others={"again": other}, **case)  # type: ignore[arg-type]


def test_holds_where_the_union_is_dealt_once() -> None:
    trace = a_world([2, 0], [1, 3], length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_where_padding_repeats_a_sample() -> None:
    assert judged(LAW, a_world([2, 0], [1, 2], length=3)) == []


def test_finds_ranks_that_slice_different_orders() -> None:
    (found,) = judged(LAW, a_world([0, 2], [1, 0], length=4))
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 0, 1, (0, 3))
    assert found.found == (
        "in epoch 0 ranks 0 and 1 yielded 0 and no rank yielded 3, though every rank alone is in order"
    )


def test_finds_a_rank_that_depends_on_other_generators() -> None:
    trace = a_world([2, 0], [1, 3], again=[a_record([2, 0]), a_record([3, 1])], length=4)
    (found,) = judged(LAW, trace)
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 0, 0, (1, 3))
    assert "beside other random generators" in found.found


def test_shared_generators_may_matter_and_still_must_deal_out_once() -> None:
    shared = Contract(ambient_rng="shared")
    again = [a_record([2, 0]), a_record([3, 1])]
    assert judged(LAW, a_world([2, 0], [1, 3], again=again, contract=shared, length=4)) == []
    (found,) = judged(LAW, a_world([2, 0], [2, 3], again=again, contract=shared, length=4))
    assert found.indices == (2, 1)


def test_finds_it_in_batches() -> None:
    (found,) = judged(LAW, a_world([[0, 1], [2, 3]], [[4, 5], [3, 6]], length=8, batch_size=2))
    assert (found.rank, found.step, found.indices) == (1, 1, (3, 7))


def test_finds_it_where_what_does_not_divide_is_dropped() -> None:
    (found,) = judged(LAW, a_world([0, 2], [0, 1], length=5, drop_last=True))
    assert found.indices == (0, 3, 4)


@pytest.mark.parametrize(
    ("passes", "length"),
    [
        (([0, 0], [1, 2]), 4),  # a rank that repeats alone is SC103's
        (([0, 1, 2], [0]), 4),  # unequal ranks are SC104's
        (([0, 1], [0, 1, 2]), 4),  # a wrong total is SC105's
        (([0, 9], [0, 1]), 4),  # strays are SC101's
        (([0, 1], [2, 2]), 3),  # what padding explains
        (([0], [0], [0], [0], [1]), 2),  # one-sided padding that leaves nobody out
    ],
)
def test_leaves_what_one_rank_does_wrong_to_other_laws(passes: tuple[Yield, ...], length: int) -> None:
    assert judged(LAW, a_world(*passes, length=length)) == []


def test_ranks_that_sample_are_compared_with_themselves_alone() -> None:
    sampled = Contract(coverage="sampled", order="free")
    assert judged(LAW, a_world([0, 0], [0, 1], contract=sampled, length=4)) == []


def test_has_nothing_to_look_at_without_places_order_or_samples() -> None:
    assert not LAW.sees(a_world([0, 1], length=2))
    assert not LAW.sees(a_world([0], [1], length=2, shuffle=False))
    assert not LAW.sees(a_world([], [], length=0))


def test_sees_more_ranks_than_samples() -> None:
    trace = a_world([0], [0], [0], length=1)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_replicas_of_one_place_are_no_ranks_that_must_agree() -> None:
    assert not LAW.sees(a_world([1, 0], [1, 0], contract=Contract(replicas=2), length=2))


@pytest.mark.parametrize(
    ("contract", "named", "expected"),
    [
        (Contract(), NAMES, True),
        (Contract(), NAMES - {"shuffle"}, False),
        (Contract(order="free"), NAMES - {"shuffle"}, True),
        (Contract(order="sequential"), NAMES, False),
        (Contract(sharding="none"), NAMES, False),
    ],
)
def test_applies_where_ranks_share_an_order_of_their_own(
    contract: Contract,
    named: frozenset[str],
    expected: bool,
) -> None:
    assert LAW.applies(Scope(contract=contract, named=named)) is expected
