"""What the kit hands to targets: the dataset, the features, the inner sampler."""

from __future__ import annotations

import pickle
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case, Contract
from samplercheck.targets.features import HUGE, MOST_LABELS, IdentityDataset, feature, parts_of
from samplercheck.targets.inners import InnerBatchSampler, InnerSampler, name_changes

FEATURES = ("lengths", "labels", "weights")


@pytest.mark.parametrize(
    ("length", "sizes"),
    [
        (0, [0]),
        (1, [1]),
        (4, [1, 3]),
        (5, [1, 2, 2]),
        (7, [5, 2]),
        (62, [20, 42]),
        (64, [7, 57]),
        (65, [16, 32, 17]),
    ],
)
def test_datasets_are_unlike_and_some_of_many_samples_very_much(length, sizes):
    parts = parts_of(Case(length=length, world_size=1))
    assert [len(part) for part in parts] == sizes
    assert [value for part in parts for value in part] == list(range(length))


# The dataset


@given(length=st.integers(0, 20), seed=st.integers(0, 5))
def test_the_dataset_holds_its_own_indices(length, seed):
    dataset = IdentityDataset(length, seed)
    assert len(dataset) == length
    assert [dataset[position] for position in range(length)] == list(dataset) == list(range(length))
    assert [dataset[-1 - position] for position in range(length)] == list(reversed(range(length)))


@pytest.mark.parametrize("position", [3, -4, 10**9])
def test_an_index_outside_the_dataset_is_an_index_error(position):
    with pytest.raises(IndexError, match=f"index {position} is out of range for a dataset of 3"):
        IdentityDataset(3)[position]


@pytest.mark.parametrize("name", FEATURES)
def test_the_dataset_carries_the_features_of_its_case(name):
    case = Case(length=7, seed=4)
    dataset = IdentityDataset(case.length, case.seed, case.features)
    assert getattr(dataset, name) == feature(case, name)
    assert len(getattr(dataset, name)) == 7


def test_the_dataset_pickles_without_what_it_has_made():
    given_features = (("labels", (1, 1, 0)),)
    dataset = IdentityDataset(3, 5, given_features)
    before = pickle.dumps(dataset)
    lengths = dataset.lengths
    again = pickle.loads(pickle.dumps(dataset))
    assert pickle.dumps(dataset) == before
    assert (len(again), again.lengths, again.labels) == (3, lengths, [1, 1, 0])


# Features


@given(length=st.integers(0, 60), seed=st.integers(0, 2**63 - 1))
def test_made_features_are_legal(length, seed):
    case = Case(length=length, seed=seed)
    lengths, labels, weights = (feature(case, name) for name in FEATURES)
    assert [len(values) for values in (lengths, labels, weights)] == [length] * 3
    assert all(isinstance(value, int) and 1 <= value < 2 * HUGE for value in lengths)
    assert all(isinstance(value, int) and 0 <= value < max(1, length // 4) for value in labels)
    assert all(isinstance(value, float) and value > 0 for value in weights)


def test_a_long_dataset_has_no_more_classes_than_datasets_have():
    labels = feature(Case(length=10_000), "labels")
    assert len(set(labels)) == MOST_LABELS


def test_now_and_then_a_length_is_above_a_usual_budget():
    lengths = feature(Case(length=200), "lengths")
    assert 0 < sum(one >= HUGE for one in lengths) < 60


def test_one_of_many_samples_is_the_longest_by_itself():
    many = [feature(Case(length=length, seed=1), "lengths") for length in range(60, 100)]
    assert sum(lengths.count(max(lengths)) == 1 for lengths in many) > 25


def test_features_depend_on_the_seed_and_the_length_and_on_nothing_else():
    case = Case(length=40, seed=1)
    for name in FEATURES:
        assert feature(case, name) == feature(case.but(world_size=3, shuffle=True, epochs=9), name)
        assert feature(case, name) != feature(case.but(seed=2), name)


def test_features_that_the_case_states_are_used():
    case = Case(length=2, features={"weights": [0, 2.5]})
    assert feature(case, "weights") == [0, 2.5]
    assert feature(case, "lengths") == feature(Case(length=2), "lengths")


# The inner sampler


@given(length=st.integers(0, 12), seed=st.integers(0, 3), epoch=st.integers(0, 3), shuffle=st.booleans())
def test_the_inner_sampler_yields_every_sample_once(length, seed, epoch, shuffle):
    inner = InnerSampler(length, shuffle=shuffle, seed=seed)
    inner.set_epoch(epoch)
    assert len(inner) == length
    assert sorted(inner) == list(range(length))
    assert list(inner) == list(inner) == inner.order_of(epoch)
    if not shuffle:
        assert list(inner) == list(range(length))


def test_the_inner_samplers_order_depends_on_seed_and_epoch():
    inner = InnerSampler(20, shuffle=True, seed=1)
    orders = {tuple(inner.order_of(epoch)) for epoch in range(5)}
    assert len(orders) == 5
    assert tuple(InnerSampler(20, shuffle=True, seed=2).order_of(0)) not in orders


@pytest.mark.parametrize(
    ("shuffle", "order", "shuffles"),
    [(True, "auto", True), (False, "auto", False), (False, "shuffled", True), (False, "sequential", False)],
)
def test_the_inner_sampler_shuffles_where_the_case_or_the_contract_does(shuffle, order, shuffles):
    inner = InnerSampler.of(Case(length=20, shuffle=shuffle), Contract(order=order))
    assert (list(inner) != list(range(20))) is shuffles


def test_an_inner_sampler_that_moves_on_is_in_the_next_epoch_once_a_pass_has_begun():
    contract = Contract(order="shuffled", epochs="advance")
    for inner in (InnerSampler.of(Case(length=9), contract), inner_batches(9, contract, batch_size=2)):
        iter(inner)  # torch opens some samplers twice
        passes = [list(inner) for _ in range(3)]
        assert inner.epoch == 3
        bare = InnerSampler.of(Case(length=9), contract)
        flat = [[i for step in one for i in (step if isinstance(step, list) else [step])] for one in passes]
        assert flat == [bare.order_of(epoch) for epoch in range(3)]


def test_asking_for_an_order_changes_nothing():
    inner = InnerSampler(5, shuffle=True, seed=1)
    inner.order_of(3)
    assert inner.epoch == 0
    assert list(inner) == inner.order_of(0)


def test_the_inner_samplers_settings_show_what_a_wrapper_changed():
    inner = InnerSampler.of(Case(length=3, shuffle=True, seed=2), Contract())
    before = inner.settings()
    inner.set_epoch(4)
    assert inner.settings() == before
    assert before == {"length": 3, "moves_on": False, "seed": 2, "shuffle": True}
    inner.mine = "x"  # type: ignore[attr-defined]
    inner.seed, inner.shuffle = 7, ["on"]  # type: ignore[assignment]
    del inner.length
    changed = ("length is gone", "shuffle is a list and was True", "seed is 7 and was 2", "mine is new")
    assert set(name_changes(before, inner.settings())) == set(changed)
    assert name_changes({"rng": [1]}, {"rng": [2]}) == ("rng is another list",)


# The inner batch sampler


def inner_batches(length, contract=None, **case):
    return InnerBatchSampler.of(Case(length=length, **case), contract or Contract())


@given(length=st.integers(0, 12), size=st.integers(1, 4), drop=st.booleans(), shuffle=st.booleans())
def test_the_inner_batch_sampler_cuts_the_order_of_the_sampler_inside(length, size, drop, shuffle):
    inner = inner_batches(length, batch_size=size, drop_last=drop, shuffle=shuffle)
    inner.set_epoch(2)
    batches = list(inner)
    assert len(inner) == len(batches)
    assert {len(batch) for batch in batches[:-1]} <= {size}
    assert inner.order_of(2) == inner.sampler.order_of(2)[: length - length % size if drop else length]
    assert [one for batch in batches for one in batch] == inner.order_of(inner.epoch)


def test_uneven_batches_have_no_batch_size():
    inner = inner_batches(12, Contract(batches="variable"), batch_size=2)
    assert inner.batch_size is None
    assert [len(batch) for batch in inner] == [3, 1, 2, 3, 1, 2]


def test_the_inner_batch_sampler_learns_its_epoch_by_either_way():
    inner = inner_batches(20, batch_size=4, shuffle=True)
    inner.sampler.set_epoch(3)
    assert list(inner) == inner.batches_of(3) != inner.batches_of(0)


def test_the_inner_batch_sampler_hands_out_the_lists_that_it_keeps_new_ones_in_each_pass():
    inner = inner_batches(4, batch_size=2)
    for _ in range(2):
        batches = list(inner)
        assert batches == [[0, 1], [2, 3]]
        assert inner.is_intact
        batches[0].append(9)
        assert not inner.is_intact


def test_the_inner_batch_samplers_settings_show_what_a_wrapper_changed():
    inner = inner_batches(3)
    before = inner.settings()
    list(inner)
    inner.set_epoch(4)
    assert inner.settings() == before
    inner.sampler.length = 2
    assert inner.settings() != before


def test_datasets_can_be_held_weakly_as_those_of_torch_can():
    dataset = IdentityDataset(3)
    assert weakref.ref(dataset)() is dataset
