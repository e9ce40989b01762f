"""SC401 on traces written by hand."""

from __future__ import annotations

import random
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

BY_BATCH = Contract(tail="pad", tail_unit="batch")
NAMES = frozenset({"rank", "world_size", "shuffle"})


def a_world(
    *passes: Yield, then: tuple[Yield, ...] = (), again: list[Record] | None = None, **case: object
) -> Trace:
    """One epoch, each rank's pass, and ``then`` another; the second object yields the same unless told."""
    case.setdefault("shuffle", True)
    other = again or [a_record(one) for one in passes]
    ranks = [list(one) for one in zip(passes, *([then] * bool(then)), strict=True)]
    return a_trace(*ranks, others={"again": other}, **case)  # type: ignore[arg-type]


def test_holds_where_the_union_is_dealt_once() -> None:
    trace = a_world([2, 0], [1, 3], length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_where_padding_repeats_a_sample() -> None:
    assert judged(LAW, a_world([2, 0], [1, 2], length=3)) == []


def test_finds_ranks_that_slice_different_orders() -> None:
    (found,) = judged(LAW, a_world([0, 2], [1, 0], then=([0, 2], [1, 3]), length=4))
    assert (found.rank, found.epoch, found.step, found.indices, found.chance) == (1, 0, 1, (0, 3), 0.5)
    assert found.found == (
        "in epoch 0 ranks 0 and 1 yielded sample 0 and no rank yielded sample 3, "
        "though every rank alone is in order"
    )


def test_finds_a_rank_that_depends_on_other_generators() -> None:
    trace = a_world([2, 0], [1, 3], again=[a_record([2, 0]), a_record([3, 1])], length=4)
    (found,) = judged(LAW, trace)
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 0, 0, (1, 3))
    assert "with the global generators in another state" in found.found


def test_of_draws_with_replacement_nothing_is_lost_by_ranks_that_draw_apart() -> None:
    again = [a_record([2, 0]), a_record([3, 1])]
    drawn = Contract(coverage="sampled", order="shuffled")
    (found,) = judged(LAW, a_world([2, 0], [1, 3], again=again, contract=drawn, length=4))
    assert (found.consequence, found.fault) == ("not reproducible", "each rank draws on its own")
    once = Contract(coverage="sampled", frequencies="at_least_once", order="shuffled")
    (found,) = judged(LAW, a_world([2, 0], [1, 3], again=again, contract=once, length=4))
    assert (found.consequence, found.fault) == ("", "")


def test_ranks_that_shuffle_shares_of_their_own_by_their_own_generators_lose_nothing() -> None:
    again = [a_record([0, 2]), a_record([3, 1])]
    passes = ([[2, 0], [0, 2], [2, 0]], [[1, 3], [3, 1], [1, 3]])
    trace = a_trace(*passes, others={"again": again}, length=4, shuffle=True)
    found = judged(LAW, trace)
    assert {one.fault for one in found} == {"each rank draws on its own"}
    assert {one.consequence for one in found} == {"not reproducible"}
    strays = ([[2, 0], [0, 2], [2, 0]], [[1, 3], [3, 1], [1, 2]])
    trace = a_trace(*strays, others={"again": again}, length=4, shuffle=True)
    assert "each rank draws on its own" not in {one.fault for one in judged(LAW, trace)}
    few = [one[:2] for one in passes]
    for contract, fault in ((Contract(), ""), (Contract(shuffles="share"), "each rank draws on its own")):
        trace = a_trace(*few, others={"again": again}, length=4, shuffle=True, contract=contract)
        assert {one.fault for one in judged(LAW, trace)} == {fault}


def test_shared_generators_may_matter_and_still_must_deal_out_once() -> None:
    shared = Contract(ambient_rng="shared")
    again = [a_record([2, 0]), a_record([3, 1])]
    assert judged(LAW, a_world([2, 0], [1, 3], again=again, contract=shared, length=4)) == []
    torn = a_world([2, 0], [2, 3], then=([2, 0], [1, 3]), again=again, contract=shared, length=4)
    (found,) = judged(LAW, torn)
    assert found.indices == (2, 1)


def test_finds_it_in_batches() -> None:
    then: tuple[Yield, Yield] = ([[0, 1], [2, 3]], [[0, 1], [2, 3]])
    (found,) = judged(LAW, a_world([[0, 1], [2, 3]], [[4, 5], [3, 6]], then=then, length=8, batch_size=2))
    assert (found.rank, found.step, found.indices) == (1, 1, (3, 7))


def test_finds_it_where_what_does_not_divide_is_dropped() -> None:
    (found,) = judged(LAW, a_world([0, 2], [0, 1], then=([0, 2], [3, 1]), length=5, drop_last=True))
    assert found.indices == (0, 3, 4)


@pytest.mark.parametrize(
    ("passes", "then", "length"),
    [
        (([0, 0], [1, 2]), ([0, 1], [2, 3]), 4),  # a rank that repeats alone is SC103's
        (([0, 1, 2], [0]), ([0, 1], [2, 3]), 4),  # unequal ranks are SC104's
        (([0, 1], [0, 1, 2]), ([0, 1], [2, 3]), 4),  # a wrong total is SC105's
        (([0, 9], [0, 1]), ([0, 1], [2, 3]), 4),  # strays are SC101's
        (([0, 1], [2, 2]), ([0, 1], [2, 0]), 3),  # what padding explains
        (([0], [0], [0], [0], [1]), ([0], [1], [0], [1], [1]), 2),  # padding that leaves nobody out
    ],
)
def test_leaves_what_one_rank_does_wrong_to_other_laws(
    passes: tuple[Yield, ...], then: tuple[Yield, ...], length: int
) -> None:
    assert judged(LAW, a_world(*passes, then=then, length=length)) == []


def test_a_step_in_place_of_another_is_a_fault_of_one_order() -> None:
    """Each rank repeats as many samples by itself as is padded on both of them together."""
    whole: tuple[Yield, Yield] = ([[3, 4], [0, 2]], [[1, 5], [3, 4]])
    trace = a_world(
        *whole, then=([[3, 4], [3, 4]], [[1, 5], [1, 5]]), contract=BY_BATCH, length=6, batch_size=2
    )
    assert judged(LAW, trace) == []


def one_order(length: int, epoch: int, fault: str) -> list[int]:
    """The order of an epoch, the same on all ranks, with a fault in it."""
    order = random.Random(epoch).sample(range(length), length)
    if fault == "a sample missing":
        order = [i for i in order if i]
    elif fault == "a sample doubled":
        order.insert(0, 1)
    elif fault == "an end cut off":
        order = order[:-2]
    elif fault == "a sample in place of another":
        order = [max(1, i) for i in order]
    elif fault == "one more sample":
        order[epoch % length] = order[(epoch * 7) % length]
    elif fault == "shifted by one":
        order = [0, *order[:-1]]
    return (order + order)[:length]


FAULTS = (
    "a sample missing",
    "a sample doubled",
    "an end cut off",
    "a sample in place of another",
    "one more sample",
    "shifted by one",
)


def many_epochs(ranks: list[list[list[int]]]) -> Trace:
    """The passes of each rank; a second object begins alike."""
    again = [a_record(passes[0]) for passes in ranks]
    return a_trace(*ranks, others={"again": again}, length=30, shuffle=True)


@pytest.mark.parametrize("fault", FAULTS)
def test_one_order_with_a_fault_in_it_is_left_to_the_laws_of_partition(fault: str) -> None:
    orders = [one_order(30, epoch, fault) for epoch in range(48)]
    trace = many_epochs([[order[rank::2] for order in orders] for rank in (0, 1)])
    assert list(LAW.judge(trace)) == []
    assert any(epoch.highest > 1 for epoch in trace.epochs)


def test_one_order_that_lacks_a_sample_now_and_then_is_left_to_them_in_many_epochs() -> None:
    """The one that a bug writes over another is the same in some epochs, and nothing is lost in these."""
    whole, lost, apart = ([2, 0], [1, 3]), ([2, 0], [2, 3]), ([2, 0], [0, 2])
    for last, violations in ((lost, 0), (apart, 1)):
        ranks = [list(one) for one in zip(*([whole, lost] * 24), last, strict=True)]
        trace = a_trace(*ranks, others={"again": [a_record(one) for one in whole]}, length=4, shuffle=True)
        assert len(judged(LAW, trace)) == violations


def test_ranks_that_shuffle_apart_are_found_in_the_same_world() -> None:
    orders = [[one_order(30, 2 * epoch + rank, "none")[rank::2] for epoch in range(48)] for rank in (0, 1)]
    (found,) = LAW.judge(many_epochs(orders))
    assert found.chance < 1e-13


@pytest.mark.parametrize(("second", "violations"), [([1, 3], 0), ([1, 0], 1)])
def test_ranks_that_agree_by_collectives_are_judged_by_one_launch(second: Yield, violations: int) -> None:
    """That another launch differs is the finding of law deterministic."""
    trace = a_world([2, 0], second, again=[a_record([0, 1]), a_record(second)], length=4)
    trace.of("epochs")[0].notes["collectives"] = 1
    assert len(judged(LAW, trace)) == violations


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


def test_leaves_one_order_that_is_drawn_with_replacement_to_other_laws() -> None:
    drawn = random.Random(0)
    orders = [drawn.choices(range(11), k=15) for _ in range(9)]
    ranks = [[order[rank::5] for order in orders] for rank in range(5)]
    again = [a_record(one[0]) for one in ranks]
    assert judged(LAW, a_trace(*ranks, others={"again": again}, length=11, shuffle=True)) == []
