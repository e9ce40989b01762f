"""Where laws fail: which larger cases are run again to find it, none that are dear, and what luck hides."""

from __future__ import annotations

import math
import random
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine._inquiry import CaseJudge, Inquiry
from samplercheck.engine._luck import failed_by_luck
from samplercheck.engine._probe import probe
from samplercheck.engine._regions import cases_beyond
from samplercheck.engine._search import Search
from samplercheck.explain.words import LUCK
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds import open_world
from tests.zoo._sound import Strided, cut_by_budget

COMPLETE = next(law for law in ALL_LAWS if law.code == "SC102")
FIRST_THAT_FAILS = Case(length=2**16 + 1)


class SixteenBits(Strided):
    """Indices are kept in 16 bits."""

    def order(self) -> Any:
        return [i & 0xFFFF for i in super().order()]


@pytest.mark.parametrize(("times", "is_run"), [(1, True), (16, True), (64, False)])
def test_a_sampler_that_costs_what_usual_ones_do_has_its_large_cases_run_again(
    times: int, *, is_run: bool
) -> None:
    """A usual one in Python is measured as 4 times the usual, more on a busy machine."""
    binding = sc.target(SixteenBits).bind()
    with open_world("simulated") as home:
        search = Search(home, binding, probe(home, binding, ()), (COMPLETE,))
        search.try_case(FIRST_THAT_FAILS, counts=False)
        search.dear_sample = times
        (page,) = search.ledger.broken
        inquiry = Inquiry(search, CaseJudge(home, "samples"), page)
        assert cases_beyond(inquiry) == [FIRST_THAT_FAILS] * is_run


def by_buckets(lengths: list[int], rank: int, world_size: int, borders: tuple[int, ...] = (50, 90)) -> Any:
    """Samples by the first border that is not below them; what is above the last one is left out, a bug."""
    buckets = [
        [one for one, length in enumerate(lengths) if low < length <= high]
        for low, high in zip((0, *borders), borders, strict=False)
    ]
    order = [*chain(*buckets)]
    total = -(-len(order) // world_size) * world_size
    return [order[place % len(order)] for place in range(rank, total, world_size)]


class MixesBuckets(Strided):
    """Four buckets, shuffled where they are kept: a second pass shuffles what is mixed already."""

    keeps: tuple[int, ...] = ()

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(length, rank, world_size, seed=seed)
        size = max(1, -(-length // 4))
        self.buckets = [[*range(at, min(at + size, length))] for at in range(0, length, size)]

    def order(self) -> list[int]:
        rng = random.Random(f"{self.seed}/{self.epoch}")
        buckets = [[*one] for one in self.buckets] if self.seed in self.keeps else self.buckets
        for one in buckets:
            rng.shuffle(one)
        return [*chain(*buckets)]


class MixesUnlessUnseeded(MixesBuckets):
    """The same with any seed but 0."""

    keeps = (0,)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("factory", "region"),
    [(MixesBuckets, "exactly when length >= 5"), (MixesUnlessUnseeded, "seed != 0 and length >= 5")],
)
def test_no_condition_is_made_of_what_few_orders_in_buckets_keep_by_luck(factory: Any, region: str) -> None:
    contract = sc.Contract(order="shuffled", shuffles="chunks")
    report = sc.run(sc.target(factory, contract=contract), profile="quick", select=["SC501"])
    (result,) = report.failures
    assert region in result.failure.region.replace("length >= 5 and seed != 0", "seed != 0 and length >= 5")


@pytest.mark.usefixtures("brief")
def test_what_fails_for_long_samples_alone_is_said_with_the_least_length() -> None:
    report = sc.run(
        sc.target(by_buckets), profile="quick", select=["SC102"], contract=sc.Contract(order="free")
    )
    (result,) = report.failures
    assert result.failure.region == "exactly when max(lengths) > 90"
    assert result.failure.hint.startswith("What becomes of the longest samples, which alone are missing")


def by_low_buckets(lengths: list[int], rank: int, world_size: int) -> Any:
    """The same with a border that small cases have samples above of."""
    return by_buckets(lengths, rank, world_size, (4, 12))


def by_swap(lengths: list[int], rank: int, world_size: int) -> Any:
    """The longest sample comes first and the first one never, with some lengths that are not alike: a bug."""
    order = [*range(len(lengths))]
    if len({*lengths}) > 1 and sum(lengths) % 3 == 1:
        order[0] = lengths.index(max(lengths))
    total = -(-len(order) // world_size) * world_size
    return [order[place % len(order)] for place in range(rank, total, world_size)]


def by_label(labels: list[int], rank: int, world_size: int) -> Any:
    """The first sample of each label comes first; of a label without one that raises, a bug."""
    firsts = [labels.index(label) for label in range(max(labels, default=-1) + 1)]
    order = [*firsts, *(i for i in range(len(labels)) if i not in firsts)]
    total = -(-len(order) // world_size) * world_size
    return [order[place % len(order)] for place in range(rank, total, world_size)]


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize(
    ("factory", "code", "region"),
    [
        (by_low_buckets, "SC102", "exactly when max(lengths) > 12"),
        (by_swap, "SC102", "only when len(set(lengths)) > 1"),
        (by_label, "SC001", "only when max(labels) >= len(set(labels))"),
    ],
)
def test_that_samples_differ_is_said_only_where_no_value_of_one_is_enough(
    factory: Any, code: str, region: str
) -> None:
    report = sc.run(sc.target(factory), profile="quick", select=[code], contract=sc.Contract(order="free"))
    (result,) = report.failures
    assert result.failure.region == region
    above = "what becomes of samples above the last border"
    assert (above in (result.failure.fix or "")) is (factory is by_low_buckets)


class OpenBins:
    """First fit among three open bins, of which but one is yielded at the end, a bug."""

    def __init__(self, lengths: list[int], context: int = 20) -> None:
        self.lengths, self.context = lengths, context

    def __iter__(self) -> Any:
        bins: list[list[int]] = []
        for sample, length in enumerate(self.lengths):
            into = next((one for one in bins if self.room(one) >= length), None)
            if into is None:
                if len(bins) == 3:
                    yield bins.pop(0)
                bins.append(into := [])
            into.append(sample)
        yield from bins[:1]

    def room(self, some: list[int]) -> int:
        return self.context - sum(self.lengths[one] for one in some)


class BatchesOfAShare(Strided):
    """Each rank makes batches of the share that it gets, a bug."""

    def __init__(
        self, lengths: list[int], rank: int, world_size: int, max_tokens: int = 24, seed: int = 0
    ) -> None:
        super().__init__(len(lengths), rank, world_size, seed=seed)
        self.lengths, self.size = lengths, max_tokens

    def __iter__(self) -> Any:
        batch: list[int] = []
        for sample in super().__iter__():
            if batch and sum(self.lengths[i] for i in batch) + self.lengths[sample] > self.size:
                yield batch
                batch = []
            batch.append(sample)
        yield from [batch] if batch else []

    def order(self) -> Any:
        return torch.randperm(
            self.length, generator=torch.Generator().manual_seed(self.seed + self.epoch)
        ).tolist()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def in_bins(lengths: list[int]) -> OpenBins:
    return OpenBins(lengths, 20)


@pytest.mark.thorough
def test_how_long_samples_are_together_is_a_rule_by_a_number_that_a_parameter_is_by_default() -> None:
    contract = sc.Contract(sharding="none", order="free", batches="variable", batch_rule="budget(lengths,20)")
    report = sc.run(sc.target(OpenBins, contract=contract), profile="quick", select=["SC102"])
    (result,) = report.failures
    assert result.failure.region == "exactly when sum(lengths) > context"


class FilteredShare(Strided):
    """Each rank leaves long samples out of the share that it gets, a bug."""

    def __init__(self, lengths: list[int], rank: int, world_size: int, max_duration: int = 10) -> None:
        super().__init__(len(lengths) // world_size * world_size, rank, world_size)
        self.lengths, self.longest = lengths, max_duration

    def __iter__(self) -> Any:
        return (sample for sample in super().__iter__() if self.lengths[sample] <= self.longest)


@pytest.mark.thorough
def test_a_rule_is_by_the_longest_sample_and_not_by_all_together_where_that_alone_matters() -> None:
    """Many short samples break nothing, nor does what is cut to that length: both are tried."""
    contract = sc.Contract(tail="drop")
    report = sc.run(sc.target(FilteredShare, contract=contract), profile="quick", select=["SC104"])
    (result,) = report.failures
    assert "max(lengths) > max_duration" in result.failure.region
    assert "sum(lengths)" not in result.failure.region


@pytest.mark.thorough
def test_that_lengths_differ_is_not_said_to_be_enough_or_needed_where_it_is_not() -> None:
    """All of one length do not fit one bin either, if they are many; and few do, however they differ."""
    contract = sc.Contract(sharding="none", order="free", batches="variable", batch_rule="budget(lengths,20)")
    report = sc.run(sc.target(in_bins, contract=contract), profile="quick", select=["SC102"])
    (result,) = report.failures
    assert "lengths" not in result.failure.region
    assert "length" not in result.failure.cause


@pytest.mark.thorough
def test_what_lengths_decide_in_some_orders_is_said_of_both() -> None:
    contract = sc.Contract(order="shuffled", batches="variable", batch_rule="budget(lengths,24)", tail="pad")
    report = sc.run(sc.target(BatchesOfAShare, contract=contract), profile="quick", select=["SC104"])
    (result,) = report.failures
    assert result.failure.region.startswith(
        "where lengths differ between samples, depending on the order of the samples"
    )
    assert (
        result.failure.cause == "How much a rank yields depends on the lengths of the samples that it gets."
    )
    assert result.failure.fix.startswith("Make batches of the whole order")


class CutsFirst(Strided):
    """Whole global batches are cut off before the shuffle, a bug."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(length, rank, world_size, seed=seed)
        self.size = batch_size

    def __iter__(self) -> Any:
        used = self.length // (self.size * self.world_size) * self.size * self.world_size
        order = random.Random(self.seed * 1_000 + self.epoch).sample(range(used), used)
        mine = order[self.rank :: self.world_size]
        return (mine[at : at + self.size] for at in range(0, len(mine), self.size))

    def __len__(self) -> int:
        return self.length // (self.size * self.world_size)


@pytest.mark.thorough
def test_a_case_of_which_luck_leaves_much_open_in_few_epochs_refutes_no_rule() -> None:
    contract = sc.Contract(order="shuffled", tail="drop", tail_unit="batch")
    report = sc.run(sc.target(CutsFirst, contract=contract), profile="quick", select=["SC106"])
    (result,) = report.failures
    assert result.failure.region.startswith("exactly when ")
    assert "length % (world_size * batch_size) != 0" in result.failure.region


class QuarterEpochs(Strided):
    """Four epochs are one pass, of parts that are rounded down: the rest never comes, a bug."""

    def order(self) -> Any:
        size = self.length // 4
        return [*range(self.length)][self.epoch % 4 * size :][:size]

    def __len__(self) -> int:
        return math.ceil(self.length // 4 / self.world_size)


def quarters(length: int, rank: int, world_size: int) -> Any:
    return QuarterEpochs(length, rank, world_size)


@pytest.mark.thorough
def test_what_is_lost_over_several_epochs_is_said_by_their_number() -> None:
    contract = sc.Contract(coverage="subset", cycle=4, tail="pad", order="free")
    report = sc.run(sc.target(quarters, contract=contract), profile="quick", select=["SC102"])
    (result,) = report.failures
    assert result.failure.region == "not before epoch 3, exactly when length % 4 != 0"


class SharesItsGenerator(Strided):
    """Seeds a generator of the object when an iterator opens, and draws from it at the first step."""

    def __iter__(self) -> Any:
        if not self.shuffle:
            return super().__iter__()
        self.generator = random.Random(f"{self.seed} {self.epoch}")
        return self._drawn()

    def _drawn(self) -> Any:
        mixed = self.generator.sample(range(self.length), self.length)
        yield from self.even(mixed)[self.rank :: self.world_size]


def build(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
    return SharesItsGenerator(length, rank, world_size, shuffle=shuffle, seed=seed)


@pytest.mark.thorough
def test_a_seed_that_hides_a_fault_by_luck_is_no_condition() -> None:
    report = sc.run(build, profile="quick", select=["SC502"], worlds=["simulated"])
    (result,) = report.failures
    assert "seed" not in result.failure.region
    assert result.failure.region == f"exactly when length >= 2 and shuffle{LUCK}"


def raises_unless_dropped(length: int, rank: int, world_size: int, drop_last: bool) -> Any:
    if length < world_size and not drop_last:
        raise RuntimeError
    return iter(Strided(length, rank, world_size, drop_last=drop_last))


@pytest.mark.thorough
def test_what_raises_with_an_argument_turned_is_no_fault_of_the_case() -> None:
    report = sc.run(raises_unless_dropped, profile="quick", select=["SC001", "SC309"], worlds=["simulated"])
    (result,) = report.failures
    assert result.code == "SC001"
    assert result.failure.region == "exactly when not drop_last and length < world_size"


class WarmsUp(Strided):
    """Leaves some samples out of its first two epochs: the others come in each, padded."""

    def order(self) -> Any:
        return super().order()[: -1 if self.epoch < 2 and self.length > self.world_size else None]


def warmed_up(length: int, rank: int, world_size: int) -> Any:
    return WarmsUp(length, rank, world_size)


class LosesNowAndThen(Strided):
    """Leaves a sample out of one epoch in five, by the seed and the epoch."""

    def order(self) -> Any:
        whole = super().order()
        return whole[:-1] if random.Random(f"{self.seed} {self.epoch}").random() < 0.2 else whole


def lost_now_and_then(length: int, rank: int, world_size: int, seed: int) -> Any:
    return LosesNowAndThen(length, rank, world_size, seed=seed)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "is_early"), [(warmed_up, True), (lost_now_and_then, False)])
def test_what_later_epochs_keep_is_said_of_the_first_ones(target: Any, *, is_early: bool) -> None:
    report = sc.run(target, profile="quick", select=["SC102"], worlds=["simulated"])
    (result,) = report.failures
    assert result.failure.region.startswith("in the first 2 of 40 epochs, ") is is_early
    assert ("only in the first 2 of 40 epochs: always" in " ".join(str(report).split())) is is_early


class CountsAsOneBucket(SharesItsGenerator):
    """A batch sampler that makes batches of short and of long samples, and whose len() knows no lengths."""

    def __init__(self, lengths: list[int], batch_size: int, rank: int, world_size: int) -> None:
        super().__init__(len(lengths), rank, world_size, shuffle=False, seed=0)
        self.lengths, self.batch_size = lengths, batch_size

    def __iter__(self) -> Any:
        parts = [[i for i, one in enumerate(self.lengths) if (one < 16) is short] for short in (True, False)]
        size = self.batch_size
        batches = [part[at : at + size] for part in parts for at in range(0, len(part), size)]
        yield from self.even(batches)[self.rank :: self.world_size]

    def __len__(self) -> int:
        return math.ceil(len(self.lengths) / (self.batch_size * self.world_size))


class MissesTheFirst(CountsAsOneBucket):
    """Counts one batch less where the first two samples differ, however full batches are."""

    def __len__(self) -> int:
        return sum(1 for _ in self) - (len({*self.lengths[:2]}) > 1)


@pytest.mark.parametrize(
    ("target", "region"),
    [
        (CountsAsOneBucket, "only when lengths leave several batches not full"),
        (MissesTheFirst, "only when len(set(lengths)) > 1"),
    ],
)
def test_what_lengths_decide_is_said_with_how_small_the_cases_were(target: Any, region: str) -> None:
    """And that several batches are not full, where all failing cases have such and no like one holds with."""
    found = sc.run(target, profile="quick", select=["SC201"])
    (failure,) = [one.failure for one in found.results if one.failure]
    assert failure.region == region
    assert failure.longest == 12
    assert failure.larger_tried >= failure.larger


def test_what_few_samples_break_by_luck_is_told_from_what_they_always_break() -> None:
    """Ranks that shuffle by themselves shuffle two samples alike every other time, and so lose none."""
    cases = [Case(length=length, world_size=2, shuffle=True) for length in (1, 2, 3, 6, 8)]
    binding = SimpleNamespace(named={"seed"})
    search = SimpleNamespace(binding=binding, ledger=SimpleNamespace(small=cases))

    def failed(code: str, *, luck: bool) -> set[int]:
        inquiry: Any = SimpleNamespace(code=code, search=search)
        return failed_by_luck(
            inquiry, [1, 2, 3, 4], lambda case: not (luck and case.length == 2 and case.seed > 2)
        )

    assert failed("SC102", luck=True) == {1}
    assert failed("SC102", luck=False) == failed("SC104", luck=True) == set()


class RefusesLargeSeeds(Strided):
    """Loses the last sample of an order that it cannot make by seeds beyond 32 bits."""

    def order(self) -> Any:
        (self.seed + self.epoch).to_bytes(4, "little")
        order = super().order()
        return order[:-1] + order[:1]


def test_seeds_that_are_refused_say_nothing_of_where_samples_are_lost() -> None:
    def build(length: int, rank: int, world_size: int, seed: int = 0) -> Strided:
        return RefusesLargeSeeds(length, rank, world_size, seed=seed)

    found = sc.run(build, profile="quick", select=["SC102"], worlds=["simulated"])
    (failure,) = [one.failure for one in found.results if one.failure]
    assert failure.region == "exactly when length >= 2"


class DealsPairs(Strided):
    """Takes samples from both halves of the order in turn, as many as the shorter half has."""

    def order(self) -> Any:
        order = super().order()
        half = len(order) // 2
        return [sample for pair in zip(order[:half], order[half:], strict=False) for sample in pair]


def test_that_a_length_is_odd_is_a_rule() -> None:
    def build(length: int, rank: int, world_size: int) -> Strided:
        return DealsPairs(length, rank, world_size)

    found = sc.run(build, profile="quick", select=["SC102"], worlds=["simulated"])
    (failure,) = [one.failure for one in found.results if one.failure]
    assert failure.region == "exactly when length % 2 != 0"


class DealsPacksInBlocks:
    """Packs samples up to a budget and gives each rank a block of the packs: the last ones get fewer."""

    def __init__(self, lengths: list[int], rank: int, world_size: int, seed: int = 0) -> None:
        self.lengths, self.rank, self.world_size = lengths, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Any:
        order = random.Random(f"{self.seed}/{self.epoch}").sample(range(len(self.lengths)), len(self.lengths))
        packs = cut_by_budget(order, self.lengths, 16)
        size = -(-len(packs) // self.world_size)
        return iter(packs[self.rank * size : (self.rank + 1) * size])


def test_no_rule_that_is_true_of_made_up_lengths_alone_is_told() -> None:
    """In small cases there are never as many packs as four ranks need, whatever they are."""
    contract = sc.Contract(batches="variable", order="shuffled")
    target = sc.target(DealsPacksInBlocks, contract=contract)
    found = sc.run(target, profile="quick", select=["SC104"], worlds=["simulated"])
    (failure,) = [one.failure for one in found.results if one.failure]
    assert "world_size >= 4" not in failure.region
