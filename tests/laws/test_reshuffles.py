"""SC301 on traces written by hand."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.reshuffles import LAW, chance_of
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace

SHUFFLED: dict[str, Any] = {"shuffle": True}


def test_holds_when_one_epoch_has_another_order() -> None:
    trace = a_trace([[2, 0, 1], [2, 0, 1], [0, 2, 1]], length=3, **SHUFFLED)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_when_only_another_rank_moves() -> None:
    trace = a_trace([[0, 1], [0, 1]], [[2, 3], [3, 2]], length=4, **SHUFFLED)
    assert judged(LAW, trace) == []


def test_breaks_when_all_epochs_are_alike() -> None:
    trace = a_trace([[2, 0], [2, 0], [2, 0]], [[1, 3], [1, 3], [1, 3]], length=4, **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 0 yielded 2, 0 in each of 3 epochs, whatever epoch was set"
    assert (violation.rank, violation.epoch, violation.indices) == (0, 1, (2, 0))
    assert violation.chance == 0.25
    assert "set_epoch" in violation.hint
    for record in trace.records["epochs"]:
        record.notes["has_set_epoch"] = False
    assert judged(LAW, trace)[0].hint.startswith("what names the epoch, as there is no set_epoch")


def test_what_goes_up_in_all_epochs_is_asked_whether_anything_shuffles() -> None:
    shares = [[0, 2, 4], [0, 2, 4]], [[1, 3, 0], [1, 3, 0]]  # the last one is padding
    [violation] = judged(LAW, a_trace(*shares, length=5, **SHUFFLED))
    assert violation.hint == (
        "where the order is made: all epochs go up as the dataset does, as if nothing shuffled"
    )
    moved = [[0, 4, 2], [0, 4, 2]], [[1, 3, 0], [1, 3, 0]]
    assert "set_epoch" in judged(LAW, a_trace(*moved, length=5, **SHUFFLED))[0].hint


def test_what_is_built_for_each_epoch_is_asked_what_becomes_of_the_argument() -> None:
    trace = a_trace([[2, 0], [2, 0]], [[1, 3], [1, 3]], length=4, **SHUFFLED)
    for record in trace.records["epochs"]:
        record.notes["built_for_epochs"] = True
    assert judged(LAW, trace)[0].hint.startswith("what becomes of the argument epoch")


@pytest.mark.parametrize(
    ("epoch", "shuffles", "is_seen"),
    [
        ([[0, 1, 2]], "chunks", False),
        ([[0, 1], [2]], "chunks", True),
        ([[0, 1, 2], [0, 1, 2]], "chunks", False),  # one batch, repeated so that ranks are even
        ([[0, 1, 2]], "dataset", True),
    ],
)
def test_what_is_one_chunk_has_no_order(epoch: list[Any], shuffles: Any, is_seen: bool) -> None:
    contract = Contract(order="shuffled", shuffles=shuffles, batches="variable")
    trace = a_trace([epoch, epoch, epoch], length=3, batch_size=3, kind="batches", contract=contract)
    assert LAW.sees(trace) is is_seen
    assert bool(judged(LAW, trace)) is is_seen


@pytest.mark.parametrize(
    ("epoch", "is_seen"),
    [
        ([4, 5, 6], False),
        ([4, 5, 4, 5, 4, 5], False),
        ([4, 2, 4, 2], False),  # a chunk need not be read in order
        ([4, 5, 2, 3], True),
        ([4, 5, 4, 5, 2, 3], True),
        ([], False),
    ],
)
def test_one_chunk_that_is_drawn_again_and_again_has_no_order(epoch: list[int], is_seen: bool) -> None:
    contract = Contract(coverage="sampled", order="shuffled", shuffles="chunks")
    trace = a_trace([epoch, epoch, epoch], length=8, contract=contract)
    assert LAW.sees(trace) is is_seen
    assert bool(judged(LAW, trace)) is is_seen


def test_chance_halves_with_every_epoch() -> None:
    trace = a_trace([[1, 0]] * 48, length=2, **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert violation.chance == 2.0**-47


def test_counted_passes_are_epochs_under_advance() -> None:
    trace = a_trace([[1, 0], [1, 0]], length=2, contract=Contract(epochs="advance"), **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert "although every pass is a new epoch" in violation.found
    assert "set_epoch" not in violation.hint
    for record in trace.records["epochs"]:
        record.notes["has_set_epoch"] = True
    assert 'If the training loop does, declare epochs="set_epoch"' in judged(LAW, trace)[0].hint


def test_what_goes_on_by_either_way_breaks_as_well() -> None:
    trace = a_trace([[1, 0], [1, 0]], length=2, contract=Contract(epochs="either"), **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert "in each of 2 epochs, although every pass is a new epoch" in violation.found
    assert "set_epoch" in violation.hint


def test_names_the_first_rank_that_has_something_to_shuffle() -> None:
    trace = a_trace([[0], [0]], [[2, 1], [2, 1]], length=3, contract=Contract(tail="keep"), **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert violation.rank == 1


def test_same_batches_in_another_order_hold() -> None:
    trace = a_trace([[[0, 1], [2, 3]], [[2, 3], [0, 1]]], length=4, batch_size=2, **SHUFFLED)
    assert judged(LAW, trace) == []


def test_other_batch_sizes_with_the_same_samples_are_another_order() -> None:
    contract = Contract(batches="variable")
    trace = a_trace([[[0, 1], [2]], [[0], [1, 2]]], length=3, contract=contract, **SHUFFLED)
    assert judged(LAW, trace) == []


@pytest.mark.parametrize(
    ("passes", "length"),
    [([[], []], 0), ([[0], [0]], 1), ([[0, 0, 0], [0, 0, 0]], 1), ([[1, 0]], 2)],
    ids=["empty", "one sample", "one sample padded", "one epoch"],
)
def test_sees_nothing_where_no_second_order_is_possible(passes: list[Any], length: int) -> None:
    assert not LAW.sees(a_trace(passes, length=length, **SHUFFLED))


def test_sees_two_ranks_with_one_sample_each() -> None:
    trace = a_trace([[0], [0]], [[1], [1]], length=2, **SHUFFLED)
    [violation] = judged(LAW, trace)
    assert violation.indices == (0,)


def test_sees_a_sample_between_equal_ends() -> None:
    assert LAW.sees(a_trace([[0, 1, 0], [0, 1, 0]], length=2, **SHUFFLED))


def test_sees_nothing_without_shuffling_or_records() -> None:
    assert not LAW.sees(a_trace([[0, 1], [0, 1]], length=2))
    assert not LAW.sees(a_trace(length=2, **SHUFFLED))


def test_shares_of_their_own_must_all_stand_still() -> None:
    contract = Contract(sharding="none")
    one_moves = a_trace([[1, 0], [1, 0]], [[1, 0], [0, 1]], length=2, contract=contract, **SHUFFLED)
    none_moves = a_trace([[1, 0], [1, 0]], [[0, 1], [0, 1]], length=2, contract=contract, **SHUFFLED)
    assert judged(LAW, one_moves) == []
    assert [violation.rank for violation in judged(LAW, none_moves)] == [0]


def test_a_share_with_one_sample_is_no_evidence() -> None:
    contract = Contract(sharding="none", coverage="subset")
    trace = a_trace([[0], [0]], [[1, 0], [1, 0]], length=2, contract=contract, **SHUFFLED)
    assert [violation.rank for violation in judged(LAW, trace)] == [1]


def test_applies_only_where_epochs_promise_another_order() -> None:
    named = frozenset({"shuffle"})
    assert LAW.applies(Scope(contract=Contract(), named=named))
    assert LAW.applies(Scope(contract=Contract(order="shuffled"), named=frozenset()))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))
    assert not LAW.applies(Scope(contract=Contract(epochs="fixed"), named=named))
    assert not LAW.applies(Scope(contract=Contract(order="free"), named=named))


def many(order_of: Any, epochs: int = 48) -> Any:
    orders = list(permutations(range(5)))
    return a_trace(
        [list(orders[order_of(epoch)]) for epoch in range(epochs)], length=5, epochs=epochs, **SHUFFLED
    )


@pytest.mark.parametrize(
    ("order_of", "found"),
    [
        (lambda epoch: epoch % 2, "epoch 2 has the order of epoch 0: 2 orders in 48 epochs"),
        (lambda epoch: min(epoch, 5), "epoch 6 has the order of epoch 5: 6 orders in 48 epochs"),
        (
            lambda epoch: 1 if epoch == 5 else epoch,
            "epoch 5 has the order of epoch 1: 47 orders in 48 epochs",
        ),
    ],
    ids=["turns", "frozen", "once"],
)
def test_orders_of_many_epochs_that_recur_are_a_suspicion(order_of: Any, found: str) -> None:
    [violation] = judged(LAW, many(order_of))
    assert violation.found == found
    assert violation.evidence.kind == "recurs"
    earlier, later = violation.evidence.epochs
    assert violation.event == ("" if later == 5 else f"from epoch {later} on")
    assert (order_of(earlier), violation.epoch) == (order_of(later), later)
    assert violation.evidence.passes == tuple(
        min(e for e in range(48) if order_of(e) == order_of(n)) for n in range(48)
    )


def test_orders_that_differ_or_are_few_raise_no_suspicion() -> None:
    assert judged(LAW, many(lambda epoch: epoch)) == []
    assert judged(LAW, many(lambda epoch: epoch % 2, epochs=47)) == []


def test_the_chance_of_a_pattern_is_that_of_one_arrangement_among_all() -> None:
    assert chance_of((0, 1, 2, 0)) == pytest.approx(1 / 6)
    assert chance_of((0, 1, 0, 1)) == pytest.approx(1 / 3)
    assert chance_of((0, 1, 1, 1)) == pytest.approx(1 / 4)


ENDLESS = Contract(endless=True, epochs="fixed", order="shuffled", layout="strided")
LAP = (3, 0, 4, 1, 2)


def walking(*walks: list[int], contract: Contract = ENDLESS, epochs: int = 48) -> Trace:
    """A trace of endless ranks: what each yields at first in every epoch, and many laps of it."""
    records = [a_record(*[walk[:4]] * epochs, laps=tuple(walk)) for walk in walks]
    return a_trace(*records, length=5, contract=contract)


def laps(*orders: tuple[int, ...], epochs: int = 48) -> Trace:
    """Two ranks that take turns in a walk through these laps."""
    walk = [sample for order in orders for sample in order]
    return walking(walk[0::2], walk[1::2], epochs=epochs)


def test_one_lap_that_comes_over_and_over_is_found() -> None:
    trace = laps(*[LAP] * 50)
    assert LAW.sees(trace)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 0 yields one lap of 5 samples over and over, 50 times: 3, 0, 4, 1, 2"
    assert violation.chance == 2.0**-49
    assert violation.evidence.kind == "laps"


@pytest.mark.parametrize(
    ("changes", "named", "broken"),
    [
        ({"batches": "variable"}, set(), 1),
        ({"tail_unit": "batch"}, set(), 1),
        ({"batches": "variable"}, {"lengths"}, 0),
        ({"batch_rule": "homogeneous(labels)"}, set(), 0),
    ],
)
def test_laps_of_short_batches_may_not_all_be_alike_where_nothing_forces_an_order(
    changes: dict[str, Any], named: set[str], broken: int
) -> None:
    walk = [*LAP] * 50
    record = a_record(*[walk[:4]] * 48, laps=tuple(walk))
    trace = a_trace(record, length=5, contract=ENDLESS.but(**changes), named=named)
    assert len(judged(LAW, trace)) == broken


@pytest.mark.parametrize(("size", "broken"), [(2, 1), (5, 0)])
def test_a_lap_that_is_one_batch_of_varying_size_may_have_one_order(size: int, broken: int) -> None:
    walk = [*LAP] * 50
    batches = [list(LAP[at : at + size]) for at in range(0, len(LAP), size)]
    record = a_record(*[a_pass(batches, batched=True)] * 48, laps=tuple(walk))
    trace = a_trace(record, length=5, contract=ENDLESS.but(batches="variable"))
    assert len(judged(LAW, trace)) == broken


def test_laps_of_which_one_is_another_hold() -> None:
    assert judged(LAW, laps(*[LAP] * 49, LAP[::-1])) == []
    assert judged(LAW, laps(*[LAP] * 20, LAP[::-1], *[LAP] * 29)) == []


def test_laps_that_stand_still_behind_the_first_are_named_as_that() -> None:
    (violation,) = judged(LAW, laps(LAP[::-1], LAP[1:] + LAP[:1], *[LAP] * 48))
    assert "over and over behind its first 3, 47 times" in violation.found
    assert judged(LAW, laps(*[LAP] * 3, LAP[::-1], *[LAP] * 46)) == []


def test_ranks_that_keep_to_themselves_are_looked_at_one_by_one() -> None:
    own = ENDLESS.but(layout="any")
    assert len(judged(LAW, walking([0, 1] * 50, [2, 3, 4] * 50, contract=own))) == 1
    assert judged(LAW, walking([0, 1] * 50, [2, 3, 4] * 49 + [4, 3, 2], contract=own)) == []


def test_few_laps_and_one_sample_show_nothing() -> None:
    assert not LAW.sees(laps(*[LAP] * 50, epochs=3))
    assert judged(LAW, laps(*[LAP] * 40)) == []
    assert judged(LAW, laps(*[(1, 1, 1, 1, 1)] * 50)) == []


def test_an_endless_pass_is_judged_where_it_promises_a_shuffle() -> None:
    assert LAW.applies(Scope(contract=ENDLESS, named=frozenset()))
    assert not LAW.applies(Scope(contract=ENDLESS.but(order="free"), named=frozenset()))
    varying = ENDLESS.but(batches="variable")
    assert LAW.applies(Scope(contract=varying, named=frozenset()))
    assert not LAW.applies(Scope(contract=varying, named=frozenset({"lengths"})))


def test_an_endless_pass_that_is_begun_again_is_another_epoch_where_set_epoch_starts_one() -> None:
    for epochs, has_set_epoch, found in (("set_epoch", True, 1), ("set_epoch", False, 0), ("fixed", True, 0)):
        record = a_record([3, 0, 4], [3, 0, 4], has_set_epoch=has_set_epoch)
        trace = a_trace(record, length=5, contract=ENDLESS.but(epochs=epochs))
        assert len(judged(LAW, trace)) == found


def test_epochs_that_yield_nothing_have_no_order_that_could_recur() -> None:
    orders = [[2, 0, 1], *([] for _ in range(60))]
    assert judged(LAW, a_trace(orders, length=3, epochs=61, **SHUFFLED)) == []


def test_one_order_that_begins_at_another_place_in_each_epoch_breaks() -> None:
    order = [7, 1, 4, 5, 6, 8, 0, 2, 3]
    turned = a_trace([order, order[6:] + order[:6], order[2:] + order[:2]], length=9, **SHUFFLED)
    (violation,) = judged(LAW, turned)
    assert violation.found.startswith(
        "rank 0 yields one order in each of 3 epochs, begun at another place: 7, 1"
    )
    assert (violation.chance, violation.evidence.kind) == (0.25, "turned")


def test_an_order_that_is_not_turned_in_each_epoch_or_has_few_samples_holds() -> None:
    order = [7, 1, 4, 5, 6, 8, 0, 2, 3]
    mixed = a_trace([order, order[6:] + order[:6], sorted(order)], length=9, **SHUFFLED)
    few = a_trace([[2, 0, 1], [0, 1, 2], [1, 2, 0]], length=3, **SHUFFLED)
    apart = a_trace([order, [*order[1:], 9]], length=10, **SHUFFLED)
    first, second = [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]  # two batches have two orders, each the other one turned
    batches = a_trace([[first, second], [second, first], [second, first]], length=10, **SHUFFLED)
    assert [judged(LAW, trace) for trace in (mixed, few, apart, batches)] == [[], [], [], []]
