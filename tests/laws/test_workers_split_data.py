"""SC802: the workers of a stream share it."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.workers_split_data import LAW
from tests.support.loaded import FRESH, TWO, a_rank, loaded
from tests.support.traces import judged

KEEP = Contract(tail="keep")


def stream(*ranks, contract=KEEP, **details):
    """A trace of ranks of a stream, each with what it yields alone and with two workers."""
    rows = [a_rank([alone], (TWO, [shared]), roles=("stream",)) for alone, shared in ranks]
    return loaded(*rows, contract=contract, workers=2, **details)


def test_any_order_of_the_same_samples_holds():
    assert judged(LAW, stream(([0, 1, 2, 3], [0, 2, 1, 3]), length=4)) == []


def test_samples_may_change_their_rank():
    assert judged(LAW, stream(([0, 2], [0, 1]), ([1, 3], [2, 3]), length=4)) == []


def test_workers_that_all_yield_everything_double_it():
    (found,) = judged(LAW, stream(([0, 1], [0, 0, 1, 1]), length=2))
    assert found.found == "rank 0 yielded samples 0 and 1 twice with 2 workers, and without workers once"
    assert (found.consequence, found.indices) == ("repeats data", (0, 1))
    assert found.fault == "workers repeat each other's samples"


def test_what_no_worker_yields_is_lost():
    (found,) = judged(LAW, stream(([0, 2], [0]), ([1, 3], [1]), length=4))
    words = "the ranks yielded samples 2 and 3 never with 2 workers, and without workers once"
    assert found.found == words
    assert (found.consequence, found.fault) == ("loses data", "workers lose samples")


KEPT_TWO = (2, 1, True)


@pytest.mark.parametrize(
    ("contract", "second", "grade"),
    [
        (KEEP, [0, 2], "harm"),
        (KEEP.but(keeps_workers=False), [0, 2], "strict"),
        (KEEP, [0, 2, 1, 3], None),
        (KEEP.but(ambient_rng="shared"), [0, 2], None),
    ],
)
def test_what_kept_workers_lose_in_a_later_epoch_is_lost(contract, second, grade):
    epochs = [[0, 1, 2, 3], [3, 2, 1, 0]]
    row = a_rank(epochs, (KEPT_TWO, [[0, 2, 1, 3], second]), roles=("stream",))
    found = judged(LAW, loaded(row, contract=contract, workers=2, length=4))
    assert [one.grade for one in found] == ([grade] if grade else [])
    words = "in epoch 1 rank 0 yielded samples 1 and 3 never with 2 workers, and without workers once"
    assert all((one.found, one.epoch) == (words, 1) and "same copy" in one.hint for one in found)
    assert all(one.event == "in a DataLoader with persistent workers" for one in found)


def test_what_kept_workers_lose_in_their_first_epoch_others_lose_too():
    row = a_rank([[0, 1], [2, 3]], (KEPT_TWO, [[0], [2]]), roles=("stream",))
    (found,) = judged(LAW, loaded(row, workers=2, length=4))
    assert (found.epoch, found.event) == (0, "")


def test_kept_workers_that_repeat_their_first_epoch_are_another_laws_matter():
    drop = Contract(tail="drop")
    row = a_rank([[0, 1], [2, 3]], (KEPT_TWO, [[0, 1], [1, 0]]), roles=("stream",))
    assert judged(LAW, loaded(row, contract=drop, workers=2, length=5)) == []


def test_where_a_rank_loses_samples_by_itself_its_workers_may_lose_more_for_that():
    for alone, supposes in (([0, 2], ()), ([0], ("SC102",))):
        (found,) = judged(LAW, stream((alone, []), ([1, 3], [1, 3]), length=4))
        assert found.evidence.supposes == supposes


def test_what_comes_in_place_of_others_loses_these():
    doubled, missing = judged(LAW, stream(([0, 1, 2, 3], [0, 0, 2, 2]), length=4))
    assert doubled.found == (
        "rank 0 yielded samples 0 and 2 twice and samples 1 and 3 never with 2 workers, "
        "and without workers once"
    )
    assert (doubled.consequence, missing.consequence) == ("loses data", "loses data")
    assert doubled.fault == "workers repeat samples in place of others"


@pytest.mark.parametrize(("stray", "consequence"), [(-1, "repeats data"), (4, "crashes")])
def test_what_is_no_sample_is_found_where_it_comes_from_workers_alone(stray, consequence):
    (found,) = judged(LAW, stream(([0, 2], [0, stray, 2]), ([1, 3], [1, 3]), length=4))
    assert found.found.startswith(f"rank 0 yielded {stray} with 2 workers: the dataset has 0 to 3, and")
    assert (found.consequence, found.indices) == (consequence, (stray,))
    assert judged(LAW, stream(([0, stray], [0, stray]), length=1)) == []


@pytest.mark.parametrize(
    ("tail", "shared", "broken"),
    [
        ("pad", [0, 1, 2, 0], False),
        ("pad", [0, 1, 2, 0, 1, 2], True),
        ("pad", [0, 1], True),
        ("drop", [0, 1], False),
        ("drop", [0], True),
        ("drop", [0, 1, 2, 0], True),
        ("keep", [0, 1], True),
    ],
)
def test_every_worker_may_pad_or_drop_what_a_rank_may(tail, shared, broken):
    found = judged(LAW, stream(([0, 1, 2], shared), contract=Contract(tail=tail), length=3))
    assert bool(found) is broken


@pytest.mark.parametrize(
    ("tail", "alone", "shared"),
    [("pad", [0, 1, 2, 0], [0, 2, 1, 1]), ("drop", [0, 1], [2, 1])],
)
def test_workers_may_pad_and_drop_other_samples_than_a_rank_alone(tail, alone, shared):
    assert judged(LAW, stream((alone, shared), contract=Contract(tail=tail), length=3)) == []


@pytest.mark.parametrize(
    ("tail", "shares", "broken"),
    [
        ("pad", ([0, 1, 2], [2, 3]), True),
        ("pad", ([0, 1], [2, 3]), False),
        ("drop", ([0], [2, 3]), True),
        ("drop", ([1, 0], [3, 2]), False),
    ],
)
def test_where_the_workers_of_all_ranks_divide_the_epoch_there_is_no_tail_to_excuse_one(tail, shares, broken):
    mine = [sample for share in shares for sample in share]
    found = judged(LAW, stream(([0, 1, 2, 3], mine), contract=Contract(tail=tail), length=4))
    assert bool(found) is broken


def test_of_a_subset_nobody_knows_whether_it_divides():
    subset = Contract(coverage="subset", tail="drop")
    assert judged(LAW, stream(([0, 1, 2], [0, 1]), contract=subset, length=4)) == []
    assert len(judged(LAW, stream(([0, 1, 2], [0]), contract=subset, length=4))) == 1


@pytest.mark.parametrize(
    ("tail", "shares", "broken"),
    [
        ("pad", ([0, 1, 2], [3]), True),
        ("pad", ([0, 1], [2, 3]), False),
        ("keep", ([0, 1, 2], [3]), False),
        ("keep", ([0, 1, 2, 3], []), True),
        ("keep", ([0, 1, 2, 3], [4]), True),
    ],
)
def test_ranks_that_are_even_alone_stay_even_with_workers(tail, shares, broken):
    length = sum(map(len, shares))
    alone = [list(range(rank, length, 2)) for rank in (0, 1)]
    trace = stream(
        *zip(alone, shares, strict=True), contract=Contract(tail=tail), length=length, world_size=2
    )
    found = judged(LAW, trace)
    assert [one.consequence for one in found] == ["would hang"] * broken
    if broken:
        assert (
            f"rank 0 yields {len(shares[0])} items with 2 workers (prefetch 1), rank 1 yields "
            in found[0].found
        )


@pytest.mark.parametrize(("more", "broken"), [(4, False), (5, True)])
def test_each_worker_may_keep_a_batch_more_where_a_batch_is_the_unit(more, broken):
    contract, length = Contract(tail="keep", tail_unit="batch"), 2 + more
    half = list(range(length // 2)), list(range(length // 2, length))
    shares = list(range(1 + more)), [1 + more]
    ranks = zip(half, shares, strict=True)
    assert bool(judged(LAW, stream(*ranks, length=length, batch_size=2, contract=contract))) is broken


def test_ranks_that_wait_for_none_may_be_uneven_with_workers():
    shares = ([0, 1], [0, 1, 2, 3]), ([2, 3], [])
    for even_steps, broken in ((True, True), (False, False)):
        contract = Contract(tail="keep", even_steps=even_steps)
        assert bool(judged(LAW, stream(*shares, length=4, contract=contract))) is broken


def test_ranks_that_are_uneven_without_workers_are_left_to_another_law():
    shares = (([0, 1, 2], [0, 1, 2]), ([3], [3]))
    assert judged(LAW, stream(*shares, contract=Contract(tail="pad"), length=4, world_size=2)) == []


def test_batches_of_any_size_are_counted_and_their_samples_are_not():
    contract = Contract(batches="variable", tail="pad")
    even = (([[0], [1]], [[0, 1], [2]]), ([[2], [3]], [[3], [3]]))
    assert judged(LAW, stream(*even, contract=contract, length=4, world_size=2, kind="batches")) == []


def test_one_worker_has_nobody_to_share_with():
    alone = a_rank([[0, 1]], (FRESH, [[0, 0, 1, 1]]), roles=("stream",))
    assert judged(LAW, loaded(alone, contract=KEEP, length=2)) == []
    both = a_rank([[0, 1]], (FRESH, [[0, 0, 1, 1]]), (TWO, [[1, 0]]), roles=("stream",))
    assert LAW.sees(loaded(both, contract=KEEP, length=2, workers=2))
    assert judged(LAW, loaded(both, contract=KEEP, length=2, workers=2)) == []


def test_a_way_in_which_some_workers_failed_tells_nothing_and_another_one_does():
    fails, doubles = ((TWO, ()), ((3, 1, False), [[0, 0, 1]])), ((TWO, [[1, 1]]), ((3, 1, False), [[2, 3]]))
    first, second = (
        a_rank([home], *ways, roles=("stream",)) for home, ways in (([0, 1], fails), ([2, 3], doubles))
    )
    (found,) = judged(LAW, loaded(first, second, contract=KEEP, length=4, workers=3))
    assert found.found == "the ranks yielded sample 0 twice with 3 workers, and without workers once"


def test_workers_that_failed_are_left_to_another_law():
    failed = a_rank([[0, 1]], (TWO, []), roles=("stream",), stopped={1: "RuntimeError: no"})
    trace = loaded(failed, contract=KEEP, length=2, workers=2)
    assert judged(LAW, trace) == []
    assert not LAW.sees(trace)


def test_one_way_of_all_ranks_with_several_workers_is_enough_to_have_seen_them():
    alone = a_rank([[0, 1]], (FRESH, [[0, 1]]), roles=("stream",))
    assert not LAW.sees(loaded(alone, contract=KEEP, length=2))
    shared = a_rank([[0, 1]], (FRESH, [[0, 1]]), (TWO, [[0, 1]]), roles=("stream",))
    assert LAW.sees(loaded(shared, contract=KEEP, length=2, workers=2))
    failed = a_rank([[0, 1]], (FRESH, [[0, 1]]), (TWO, []), roles=("stream",), stopped={2: "no"})
    both = loaded(shared, failed, contract=KEEP, length=2, workers=2, world_size=2)
    assert not LAW.sees(both)


@pytest.mark.parametrize(
    ("contract", "traits", "applies"),
    [
        (Contract(), {"stream"}, True),
        (Contract(), {"stream", "loader", "own_workers"}, True),
        (Contract(), {"stream", "loader"}, False),
        (Contract(), {"loader", "own_workers"}, False),
        (Contract(coverage="sampled"), {"stream"}, True),
        (Contract.endless(), {"stream"}, False),
    ],
)
def test_it_applies_to_finite_streams(contract, traits, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset(), traits=frozenset(traits))) is applies


DRAWN = Contract(coverage="sampled", order="shuffled")


def turns(*workers):
    """What a loader hands out of workers that it asks in turn."""
    return [sample for turn in zip(*workers, strict=True) for sample in turn]


def test_workers_that_draw_alike_double_every_draw():
    draws = [3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 9, 7]
    (found,) = judged(LAW, stream((draws, turns(draws, draws)), contract=DRAWN, length=40))
    drawn = "drew the same samples with 2 workers (prefetch 1), 3, 1, 4 ... (12 in all)"
    assert found.found == f"workers 0 and 1 of rank 0 {drawn}"
    assert found.chance < 1e-9


def test_workers_that_draw_apart_or_too_little_to_tell_hold():
    draws = [3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 9, 7]
    apart = turns(draws, draws[1:] + draws[:1])
    few = turns([0, 1, 0, 1, 2, 2] * 2, [0, 1, 0, 1, 2, 2] * 2)
    assert judged(LAW, stream((draws, apart), contract=DRAWN, length=40)) == []
    assert judged(LAW, stream((draws, few), contract=DRAWN, length=3)) == []


FIRST = [3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 9, 7]
SECOND = [2, 7, 18, 28, 1, 8, 28, 4, 5, 9, 0, 4]


def test_workers_of_two_ranks_that_draw_alike_double_every_draw():
    ranks = (FIRST, turns(FIRST, SECOND)), (SECOND, turns(SECOND[::-1], FIRST))
    (found,) = judged(LAW, stream(*ranks, contract=DRAWN, length=40))
    two = "worker 0 of rank 0 and worker 1 of rank 1 drew the same samples"
    assert found.found == f"{two} with 2 workers (prefetch 1), 3, 1, 4 ... (12 in all)"
    assert (found.rank, found.epoch) == (None, 0)
    assert found.chance == pytest.approx(12 * 11.0**-11)
    assert "the rank has to enter there" in found.hint


@pytest.mark.parametrize(
    ("contract", "second"),
    [
        (DRAWN, FIRST),  # ranks draw alike without workers as well, as SC103 says
        (DRAWN.but(sharding="none"), SECOND),
        (DRAWN.but(replicas=2), SECOND),
    ],
)
def test_workers_of_two_ranks_may_draw_alike_where_ranks_may(contract, second):
    ranks = [(alone, turns(FIRST, SECOND)) for alone in (FIRST, second)]
    assert judged(LAW, stream(*ranks, contract=contract, length=40)) == []


@pytest.mark.parametrize(("draws", "number"), [(3, 0), (4, 1)])
def test_what_all_of_a_worker_draws_may_fill_up_a_round(draws, number):
    kept = [turns(FIRST[at : at + draws], SECOND[at : at + draws]) for at in (0, 4)]
    rows = [a_rank([alone], ((2, 4, True), kept), roles=("stream",)) for alone in (FIRST, SECOND)]
    assert len(judged(LAW, loaded(*rows, contract=DRAWN, workers=2, length=40))) == number


def test_workers_that_draw_alike_in_few_draws_are_told_by_more_epochs():
    kept = [turns(one, one) for one in ([3, 1, 4], [5, 9, 2], [6, 5, 3])]
    rank = a_rank([[3, 1, 4]], (TWO, kept[:1]), ((2, 4, True), kept), roles=("stream",))
    (found,) = judged(LAW, loaded(rank, contract=DRAWN, workers=2, length=10))
    assert found.chance == pytest.approx(2 * 3.0**-9)
    apart = a_rank([[3, 1, 4]], ((2, 4, True), [*kept, turns([1, 2], [2, 1])]), roles=("stream",))
    assert judged(LAW, loaded(apart, contract=DRAWN, workers=2, length=10)) == []


def test_workers_that_draw_the_one_shard_there_is_hold():
    shard = [*range(12), *range(12)]
    assert judged(LAW, stream((shard, turns(shard, shard)), contract=DRAWN, length=12)) == []


PART = Contract(coverage="subset", frequencies="uniform", sharding="none")


@pytest.mark.parametrize(
    ("contract", "shared", "harm"),
    [
        (PART, [5, 0, 2, 7], "wrong step count"),
        (PART, [5, 0, 7], None),  # one more of two workers: each rounds by itself
        (PART, [7, 5], None),
        (PART.but(frequencies="weights"), [5, 0, 2, 7], None),  # of any size
        (PART.but(frequencies="fixed"), [5, 0, 2, 7], "wrong step count"),
        (PART.but(frequencies="weights", cycle=2), [5, 0, 2, 7], "wrong step count"),
    ],
)
def test_a_part_of_the_dataset_is_no_larger_with_workers(contract, shared, harm):
    found = judged(LAW, stream(([5, 7], shared), contract=contract, length=8))
    assert [one.consequence for one in found] == ([harm] if harm else [])
    for one in found:
        assert one.found == "rank 0 yielded 4 samples with 2 workers, and 2 without"
