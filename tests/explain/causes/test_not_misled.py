"""Samplers whose faults look like others': what must not be told of them, and of some what must.

A sentence about an argument, or about every tail, is refuted by any case that speaks against it, those that
keep the law included.
"""

from __future__ import annotations

import random
from itertools import product, repeat

import pytest

from samplercheck import Case, Contract, Outcome
from samplercheck.engine._inquiry import CaseJudge
from samplercheck.explain.cause import find_cause
from samplercheck.explain.causes import SHARES
from samplercheck.explain.seen import Seen
from samplercheck.laws import ALL_LAWS
from samplercheck.targets.target import as_target
from samplercheck.values.finding import Evidence
from samplercheck.worlds import open_world
from tests.zoo._sound import Strided, evened

LAWS = {law.code: law for law in ALL_LAWS}
FLAGS = {"world_size": (1, 2, 3), "shuffle": (False, True), "drop_last": (False, True)}
SEEDS = {"world_size": (1, 2, 3), "shuffle": (False, True), "seed": (0, 1)}
WORLDS = {"world_size": (1, 2, 3, 4, 5)}


class Sampler(Strided):
    """The sound one, with all that is asked for passed on."""

    def __init__(self, length, rank, world_size, shuffle=False, seed=0, drop_last=False):
        seed = self.drawn(seed)
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)

    def drawn(self, seed):
        return seed


class ShortAlone(Sampler):
    """Has a fast path for one process, which loses a sample."""

    def share(self):
        return super().share()[: -1 if self.world_size == 1 else None]


class TwiceIfSingle(Sampler):
    """Yields a single sample twice on every rank."""

    def share(self):
        return super().share() * (2 if self.length == 1 else 1)


class EndlessIfShort(Sampler):
    """Never ends where some rank has no sample."""

    def __iter__(self):
        return repeat(0) if 0 < self.length < self.world_size else super().__iter__()


class EndsEarly(Sampler):
    """Forgets the last of each share."""

    def share(self):
        return super().share()[:-1]


class ShortOfThree(Sampler):
    """Loses a sample of three, and of no other number."""

    def share(self):
        return super().share()[: -1 if self.length == 3 else None]


class ShortOfOneMoreThanTwoEach(Sampler):
    """Loses a sample on the first rank where each has two and one is left over."""

    def share(self):
        is_odd_one = self.world_size > 1 and self.length == 2 * self.world_size + 1 and self.rank == 0
        return super().share()[: -1 if is_odd_one else None]


class WholeFours(Sampler):
    """Loses what four does not divide, before anything is padded."""

    def order(self):
        return super().order()[: self.length // 4 * 4]


class MiddleTwice(Sampler):
    """Repeats the middle of an even number of samples."""

    def order(self):
        order, middle = super().order(), self.length // 2
        return order if self.length % 2 or not order else [*order[: middle + 1], *order[middle:]]


class NeverPads(Sampler):
    """Keeps the tail as it is; its length is rounded up."""

    def even(self, ids):
        return super().even(ids) if self.drop_last else ids

    def __len__(self):
        return len(evened(self.order(), self.world_size, drop=self.drop_last)) // self.world_size


class OfTheSystem(Sampler):
    """Seeded by the operating system when it is built."""

    def drawn(self, seed):
        return random.SystemRandom().randrange(2**31)


class FromOneIfSingle(Sampler):
    """Numbers a single sample from 1."""

    def share(self):
        return [1] if self.length == 1 else super().share()


class FromOne(Sampler):
    """Numbers half of the samples from 1."""

    def share(self):
        order = super().order()
        return [sample + 1 for sample in order[: (self.length + 1) // 2]]


class Counted(Sampler):
    """Seeded by how many were built before it."""

    built = 0

    def drawn(self, seed):
        Counted.built += 1
        return seed + Counted.built


class FirstOrderKept(Sampler):
    """Keeps the order of its first pass; the epoch is part of its seed."""

    kept: list[int] | None = None

    def order(self):
        self.kept = self.kept or super().order()
        return self.kept


class EpochForgotten(Sampler):
    """Has the same order in every epoch."""

    def set_epoch(self, epoch):
        pass


class GeneratorShared(Sampler):
    """Draws as it goes from a generator on the object, seeded when a pass is opened."""

    def __iter__(self):
        self.generator = random.Random(f"{self.seed}/{self.epoch}")
        for sample in self.share():
            yield (sample + self.generator.randrange(self.length)) % self.length


class Batches(Sampler):
    """Batches of the sound share."""

    def __init__(self, length, rank, world_size, batch_size, shuffle=False, seed=0):
        super().__init__(length, rank, world_size, shuffle, seed)
        self.batch_size = batch_size

    def cut(self, share):
        return [share[start : start + self.batch_size] for start in range(0, len(share), self.batch_size)]

    def __iter__(self):
        return iter(self.cut(self.share()))


class EvenOneByOne(Batches):
    """Cuts a share of an even number of samples one by one, whatever the batch size."""

    def cut(self, share):
        return super().cut(share) if len(share) % 2 else [[index] for index in share]


class ShuffledInside(Batches):
    """Shuffles within its batches alone."""

    def order(self):
        return list(range(self.length))

    def cut(self, share):
        batches = super().cut(share)
        for batch in batches if self.shuffle else ():
            random.Random(f"{self.seed}/{self.epoch}/{batch}").shuffle(batch)
        return batches


def told_of(factory, code, axes, *, ignored="", lengths=range(8), beside=(), contract=None):
    """The sentence that is told of a law, by all cases of a small scope, ``beside`` other broken laws."""
    binding = as_target(factory, contract).bind()
    named = {name: values for name, values in axes.items() if name in binding.named}
    grid = [dict(zip(named, values, strict=True)) for values in product(*named.values())]
    small = [Case(length=length, **settings) for length in lengths for settings in grid]
    with open_world("simulated") as world:
        case_judge = CaseJudge(world, "batches" if "batch_size" in named else "samples")
        failing = [case for case in small if case_judge.outcome(LAWS[code], binding, case) is Outcome.BROKEN]
        assert failing
        evidence = Evidence(kind="ignored", argument=ignored) if ignored else Evidence()
        seen = Seen(failing=failing, broken={code, *beside}, small=small, evidence=evidence)
        told = find_cause(LAWS[code], binding, seen, case_judge)
    return told.cause.sentence if told else ""


@pytest.mark.parametrize(
    ("factory", "codes", "axes"),
    [
        (ShortAlone, ("SC102", "SC105"), FLAGS),
        (TwiceIfSingle, ("SC103", "SC105"), FLAGS),
        (ShortOfThree, ("SC102", "SC105"), WORLDS),
        (WholeFours, ("SC102", "SC103", "SC105"), WORLDS),
        (MiddleTwice, ("SC103", "SC105"), FLAGS),
        (OfTheSystem, ("SC102", "SC103"), SEEDS),
        (Counted, ("SC102", "SC103"), SEEDS),
    ],
)
def test_nothing_is_told_where_none_of_the_known_causes_is_right(factory, codes, axes):
    told = {code: told_of(factory, code, axes, lengths=range(13 if axes is WORLDS else 7)) for code in codes}
    assert told == dict.fromkeys(codes, "")


def test_of_shares_that_are_short_in_few_cases_no_more_is_told_than_that_they_are_wrong():
    codes = "SC102", "SC104", "SC105"
    told = {told_of(ShortOfOneMoreThanTwoEach, code, WORLDS, lengths=range(13)) for code in codes}
    assert told == {SHARES[0].sentence}


@pytest.mark.parametrize(
    ("factory", "ignored"),
    [
        (EndsEarly, "drop_last"),
        (MiddleTwice, "drop_last"),
        (EvenOneByOne, "batch_size"),
        (ShuffledInside, "shuffle"),
    ],
)
def test_an_argument_that_is_obeyed_in_some_case_is_asked_for(factory, ignored):
    axes = {**FLAGS, "batch_size": (1, 2)}
    assert told_of(factory, "SC309", axes, ignored=ignored, lengths=range(7)) == ""


def test_samples_that_are_shuffled_inside_of_batches_are_shuffled():
    axes = {"world_size": (1, 2), "batch_size": (1, 2), "shuffle": (True,)}
    assert {told_of(ShuffledInside, code, axes, lengths=range(6)) for code in ("SC301", "SC303")} == {""}


def test_a_cause_of_another_argument_than_the_one_that_was_found_is_not_told():
    def obeys_nothing(length, rank, world_size, shuffle=False, drop_last=False):
        return Strided(length, rank, world_size)

    shuffle, drop_last = (
        told_of(obeys_nothing, "SC309", FLAGS, ignored=name, lengths=range(6))
        for name in ("shuffle", "drop_last")
    )
    assert shuffle == "The sampler ignores shuffle: with and without it the order is the same."
    assert drop_last == "The sampler ignores drop_last: with and without it the samples are the same."


def test_what_differs_from_object_to_object_is_not_said_to_be_counted():
    told = {told_of(factory, "SC402", SEEDS, lengths=range(5)) for factory in (OfTheSystem, Counted)}
    sentence = "Two objects built with the same arguments differ: something besides the arguments decides."
    assert told == {sentence}


def test_that_indices_start_at_1_is_said_only_where_no_case_speaks_against_it():
    axes = {"seed": tuple(range(12))}
    assert told_of(FromOneIfSingle, "SC101", axes, lengths=range(5)) == ""
    half = Contract(sharding="none", coverage="subset")
    assert told_of(FromOne, "SC101", axes, lengths=range(5), contract=half) == "Indices start at 1."


def test_an_order_that_is_kept_has_its_epoch_in_the_seed():
    told = told_of(FirstOrderKept, "SC301", {"world_size": (1, 2), "shuffle": (True,)})
    assert told.startswith("What it yields depends on what the object did before")


@pytest.mark.parametrize("factory", [EpochForgotten, FirstOrderKept])
def test_what_an_order_without_epochs_drops_is_not_chosen_before_the_shuffle(factory):
    axes = {"world_size": (2, 3), "shuffle": (True,), "drop_last": (True,)}
    assert not told_of(factory, "SC106", axes).startswith("What is dropped is chosen before the shuffle")


class LastOfEachBucket:
    """Shuffles two buckets and drops what fills none of their batches; the longest sample is one alone."""

    def __init__(self, lengths, batch_size, shuffle=True, drop_last=False):
        longest = max(lengths, default=0)
        groups = [[at for at, one in enumerate(lengths) if (one == longest) == is_long] for is_long in (0, 1)]
        self.groups, self.batch_size, self.shuffle, self.drop_last = groups, batch_size, shuffle, drop_last
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rng, size = random.Random(self.epoch), self.batch_size
        batches = [
            one[at : at + size]
            for group in self.groups
            for one in [rng.sample(group, len(group)) if self.shuffle else group]
            for at in range(0, len(one), size)
        ]
        return iter([one for one in batches if len(one) == size or not self.drop_last])


def test_a_bucket_that_fills_no_batch_is_not_dropped_before_the_shuffle():
    axes = {"batch_size": (2,), "shuffle": (True,), "drop_last": (True,)}
    assert "before the shuffle" not in told_of(LastOfEachBucket, "SC106", axes, lengths=range(3, 30, 2))


class ShortInTheMiddle(Batches):
    """All ranks but the first put the short batch into the middle of the others."""

    def cut(self, share):
        batches = super().cut(share)
        if self.rank and len(batches) > 2 and len(batches[-1]) < self.batch_size:
            batches.insert(len(batches) // 2, batches.pop())
        return batches


def test_a_short_batch_in_the_middle_is_no_batch_size_of_all_ranks():
    axes = {"world_size": (1, 2), "batch_size": (1, 2)}
    assert told_of(ShortInTheMiddle, "SC603", axes, lengths=range(15), beside=("SC601",)) == ""


class ShuffledOnEachRank:
    """Each rank shuffles the batches by a draw of its own, and now and then a short one meets a full one."""

    def __init__(self, length, rank, world_size, batch_size, shuffle=True):
        self.starts, self.shuffle = range(0, length, batch_size), shuffle
        self.length, self.size, self.place = length, batch_size, slice(rank, None, world_size)

    def __iter__(self):
        batches = [[*range(at, min(at + self.size, self.length))] for at in self.starts]
        if self.shuffle:
            random.shuffle(batches)
        return iter(batches[self.place])


def test_what_a_new_draw_makes_hold_is_not_told_to_be_the_cause():
    axes = {"world_size": (1, 2, 3, 4), "batch_size": (1, 2, 3), "shuffle": (False, True)}
    contract = Contract(tail="keep", tail_unit="batch")
    told = told_of(ShuffledOnEachRank, "SC603", axes, lengths=range(13), beside=("SC402",), contract=contract)
    assert told == ""


def test_open_passes_that_share_a_generator_do_not_share_a_position():
    told = told_of(GeneratorShared, "SC502", {"world_size": (1, 2)})
    assert told.endswith("share state on the object: a position or a generator.")


def test_a_length_is_not_wrong_where_the_passes_are():
    told = told_of(NeverPads, "SC201", WORLDS)
    assert told.startswith("len() and __iter__ round differently: they can disagree where")


def test_a_single_sample_is_no_cause_where_ranks_are_more_than_samples():
    axes = {"world_size": (1, 2), "seed": (0, 1, 2, 3)}
    told = told_of(EndlessIfShort, "SC002", axes, lengths=range(4))
    assert told == "The code does not handle so few samples for so many ranks."
