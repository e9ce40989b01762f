"""What contracts owe: every sentence of the rules on tails, and an independent statement of them.

The brute force deals samples out as the rules say in words, without any of the arithmetic of ``owed``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case, Contract
from samplercheck.values.owed import (
    FAR_EPOCHS,
    LONGEST_KEPT,
    MANY_EPOCHS,
    compute_owed,
    drop_last_matters,
    far_epochs,
    has_long_passes,
    owed_to_padded_shares,
    owed_where_cut,
)


def owed_for(contract=None, *, batched=False, **case):
    return compute_owed(
        Case(**{"length": 5, "world_size": 2, **case}), contract or Contract(), batched=batched
    )


# Pad


@pytest.mark.parametrize(
    ("length", "world_size", "total", "most"),
    [(0, 3, 0, 0), (1, 4, 4, 4), (3, 2, 4, 2), (4, 2, 4, 1), (5, 3, 6, 2), (2, 5, 5, 3)],
)
def test_pad_rounds_up_to_the_world(length, world_size, total, most):
    owed = owed_for(length=length, world_size=world_size)
    assert (owed.tail, owed.total, owed.most) == ("pad", total, most)
    assert owed.padding == total - length
    assert owed.losable == 0


def test_pad_rounds_up_to_global_batches_where_the_unit_is_a_batch():
    owed = owed_for(Contract(tail_unit="batch"), length=5, world_size=2, batch_size=3)
    assert (owed.unit, owed.total, owed.padding, owed.most) == (3, 6, 1, 2)


def test_repeats_multiply_before_padding():
    owed = owed_for(Contract.repeated(3), length=1, world_size=2)
    assert (owed.appearances, owed.total, owed.padding, owed.most) == (3, 4, 1, 6)


@pytest.mark.parametrize(("tail", "total", "padding", "losable"), [("pad", 18, 3, 0), ("drop", 12, 0, 3)])
def test_a_tail_that_comes_first_is_repeated_too(tail, total, padding, losable):
    owed = owed_for(Contract.repeated(3, tail=tail, tail_first=True), length=5, world_size=2)
    assert (owed.appearances, owed.total, owed.padding, owed.losable) == (15, total, padding, losable)
    assert owed_for(Contract.repeated(3, tail="keep", tail_first=True), length=5).total == 15


# Drop


@pytest.mark.parametrize(
    ("length", "world_size", "total"), [(0, 3, 0), (1, 4, 0), (3, 2, 2), (4, 2, 4), (5, 3, 3)]
)
def test_drop_rounds_down_to_the_world(length, world_size, total):
    owed = owed_for(length=length, world_size=world_size, drop_last=True)
    assert (owed.tail, owed.total, owed.most) == ("drop", total, 1)
    assert (owed.losable, owed.padding) == (length - total, 0)


def test_batch_samplers_with_drop_last_drop_whole_global_batches_whatever_the_unit():
    for unit, tail in itertools.product(("sample", "batch"), ("auto", "drop")):
        contract = Contract(tail_unit=unit, tail=tail)
        owed = owed_for(contract, batched=True, drop_last=True, length=11, batch_size=2)
        assert (owed.unit, owed.total, owed.losable) == (2, 8, 3)


@pytest.mark.parametrize(
    ("length", "batch_size", "total"),
    [(5, 1, 6), (7, 2, 8), (11, 3, 12), (6, 1, None), (5, 2, None), (8, 2, None)],
)
def test_where_padded_shares_fill_their_batches_they_may_be_padded_first(length, batch_size, total):
    case = Case(length=length, world_size=2, batch_size=batch_size, drop_last=True)
    padded = owed_to_padded_shares(case, Contract())
    assert (padded and padded.total) == total
    declared = owed_to_padded_shares(case.but(drop_last=False), Contract(tail="drop", tail_unit="batch"))
    assert (declared and declared.total) == total
    for contract in (Contract(tail="drop"), Contract(tail_unit="batch"), Contract(sharding="none")):
        assert owed_to_padded_shares(case, contract) is None
    assert owed_to_padded_shares(case.but(drop_last=False), Contract()) is None


def test_samplers_with_drop_last_and_declared_drops_keep_to_their_unit():
    assert owed_for(drop_last=True, length=11, batch_size=2).total == 10
    assert owed_for(Contract(tail="drop"), batched=True, length=11, batch_size=2).total == 10
    assert (
        owed_for(Contract(tail="drop", tail_unit="batch"), batched=True, length=11, batch_size=2).total == 8
    )


# Keep


def test_keep_owes_each_sample_once_and_lets_ranks_differ_by_a_unit():
    owed = owed_for(Contract.evaluation())
    assert (owed.total, owed.most, owed.uneven) == (5, 1, 1)
    assert owed_for(Contract(tail="keep", tail_unit="batch"), batch_size=3).uneven == 3
    assert owed_for(Contract()).uneven == 0


@pytest.mark.parametrize("changes", [{"batches": "variable"}, {"tail_unit": "group"}])
def test_keep_owes_all_even_where_padding_has_no_formula(changes):
    owed = owed_for(Contract(tail="keep", **changes))
    assert (owed.total, owed.most) == (5, 1)


# No formula


@pytest.mark.parametrize("changes", [{"batches": "variable"}, {"tail_unit": "group"}])
def test_groups_and_variable_batches_have_no_total(changes):
    padded = owed_for(Contract(**changes))
    assert (padded.total, padded.most, padded.padding, padded.losable) == (None, None, 0, 0)
    dropped = owed_for(Contract(tail="drop", **changes))
    assert (dropped.total, dropped.most) == (None, 1)


def test_groups_stay_groups_under_drop_last():
    owed = owed_for(Contract(tail_unit="group"), batched=True, drop_last=True, batch_size=4)
    assert (owed.tail, owed.unit, owed.total) == ("drop", 1, None)


def test_a_subset_owes_nothing_but_no_sample_twice():
    for tail in ("auto", "drop", "keep"):
        owed = owed_for(Contract(coverage="subset", tail=tail))
        assert (owed.total, owed.most, owed.padding) == (None, 1, 0)


def test_a_subset_of_repeats_owes_no_sample_more_than_so_often():
    owed = owed_for(Contract(coverage="subset", repeats=3))
    assert (owed.total, owed.most) == (None, 3)


@pytest.mark.parametrize(
    ("changes", "padding", "most"),
    [
        ({}, 2, None),
        ({"repeats": 3}, 2, None),
        ({"tail_unit": "batch"}, 11, None),
        ({"replicas": 3}, 0, 1),
        ({"sharding": "none"}, 0, 1),
        ({"sharding": "none", "repeats": 3}, 0, 3),
        ({"sharding": "none", "tail_unit": "group"}, 0, None),
        ({"batches": "variable"}, 0, None),
    ],
)
def test_a_subset_that_is_padded_by_declaration_owes_less_than_one_round_of_repeats(changes, padding, most):
    contract = Contract(coverage="subset", tail="pad", **changes)
    owed = owed_for(contract, length=9, world_size=3, batch_size=4)
    assert (owed.total, owed.padding, owed.most) == (None, padding, most)


def test_an_endless_subset_has_no_tail_to_pad():
    owed = owed_for(Contract(coverage="subset", tail="pad", endless=True), world_size=3)
    assert (owed.padding, owed.most) == (0, None)


def test_draws_with_replacement_and_endless_passes_owe_no_counts():
    for contract in (Contract.weighted(), Contract.endless(), Contract(endless=True, tail="keep")):
        owed = owed_for(contract)
        assert (owed.total, owed.most) == (None, None)


# Places and order


def test_places_are_ranks_groups_of_replicas_or_one():
    assert owed_for(world_size=6).places == 6
    assert owed_for(Contract(replicas=3), world_size=6).places == 2
    assert owed_for(Contract(replicas=4), world_size=2).places == 1
    assert owed_for(Contract(sharding="none"), world_size=6).places == 1


def test_without_sharding_nothing_is_padded():
    owed = owed_for(Contract(sharding="none"), length=5, world_size=3)
    assert (owed.total, owed.most) == (5, 1)


@pytest.mark.parametrize(
    ("order", "shuffle", "expected"),
    [
        ("auto", True, "shuffled"),
        ("auto", False, "sequential"),
        ("shuffled", False, "shuffled"),
        ("sequential", True, "sequential"),
        ("free", True, "free"),
    ],
)
def test_the_order_follows_the_contract_then_the_case(order, shuffle, expected):
    owed = owed_for(Contract(order=order), shuffle=shuffle)
    assert owed.order == expected
    assert owed.is_shuffled is (expected == "shuffled")
    assert owed.is_sequential is (expected == "sequential")


# An independent statement


def dealt(length, repeats, places, unit, tail):
    """Deal an epoch out round by round, as the rules say in words; return each place's samples."""
    waiting = [sample for sample in range(length) for _ in range(repeats)]
    epoch = list(waiting)
    shares = [[] for _ in range(places)]
    while waiting:
        round_, waiting = waiting[: places * unit], waiting[places * unit :]
        if len(round_) < places * unit and tail == "drop":
            break
        while len(round_) < places * unit and tail == "pad":
            round_ += epoch[: places * unit - len(round_)]
        for place, share in enumerate(shares):
            share.extend(round_[place * unit : (place + 1) * unit])
    return shares


@given(
    length=st.integers(0, 12),
    world_size=st.integers(1, 6),
    batch_size=st.integers(1, 4),
    repeats=st.integers(1, 3),
    tail=st.sampled_from(["auto", "pad", "drop", "keep"]),
    tail_unit=st.sampled_from(["sample", "batch"]),
    drop_last=st.booleans(),
    batched=st.booleans(),
)
def test_dealing_round_by_round_yields_what_is_owed(
    length, world_size, batch_size, repeats, tail, tail_unit, drop_last, batched
):
    contract = Contract(repeats=repeats, tail=tail, tail_unit=tail_unit)
    case = Case(length=length, world_size=world_size, batch_size=batch_size, drop_last=drop_last)
    owed = compute_owed(case, contract, batched=batched)
    by_batches = tail_unit == "batch" or (tail in ("auto", "drop") and drop_last and batched)
    treated = {"auto": "drop" if drop_last else "pad"}.get(tail, tail)
    shares = dealt(length, repeats, world_size, batch_size if by_batches else 1, treated)
    items = [sample for share in shares for sample in share]
    counts = Counter(items)
    missing = sum(max(0, repeats - counts[sample]) for sample in range(length))
    sizes = [len(share) for share in shares]

    assert owed.total == len(items)
    assert all(counts[sample] <= owed.most for sample in range(length))
    assert owed.losable == missing
    assert owed.padding == len(items) - (length * repeats - missing)
    assert max(sizes) - min(sizes) <= owed.uneven


@given(length=st.integers(0, 10**9), world_size=st.integers(1, 4096), unit=st.integers(1, 512))
def test_never_more_than_a_round_is_padded_or_lost(length, world_size, unit):
    case = {"length": length, "world_size": world_size, "batch_size": unit}
    padded = owed_for(Contract(tail_unit="batch"), **case)
    dropped = owed_for(Contract(tail="drop", tail_unit="batch"), **case)
    assert 0 <= padded.padding < world_size * unit
    assert 0 <= dropped.losable < world_size * unit
    assert padded.total % (world_size * unit) == dropped.total % (world_size * unit) == 0


# Workers


@pytest.mark.parametrize(
    ("length", "world_size", "workers", "spare"),
    [(8, 2, 2, 0), (9, 2, 2, 3), (7, 1, 2, 1), (0, 2, 3, 0), (1, 1, 2, 1), (6, 3, 2, 0)],
)
def test_workers_have_a_tail_where_their_round_does_not_divide_the_epoch(length, world_size, workers, spare):
    assert owed_for(length=length, world_size=world_size).spare(workers) == spare


def test_a_round_of_workers_is_one_of_batches_where_the_unit_is_and_a_subset_may_always_have_a_tail():
    assert owed_for(Contract(tail_unit="batch"), length=8, batch_size=4).spare(2) == 15
    assert owed_for(Contract(tail_unit="batch"), length=16, batch_size=4).spare(2) == 0
    assert owed_for(Contract(coverage="subset", tail="drop"), length=8).spare(2) == 3


# Moves


def test_an_epoch_that_ends_in_another_world_may_have_the_tails_of_both():
    assert owed_for(length=5).spare_with(owed_for(length=5, world_size=3)) == (0, 3)
    assert owed_for(drop_last=True).spare_with(owed_for(world_size=4, drop_last=True)) == (4, 0)
    assert owed_for(Contract(tail="keep")).spare_with(owed_for(Contract(tail="keep"), world_size=4)) == (0, 0)


def test_what_is_kept_may_be_cut_where_drop_last_asks_for_it():
    kept, case = Contract(tail="keep"), Case(length=9, world_size=2, batch_size=2, drop_last=True)
    owed = compute_owed(case, kept, batched=True)
    cut = partial(owed_where_cut, owed, case, kept, batched=True)
    assert [cut(taken).losable for taken in (9, 8, 6, 5)] == [0, 1, 3, 0]
    assert owed_where_cut(owed, case.but(drop_last=False), kept, 8, batched=True) is owed
    by_samples = compute_owed(case, kept, batched=False)
    assert owed_where_cut(by_samples, case, kept, 8, batched=False).total == 8
    assert owed_where_cut(by_samples, case, kept, 7, batched=False) is by_samples
    varying = kept.but(batches="variable")
    assert owed_where_cut(owed, case, varying, 8, batched=True).tail == "drop"


def test_each_epoch_of_a_cycle_may_drop_less_than_a_round():
    assert [owed_for(Contract(tail=tail), world_size=3).droppable(2) for tail in ("drop", "pad", "keep")] == [
        4,
        0,
        0,
    ]
    batches = Contract(coverage="subset", tail="drop", tail_unit="batch")
    assert owed_for(batches, world_size=2, batch_size=3).droppable(1) == 5


@pytest.mark.parametrize(
    ("promise", "batched", "case", "matters"),
    [
        ({}, False, {}, True),
        ({}, False, {"length": 4}, False),
        ({"repeats": 2}, False, {}, False),
        ({}, True, {"length": 6, "batch_size": 3}, False),
        ({}, True, {"length": 4, "batch_size": 3}, True),
        ({}, True, {"length": 5, "batch_size": 3}, False),  # shares of three, padded, fill their batches
        ({"tail_unit": "batch"}, False, {"length": 4, "batch_size": 3}, True),
        ({"sharding": "none"}, False, {}, False),
        ({"sharding": "none"}, True, {"batch_size": 2}, True),
        ({"tail": "keep"}, False, {}, False),
        ({"tail_unit": "group"}, False, {}, False),
        ({"batches": "variable"}, True, {}, False),
        ({"coverage": "subset"}, False, {}, False),
        ({"endless": True}, False, {}, False),
    ],
)
def test_dropping_matters_where_the_argument_decides_and_the_samples_make_no_whole_rounds(
    promise, batched, case, matters
):
    whole = Case(**{"length": 5, "world_size": 2, **case})
    assert drop_last_matters(whole, Contract(**promise), batched=batched) is matters


def test_shares_that_are_padded_first_leave_nothing_open_where_the_contract_says_what_is_dropped():
    case = Case(length=5, world_size=2, batch_size=3, drop_last=True)
    assert owed_to_padded_shares(case, Contract()) == compute_owed(
        case.but(drop_last=False), Contract(), batched=True
    )
    for promise in (
        {"tail": "drop"},
        {"tail_unit": "batch"},
        {"coverage": "subset"},
        {"batches": "variable"},
        {"endless": True},
    ):
        assert owed_to_padded_shares(case, Contract(**promise)) is None
    for change in ({"drop_last": False}, {"batch_size": 2}, {"length": 6}):
        assert owed_to_padded_shares(case.but(**change), Contract()) is None


def test_passes_are_long_by_what_comes_in_an_epoch():
    kept, longer = Case(length=LONGEST_KEPT), Case(length=LONGEST_KEPT + 1)
    assert [has_long_passes(case, Contract()) for case in (kept, longer)] == [False, True]
    assert has_long_passes(kept, Contract(repeats=2))


def test_many_epochs_that_are_set_are_followed_by_far_ones():
    many = Case(length=5, epochs=MANY_EPOCHS)
    assert far_epochs(many, Contract()) == FAR_EPOCHS
    assert far_epochs(many.but(epochs=MANY_EPOCHS - 1), Contract()) == ()
    assert far_epochs(many, Contract(epochs="fixed")) == ()
    assert far_epochs(many.but(epochs=FAR_EPOCHS[0] + 1), Contract()) == FAR_EPOCHS[1:]
