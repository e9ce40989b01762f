"""Changes: each makes one thing different and leaves the rest as it was."""

from __future__ import annotations

import pickle
import random
from itertools import islice

import pytest
import torch

from samplercheck import Case, Contract
from samplercheck.explain import change, rebuilt
from samplercheck.targets.binding import Binding


class Counting:
    """Yields its range and remembers all that was done to it."""

    def __init__(self, length, rank=0, world_size=1, seed=0):
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch = 0
        self.done = []

    def set_epoch(self, epoch):
        self.epoch = epoch
        self.done.append(epoch)

    def __len__(self):
        self.done.append("len")
        return self.length

    def __iter__(self):
        self.done.append("iter")
        yield from range(self.rank, self.length, self.world_size)


def binding_of(factory=Counting):
    return Binding(factory, Contract(), {}, "counting")


def built(one, case=None, rank=0, factory=Counting, **turned):
    """What a change builds."""
    return one.binding(binding_of(factory)).build(case or Case(length=6), rank, turned)


def test_a_change_of_the_case_builds_as_before():
    binding = binding_of()
    assert change.whole_rounds.binding(binding) is binding


@pytest.mark.parametrize(
    ("one", "before", "after"),
    [
        (change.whole_rounds, {"length": 7, "world_size": 4}, {"length": 8}),
        (change.whole_batches, {"length": 7, "world_size": 2, "batch_size": 3}, {"length": 12}),
        (change.as_many_as_ranks, {"length": 1, "world_size": 4}, {"length": 4}),
        (change.not_divided, {"length": 8, "world_size": 4}, {"length": 9}),
        (change.two_samples, {"length": 1}, {"length": 2}),
        (change.seed_1, {"length": 3}, {"seed": 1}),
        (change.seed_0, {"length": 3, "seed": 5}, {"seed": 0}),
        (change.flip("shuffle"), {"length": 3}, {"shuffle": True}),
        (change.other_batch, {"length": 3}, {"batch_size": 2}),
        (
            change.lengths_1,
            {"length": 2, "features": {"lengths": [1, 16]}},
            {"features": {"lengths": [1, 1]}},
        ),
    ],
)
def test_a_changed_case_differs_in_one_thing(one, before, after):
    case = Case(**before)
    assert one.case(case) == case.but(**after)


def test_a_longer_case_keeps_its_features():
    case = Case(length=3, world_size=2, features={"labels": [0, 1, 2]})
    assert change.whole_rounds.case(case) == Case(length=4, world_size=2, features={"labels": [0, 1, 2, 0]})


@pytest.mark.parametrize(
    ("one", "case"),
    [
        (change.whole_rounds, Case(length=8, world_size=4)),
        (change.whole_batches, Case(length=12, world_size=2, batch_size=3)),
        (change.not_divided, Case(length=9, world_size=4)),
        (change.as_many_as_ranks, Case(length=5, world_size=4)),
        (change.two_samples, Case(length=2)),
        (change.seed_0, Case(length=2)),
        (change.seed_1, Case(length=2, seed=3)),
        (change.lengths_1, Case(length=2, features={"lengths": [1, 1]})),
        (change.whole_labels, Case(length=2, features={"labels": [0, 1]})),
    ],
)
def test_a_case_that_is_so_already_stays_itself(one, case):
    assert one.case(case) == case
    assert one.is_made_in(case)


@pytest.mark.parametrize(
    ("one", "case"),
    [
        (change.as_many_as_ranks, Case(length=0, world_size=4)),
        (change.not_divided, Case(length=8)),
        (change.two_samples, Case(length=0)),
        (change.weights_alike, Case(length=0)),
    ],
)
def test_where_a_change_makes_no_sense_there_is_none(one, case):
    assert one.case(case) is None
    assert not one.is_made_in(case)


def test_how_objects_are_built_is_never_so_already():
    assert not rebuilt.fresh.is_made_in(Case(length=2))


def test_a_fresh_object_serves_every_pass_in_its_epoch():
    made = []

    def factory(length):
        made.append(Counting(length))
        return made[-1]

    one = built(rebuilt.fresh, factory=factory)
    one.set_epoch(3)
    assert list(iter(one)) == list(iter(one)) == list(range(6))
    assert [own.done for own in made[1:]] == [[3, "iter"], [3, "iter"]]


def test_len_is_asked_of_another_object():
    one = built(rebuilt.len_elsewhere)
    assert len(one) == 6
    assert one.behind.done == []


def test_set_epoch_is_called_again_or_never():
    again, never = built(rebuilt.set_again), built(rebuilt.never_set)
    for one in (again, never):
        one.set_epoch(2)
        assert list(iter(one)) == list(range(6))
    assert again.behind.done == [2, 2, "iter"]
    assert never.behind.done == ["iter"]


def test_an_object_without_set_epoch_does_not_get_one():
    assert not hasattr(built(rebuilt.set_again, factory=lambda length: range(length)), "set_epoch")  # noqa: PLW0108  (range has no signature)
    assert hasattr(built(rebuilt.set_again), "set_epoch")


def test_a_pass_is_run_to_its_end_before_the_first_item():
    one = built(rebuilt.taken_whole)
    first, second = iter(one), iter(one)
    assert (next(first), next(second)) == (0, 0)
    assert one.behind.done == ["iter", "iter"]


def test_passes_meet_the_same_random_state_and_leave_it_alone():
    one = built(rebuilt.seeded_alike, factory=lambda length: Drawing())
    other = built(rebuilt.seeded_alike, rank=1, factory=lambda length: Drawing())
    before = random.getstate(), torch.get_rng_state().tolist()
    assert list(one) == list(one) == list(other)
    assert (random.getstate(), torch.get_rng_state().tolist()) == before


@pytest.mark.parametrize("change", [rebuilt.seeded_alike, rebuilt.generator_guarded("random")])
def test_an_endless_pass_is_taken_in_parts_that_go_on_with_what_the_generators_gave(change):
    one = iter(built(change, factory=lambda length: Endless()))
    before = random.getstate()
    first = list(islice(one, 10_000))
    assert random.getstate() == before
    assert len(set(first)) == 10_000
    assert Endless.taken < 20_000


class Endless:
    """Draws without an end, and counts how often."""

    taken = 0

    def __init__(self):
        Endless.taken = 0

    def __iter__(self):
        while True:
            Endless.taken += 1
            yield random.random()


class Drawing:
    """Yields what the process's generators draw."""

    def __iter__(self):
        yield random.random()
        yield float(torch.rand(1))


def test_only_the_guarded_generator_is_put_back():
    one = built(rebuilt.generator_guarded("random"), factory=lambda length: Drawing())
    before = random.getstate(), torch.get_rng_state().tolist()
    list(one)
    assert random.getstate() == before[0]
    assert torch.get_rng_state().tolist() != before[1]


class SeededByItsRank:
    """Yields numbers drawn from seeds that the rank takes part in, when built, in set_epoch and in passes."""

    def __init__(self, length, rank, world_size):
        self.rank, self.drawn = rank, [random.Random(f"{rank}").random()]

    def set_epoch(self, epoch):
        self.epoch, self.drawn = epoch, [*self.drawn, random.Random(f"{epoch}-{self.rank}").random()]

    def __iter__(self):
        yield from (*self.drawn, random.Random(f"{self.epoch}/{self.rank}").random(), self.rank)


def test_every_rank_is_seeded_as_the_first():
    case = Case(length=6, world_size=3)
    shares = []
    for rank in range(3):
        one = built(rebuilt.seeded_as_first, case, rank, factory=SeededByItsRank)
        one.set_epoch(2)
        shares.append(list(one))
    assert [share[-1] for share in shares] == [0, 1, 2]
    assert len({tuple(share[:-1]) for share in shares}) == 1


def test_the_epoch_is_added_to_the_seed():
    one = built(rebuilt.epoch_in_seed, Case(length=6, seed=5))
    one.set_epoch(2)
    assert one.behind.seed == 7


def test_every_index_is_mapped_in_samples_and_in_batches():
    case = Case(length=4)
    assert list(built(rebuilt.mirrored, case, factory=lambda length: [0, 3])) == [3, 0]
    assert list(built(rebuilt.counted_from_0, case, factory=lambda length: [[1, 2], [4]])) == [[0, 1], [3]]


def test_a_dataset_shuffled_in_each_epoch_keeps_its_samples_and_changes_its_order():
    one = built(rebuilt.reshuffled, Case(length=12), factory=Counting)
    orders = []
    for epoch in range(3):
        one.set_epoch(epoch)
        orders.append(tuple(one))
    assert {tuple(sorted(order)) for order in orders} == {tuple(range(12))}
    assert len(set(orders)) == 3


def test_a_copy_through_pickle_is_told_its_epoch():
    one = built(rebuilt.epoch_kept)
    one.set_epoch(4)
    assert pickle.loads(pickle.dumps(one)).done == [4, 4]


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match="rank=-1 cannot be"):
        rebuilt.all_refused.binding(binding_of()).build(Case(length=6), 0, {"rank": -1})
    assert built(rebuilt.all_refused).length == 6
