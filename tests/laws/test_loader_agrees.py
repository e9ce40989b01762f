"""SC801: what comes through a DataLoader does not depend on its workers."""

from __future__ import annotations

import pytest

from samplercheck import Case, Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.loader_agrees import LAW
from tests.support.loaded import FRESH, KEPT, TWO, a_rank, loaded
from tests.support.traces import a_record, judged

EPOCHS = [[[0, 1], [2]], [[2, 1], [0]]]
SHARED = Contract(ambient_rng="shared")


def test_the_same_passes_in_every_way_hold():
    assert judged(LAW, loaded(a_rank(EPOCHS, (FRESH, EPOCHS[:1]), (KEPT, EPOCHS)), length=3)) == []


def test_another_batch_is_named_by_epoch_and_step():
    other = [EPOCHS[0], [[2, 1], [1]]]
    (found,) = judged(LAW, loaded(a_rank(EPOCHS, (FRESH, EPOCHS[:1]), (KEPT, other)), length=3))
    assert (found.rank, found.epoch, found.step, found.indices) == (0, 1, 1, (1,))
    assert found.found == (
        "rank 0 yields 1 at step 1 of epoch 1 with 1 worker (persistent, prefetch 2), "
        "and 0 without workers"
    )
    assert found.event == "in a DataLoader with persistent workers"


def test_in_their_first_epoch_workers_that_are_kept_are_like_others():
    (found,) = judged(LAW, loaded(a_rank(EPOCHS, (KEPT, [EPOCHS[1], EPOCHS[1]])), length=3))
    assert (found.epoch, found.event) == (0, "")


def test_a_walk_without_an_end_is_opened_once():
    other = [EPOCHS[0], [[1, 0], [2]]]
    ranks = a_rank(EPOCHS, (FRESH, EPOCHS[:1]), (KEPT, other))
    walk = Contract.endless(after_break="rest")
    assert judged(LAW, loaded(ranks, length=3, contract=walk)) == []
    assert judged(LAW, loaded(ranks, length=3, contract=Contract.endless()))
    first = a_rank(EPOCHS, (FRESH, [other[1]]))
    assert judged(LAW, loaded(first, length=3, contract=walk))


def test_where_to_look_depends_on_who_counts():
    told = {("stream",): "every worker has a copy", ("loader",): "its own copy", (): "calls iter() twice"}
    for roles, words in told.items():
        (found,) = judged(LAW, loaded(a_rank(EPOCHS, (FRESH, EPOCHS[1:]), roles=roles), length=3))
        assert words in found.hint
        assert not found.event


def test_of_workers_that_nobody_saw_no_more_is_told_than_their_number():
    (found,) = judged(LAW, loaded(a_rank(EPOCHS, ((1, None, False), EPOCHS[1:])), length=3))
    assert "of epoch 0 with 1 worker, and 0, 1 without workers" in found.found


def test_a_list_that_is_filled_again_loses_data():
    late = a_rank(EPOCHS[:1], (FRESH, [[[2], [2]]]), roles=(), ahead=True)
    (found,) = judged(LAW, loaded(late, length=3))
    assert found.found.startswith("rank 0 yields 2 at step 0 of epoch 0 with 1 worker (prefetch 2), and 0")
    assert found.consequence == "loses data"
    assert "a new list each time" in found.hint


def test_a_spawned_worker_is_compared_with_the_epoch_that_it_was_in():
    def spawned(one):
        rank = a_rank(EPOCHS, (FRESH, EPOCHS[:1]), (FRESH, [one]))
        rank.passes[-1].epoch = 1
        rank.notes["spawned"] = (2,)
        return judged(LAW, loaded(rank, length=3))

    assert spawned(EPOCHS[1]) == []
    (found,) = spawned(EPOCHS[0])
    assert "at step 0 of epoch 1 with 1 worker (spawned, prefetch 2), and 2, 1 without" in found.found


@pytest.mark.parametrize(
    ("passes", "said"),
    [([[[0, 1]]], "nothing more"), ([[[0, 1], []]], "an empty batch"), ([[[0], [1, 2]]], "0 at step 0")],
)
def test_what_is_missing_or_cut_elsewhere_is_broken(passes, said):
    (found,) = judged(LAW, loaded(a_rank(EPOCHS, (FRESH, passes)), length=3))
    assert said in found.found


def test_kept_workers_that_repeat_their_first_epoch_are_left_to_another_law():
    frozen = a_rank(EPOCHS, (KEPT, [EPOCHS[0], EPOCHS[0]]))
    assert judged(LAW, loaded(frozen, length=3)) == []
    assert judged(LAW, loaded(frozen, length=3, contract=Contract(epochs="advance")))


def test_every_rank_is_judged():
    fine, off = a_rank(EPOCHS, (FRESH, EPOCHS[:1])), a_rank(EPOCHS, (FRESH, EPOCHS[1:]))
    assert [one.rank for one in judged(LAW, loaded(fine, off, length=3))] == [1]


def test_a_place_that_workers_lose_is_said_to_be_one_of_a_resumed_run():
    resumed = a_rank([[1, 2]], (FRESH, [[0, 1, 2]]), goes_on=True)
    (found,) = judged(LAW, loaded(resumed, length=3, stop=1))
    assert found.found == (
        "resumed after 1 step, rank 0 yields 0 at step 0 of epoch 0 with 1 worker (prefetch 2), "
        "and 1 without workers"
    )
    assert found.evidence.kind == "resumed"
    assert found.event == "in a DataLoader with workers, after a resume"
    assert found.consequence == "repeats data"
    assert found.fault == "does not resume where it stopped, with workers"
    begun_again = a_rank([[1, 2]], (FRESH, [[1, 2, 0, 1, 2]]), goes_on=True)
    (found,) = judged(LAW, loaded(begun_again, length=3, stop=1))
    assert (found.event, found.consequence, found.fault) == ("", "", "")


@pytest.mark.parametrize(("traits", "applies"), [({"resumes"}, True), ({"resumes", "loader"}, False)])
def test_it_applies_to_samplers_that_are_resumed(traits, applies):
    for contract in (Contract(), Contract(epochs="fixed", ambient_rng="shared")):
        scope = Scope(contract=contract, named=frozenset(), traits=frozenset(traits))
        assert LAW.applies(scope) is applies
    walk = Scope(contract=Contract.endless(), named=frozenset(), traits=frozenset(traits))
    assert not LAW.applies(walk)


def test_what_fails_with_workers_alone_is_broken():
    stopped = a_rank(EPOCHS, (FRESH, []), (KEPT, EPOCHS), stopped={1: "PicklingError: no"})
    (found,) = judged(LAW, loaded(stopped, length=3))
    assert found.found == "rank 0 ends without workers, but with 1 worker (prefetch 2): PicklingError: no"
    assert found.consequence == "crashes"


def test_workers_that_take_too_long_would_hang():
    (found,) = judged(LAW, loaded(a_rank(EPOCHS, (FRESH, []), stopped={1: "next took too long"}), length=3))
    assert found.consequence == "would hang"


def test_a_worker_without_a_sample_may_go_round_for_ever():
    for length, words in ((1, "a worker whose part of the data is empty"), (2, "collate functions")):
        rank = a_rank([[0, 0]], (TWO, []), roles=("stream",), stopped={1: "next took too long"})
        (found,) = judged(LAW, loaded(rank, length=length, workers=2, contract=Contract.endless()))
        assert found.found.startswith("rank 0 goes on without workers, but with 2 workers")
        assert words in found.hint


def test_the_order_of_two_workers_of_a_stream_is_their_own():
    stream, loader = [
        a_rank([[0, 1, 2]], (TWO, [[0, 2, 1]]), roles=roles) for roles in (("stream",), ("loader",))
    ]
    assert judged(LAW, loaded(stream, length=3, workers=2)) == []
    assert judged(LAW, loaded(loader, length=3, workers=2))


def test_the_order_of_one_worker_of_a_stream_is_the_streams():
    assert judged(LAW, loaded(a_rank([[0, 1, 2]], (FRESH, [[0, 2, 1]]), roles=("stream",)), length=3))


def test_under_a_shared_generator_only_the_first_epoch_is_compared():
    later = a_rank(EPOCHS, (KEPT, [EPOCHS[0], EPOCHS[0]]))
    assert judged(LAW, loaded(later, length=3, contract=SHARED)) == []
    assert judged(LAW, loaded(a_rank(EPOCHS, (KEPT, EPOCHS[1:])), length=3, contract=SHARED))


def test_nothing_is_seen_without_workers_or_samples():
    assert not LAW.sees(loaded(a_record(roles=("loader",)), length=3))
    assert not LAW.sees(loaded(a_rank([[], []], (FRESH, [[]])), length=0))


def test_it_wants_cases_with_workers():
    assert LAW.wants(Case(length=1, workers=1))
    assert not LAW.wants(Case(length=1))


@pytest.mark.parametrize(
    ("contract", "traits", "applies"),
    [
        (Contract(), {"loader"}, False),
        (Contract(), {"loader", "own_workers"}, True),
        (Contract(), {"stream"}, True),
        (Contract(), set(), False),
        (Contract(epochs="advance"), set(), True),
        (Contract(epochs="advance", ambient_rng="shared"), set(), False),
        (Contract(epochs="fixed"), set(), False),
    ],
)
def test_it_applies_to_loaders_and_to_samplers_that_count_their_passes(contract, traits, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset(), traits=frozenset(traits))) is applies


@pytest.mark.parametrize(("contract", "applies"), [(Contract(), True), (Contract.endless(), False)])
def test_it_applies_to_batch_samplers_that_end(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset(), kind="batches")) is applies


def test_it_applies_to_loaders_that_name_their_number_of_workers():
    named = frozenset({"num_workers"})
    assert LAW.applies(Scope(contract=Contract(), named=named, traits=frozenset({"loader"})))


SHORT = [[[0, 1, 2], [3, 4, 5]]]
USUAL = [[[0, 1, 2, 3], [4, 5]]]


def cut(passes, home=USUAL, named=("batch_size",), **contract):
    stream = a_rank(home, (TWO, passes), roles=("loader", "stream"))
    settings = {"contract": Contract(**contract), "named": named, "length": 6, "batch_size": 4}
    return judged(LAW, loaded(stream, workers=2, **settings))


def test_of_a_stream_each_worker_may_not_end_with_a_short_batch():
    (found,) = cut(SHORT)
    assert found.found == (
        "rank 0 yields 2 batches of fewer than 4 samples in epoch 0 with 2 workers (prefetch 1), "
        "and 1 without workers"
    )
    assert (found.step, found.consequence, found.grade) == (0, "uneven batches", "strict")
    (found,) = cut(SHORT, named=("batch_size", "num_workers"))
    assert found.grade == "harm"


def test_no_more_short_batches_than_without_workers_hold_in_any_order():
    assert cut([[[4, 5], [0, 1, 2, 3]]]) == []
    assert cut([[[0, 1, 2], [3], [4, 5]]], home=[[[0, 1, 2], [3], [4, 5]]]) == []
    assert cut([[[0, 1, 2]]], home=[[[0, 1, 2, 3]]]) == []


def test_short_batches_are_right_where_batches_vary_and_wrong_where_none_may_be_short():
    assert cut(SHORT, batches="variable") == []
    (found,) = cut([[[0, 1, 2]]], home=[[[0, 1, 2, 3]]], tail="pad", tail_unit="batch")
    assert "1 batch of fewer" in found.found


def test_of_passes_that_are_counted_in_workers_each_is_the_first():
    again = a_rank(EPOCHS, (FRESH, EPOCHS[:1] * 2), roles=("stream",))
    (found,) = judged(LAW, loaded(again, length=3))
    assert (found.epoch, found.step) == (1, 0)
    assert "count in their copies" in found.hint


MANY = list(range(32))


@pytest.mark.parametrize(
    ("roles", "first", "later", "holds"),
    [
        (("stream",), MANY[::-1], MANY[1:] + MANY[:1], True),  # workers have a seed that the loader draws
        (("stream",), MANY[1:] + MANY[:1], MANY[1:] + MANY[:1], False),  # each pass is the first
        (("stream",), MANY[1:] + MANY[1:2], MANY, False),  # a sample is lost
        (("loader",), MANY[::-1], MANY, False),
    ],
)
def test_a_stream_of_one_process_may_have_an_order_of_its_own_in_workers(roles, first, later, holds):
    contract = Contract.single_process(order="shuffled", epochs="advance")
    rank = a_rank([MANY, MANY[::-1]], (FRESH, [first, later]), roles=roles)
    assert (judged(LAW, loaded(rank, length=32, contract=contract)) == []) is holds


def test_what_one_worker_yields_in_another_order_whenever_it_starts_is_not_reproducible():
    home = [[2, 1, 0], [2, 0, 1]]

    def found(one, other):
        rank = a_rank(home, (FRESH, [one]), (KEPT, [other, home[1]]), roles=("stream",))
        return judged(LAW, loaded(rank, length=3))[0]

    unlike = found([0, 2, 1], [1, 0, 2])
    assert unlike.consequence == "not reproducible"
    assert unlike.fault == "every start of workers has another order"
    assert unlike.hint.startswith("what seeds the order in a worker: get_worker_info().seed")
    assert "every worker has a copy" in found([0, 2, 1], [0, 2, 1]).hint
