"""One mistake is one block where cases show it: the same change makes laws hold, or they fail together."""

from __future__ import annotations

import random
import sys
from itertools import cycle, islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler, Sampler

import samplercheck as sc
from samplercheck.engine._consequences import by_cause, traits_of_cases
from samplercheck.explain.causes import SIZES
from samplercheck.explain.seen import Found
from samplercheck.laws import ALL_LAWS
from samplercheck.reports.mistakes import list_mistakes
from tests.support.brief import look_briefly
from tests.zoo import (
    one_short_of_an_epoch,
    only_the_epoch_is_saved,
    place_given_and_not_used,
    resume_resets_epoch,
    second_resume_drift,
    short_tail_in_two_batches,
    static_partition,
)
from tests.zoo._sound import Strided, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Sized

    from samplercheck.values.finding import Failure

pytestmark = pytest.mark.usefixtures("brief")


def broken(factory: Any, codes: list[str], **contract: Any) -> dict[str, Failure]:
    """The failures of a target by the codes of the laws, among these, that it breaks."""
    report = sc.run(
        sc.target(factory, name="it", contract=sc.Contract(**contract)),
        profile="quick",
        worlds=["simulated"],
        select=codes,
    )
    assert {result.code for result in report.failures} == set(codes)
    return {result.code: result.failure for result in report.failures if result.failure}


@pytest.mark.thorough
def test_laws_that_hold_with_the_same_change_name_one_another() -> None:
    failures = broken(static_partition.bug, ["SC106", "SC305"], **static_partition.CONTRACT)
    assert failures["SC106"].also == ("SC305",)
    assert failures["SC305"].also == ("SC106",)


def test_a_share_that_never_changes_is_why_samples_are_not_equally_likely_everywhere() -> None:
    failures = broken(static_partition.bug, ["SC305", "SC1002"], **static_partition.CONTRACT)
    assert failures["SC1002"].follows == "SC305" or "SC305" in failures["SC1002"].also


class MultipliesSeeds(Strided):
    """With seed 0 all epochs have one order; and so what drop_last cuts off it is the same in each."""

    def order(self) -> list[int]:
        return permutation(self.length, self.seed * (self.epoch + 1)) if self.shuffle else super().order()


def multiplies(length: int, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
    return MultipliesSeeds(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


@pytest.mark.thorough
def test_what_is_dropped_follows_from_an_order_that_never_changes_in_cases_passed_over_too() -> None:
    with look_briefly(longest=12, widest=5):  # so many that not all are looked at again
        failures = broken(multiplies, ["SC106", "SC301"])
    assert failures["SC106"].follows == "SC301"


class WholeGroups:
    """Labels are shuffled and dealt out; a rank yields its samples in the order of the dataset."""

    def __init__(self, labels: Sequence[int], rank: int, world_size: int, seed: int, shuffle: bool) -> None:
        self.labels, self.rank, self.world_size = labels, rank, world_size
        self.seed, self.shuffle, self.epoch = seed, shuffle, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        groups = sorted({*self.labels})
        if self.shuffle:
            random.Random(self.seed + self.epoch).shuffle(groups)
        mine = {*groups[self.rank :: self.world_size]}
        return (place for place, label in enumerate(self.labels) if label in mine)


@pytest.mark.thorough
def test_what_one_rank_never_shuffles_is_one_mistake() -> None:
    failures = broken(WholeGroups, ["SC301", "SC303", "SC309"])
    assert failures["SC301"].follows == failures["SC303"].follows == "SC309"
    assert failures["SC309"].violation.fault == "shuffle has no effect where it should"


class Zipped:
    """Padded shares in batches made by zip, which loses what does not fill one, without drop_last too."""

    def __init__(
        self, dataset: Sized, rank: int, world_size: int, batch_size: int, drop_last: bool = False
    ) -> None:
        places = world_size * batch_size if drop_last else world_size
        length = len(dataset) // places * places if drop_last else -(-len(dataset) // places) * places
        self.share, self.size = list(islice(cycle(range(len(dataset))), length))[rank::world_size], batch_size

    def __len__(self) -> int:
        return len(self.share) // self.size

    def __iter__(self) -> Iterator[list[int]]:
        return map(list, zip(*[iter(self.share)] * self.size, strict=False))


def test_a_tail_that_is_always_cut_is_one_mistake() -> None:
    failures = broken(Zipped, ["SC102", "SC309"])
    assert "SC102" in (failures["SC309"].follows, *failures["SC309"].also)
    assert failures["SC102"].follows == ""


class EachDrawsAlone:
    """An order of its own on every rank, of which all that does not make a full round is cut."""

    keeps = True

    def __init__(self, dataset: Sized, rank: int, world_size: int, shuffle: bool = True) -> None:
        self.length, self.rank, self.world_size, self.shuffle = len(dataset), rank, world_size, shuffle

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length if self.keeps else self.length - 1))
        if self.shuffle:
            random.shuffle(order)
        return iter(order[: self.length // self.world_size * self.world_size][self.rank :: self.world_size])


class LosesOneBesides(EachDrawsAlone):
    """The last sample never comes, whoever draws and how."""

    keeps = False


@pytest.mark.thorough
@pytest.mark.parametrize(("factory", "follows"), [(EachDrawsAlone, "SC102"), (LosesOneBesides, "")])
def test_what_comes_again_is_a_mistake_of_its_own_where_samples_are_lost_without_it(
    factory: Any, follows: str
) -> None:
    assert broken(factory, ["SC102", "SC103"])["SC103"].follows == follows


class MovesItsEpoch:
    """Torch's, but a shuffled pass moves the epoch on, though it can be set."""

    def __init__(self, dataset: Sized, rank: int, world_size: int, seed: int, *, shuffle: bool) -> None:
        self.length, self.share, self.seed, self.shuffle = len(dataset), (rank, world_size), seed, shuffle
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        order, (rank, world_size) = list(range(self.length)), self.share
        if self.shuffle:
            random.Random(f"{self.seed}/{self.epoch}").shuffle(order)
            self.epoch += 1
        total = -(-self.length // world_size) * world_size
        return islice(cycle(order), rank, total, world_size)


@pytest.mark.thorough
def test_a_pass_that_moves_the_epoch_is_one_mistake_after_a_break_as_well() -> None:
    failures = broken(MovesItsEpoch, ["SC501", "SC503"])
    assert (failures["SC501"].also, failures["SC503"].also) == (("SC503",), ("SC501",))


class AddsUpItsSeeds(MovesItsEpoch):
    """Also takes the last seed for the first, so that an epoch depends on those before."""

    def __iter__(self) -> Iterator[int]:
        if self.shuffle:
            self.seed += self.epoch
        return super().__iter__()


@pytest.mark.thorough
def test_two_faults_that_a_fresh_object_hides_are_two_mistakes() -> None:
    failures = broken(AddsUpItsSeeds, ["SC304", "SC501"])
    assert (failures["SC304"].also, failures["SC501"].also) == ((), ())


@pytest.mark.parametrize(("also_lost", "follows"), [((), "SC101"), ((0,), "")])
def test_a_sample_is_lost_where_an_index_past_the_end_stands_in_its_place(
    also_lost: tuple[int, ...], follows: str
) -> None:
    def factory(length: int, rank: int, world_size: int) -> list[int]:
        past = [length if length > 2 and sample == length - 1 else sample for sample in range(length)]
        kept = [sample for sample in past if sample not in also_lost]
        total = -(-length // world_size) * world_size if kept else 0
        return list(islice(cycle(kept), rank, total, world_size))

    failures = broken(factory, ["SC101", "SC102"])
    assert failures["SC102"].follows == follows
    assert failures["SC101"].follows == ""


def test_a_short_epoch_follows_from_the_sample_that_is_lost() -> None:
    failures = broken(one_short_of_an_epoch.bug, ["SC102", "SC105"], **one_short_of_an_epoch.CONTRACT)
    assert failures["SC105"].follows == "SC102"
    assert failures["SC102"].follows == ""


def test_what_is_read_of_one_rank_in_a_place_follows_from_ranks_that_differ_there() -> None:
    failures = broken(
        place_given_and_not_used.bug, ["SC102", "SC103", "SC404"], **place_given_and_not_used.CONTRACT
    )
    assert failures["SC102"].follows == failures["SC103"].follows == "SC404"
    assert failures["SC404"].follows == ""


@pytest.mark.thorough
def test_laws_that_hold_without_a_tail_and_fail_in_the_same_cases_share_its_cause() -> None:
    failures = broken(short_tail_in_two_batches.bug, ["SC203", "SC601"], **short_tail_in_two_batches.CONTRACT)
    assert failures["SC203"].also == ("SC601",)
    assert failures["SC601"].cause != "" != failures["SC203"].cause


class OneForAnother:
    """Yields its first sample once more in place of its last, of four and more."""

    def __init__(self, dataset: Any, rank: int, world_size: int, drop_last: bool) -> None:
        self.length, self.rank, self.world, self.drop_last = len(dataset), rank, world_size, drop_last

    def __len__(self) -> int:
        return (self.length if self.drop_last else self.length + self.world - 1) // self.world

    def __iter__(self) -> Iterator[int]:
        dealt = list(islice(cycle(range(self.length)), self.rank, len(self) * self.world, self.world))
        return iter(dealt if len(dealt) < 4 else [*dealt[:-1], dealt[0]])


def test_what_comes_again_in_place_of_another_is_one_mistake_where_tails_are_dropped_too() -> None:
    failures = broken(OneForAnother, ["SC102", "SC103"])
    assert failures["SC103"].follows == "SC102"
    assert failures["SC102"].follows == ""


class LosesOneAndPadsTooMuch:
    """Loses sample 0 for seed 0, and deals out a round too many where nothing is left over."""

    def __init__(self, dataset: Any, rank: int, world_size: int, seed: int = 0) -> None:
        self.length, self.rank, self.world, self.seed = len(dataset), rank, world_size, seed

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length))
        size = -(-self.length // self.world) * self.world
        if self.seed == 0 and order:
            order[0] = order[-1]
        if size == self.length and order:
            size += self.world
        dealt = (order * 3)[:size] if order else []
        return iter(dealt[self.rank :: self.world])


def test_a_law_that_also_fails_elsewhere_keeps_a_block_of_its_own() -> None:
    failures = broken(LosesOneAndPadsTooMuch, ["SC102", "SC105"])
    assert failures["SC105"].follows == ""
    assert "SC102" not in failures["SC105"].also


class LosesOneAndNeverReshuffles:
    """Two faults that have nothing to do with one another."""

    def __init__(self, dataset: Any, rank: int, world_size: int, shuffle: bool = False) -> None:
        self.length, self.rank, self.world, self.shuffle = len(dataset), rank, world_size, shuffle

    def set_epoch(self, epoch: int) -> None:
        """Forget the epoch."""

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length))
        if self.shuffle:
            order = [*order[1:], *order[:1]]
        if len(order) > 1:
            order[0] = order[1]
        size = -(-self.length // self.world) * self.world
        return iter((order * self.world)[:size][self.rank :: self.world])


class DealsOutShards:
    """Deals out shards of four: ranks are uneven also where their number divides the length."""

    def __init__(self, dataset: Any, rank: int, world_size: int) -> None:
        self.length, self.rank, self.world = len(dataset), rank, world_size

    def __iter__(self) -> Iterator[int]:
        shards = [range(at, min(at + 4, self.length)) for at in range(0, self.length, 4)]
        for shard in shards[self.rank :: self.world]:
            yield from shard


def test_padding_that_is_missed_says_no_more_than_that_steps_are_unequal() -> None:
    failures = broken(DealsOutShards, ["SC104", "SC105"])
    assert failures["SC105"].violation.fault == "pads too few samples for equal steps"
    assert failures["SC105"].follows == "SC104"
    assert failures["SC104"].follows == ""


class LeavesOutItsLast(DistributedSampler[int]):
    """Rank 0 leaves out the last sample of its share, alone or beside others."""

    def __init__(self, dataset: Any, rank: int, world_size: int, shuffle: bool = False) -> None:
        super().__init__(dataset, world_size, rank, shuffle)

    def __iter__(self) -> Iterator[int]:
        share = [*super().__iter__()]
        return iter(share if self.rank else share[:-1])


class LeavesOutOnLargeWorlds(LeavesOutItsLast):
    """It does so where no small case is."""

    def __iter__(self) -> Iterator[int]:
        return super().__iter__() if self.num_replicas > 8 else iter([*DistributedSampler.__iter__(self)])


@pytest.mark.parametrize("factory", [LeavesOutItsLast, LeavesOutOnLargeWorlds])
def test_a_rank_that_leaves_out_some_of_its_share_is_one_mistake(factory: Any) -> None:
    failures = broken(factory, ["SC102", "SC104", "SC105", "SC201"])
    assert (failures["SC104"].follows, failures["SC102"].follows) == ("", "SC104")
    assert "several yielded the same" not in failures["SC102"].hint


class ReadsABlockOnEachNode(Sampler[int]):
    """On more than eight ranks, nodes of two take blocks of one size; a last rank that is alone reads half.

    That loses samples also where all ranks take as many steps.
    """

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.length, ranks = length, 1 + (world_size > 8)
        total, (node, place) = -(-length // world_size) * world_size, divmod(rank, ranks)
        block = total // -(-world_size // ranks)
        self.share = range(node * block + place, (node + 1) * block, ranks)

    def __iter__(self) -> Iterator[int]:
        return (place % self.length for place in self.share)


def test_what_is_lost_where_steps_are_equal_as_well_is_a_mistake_of_its_own() -> None:
    failures = broken(ReadsABlockOnEachNode, ["SC102", "SC104", "SC105"])
    assert (failures["SC102"].follows, failures["SC104"].follows) == ("", "")
    assert failures["SC105"].follows == "SC102"


class DealsOutTheTailAndRoundsLenDown:
    """Pads nothing, and says by len() that the tail is cut."""

    def __init__(self, dataset: Any, rank: int, world_size: int) -> None:
        self.length, self.rank, self.world = len(dataset), rank, world_size

    def __len__(self) -> int:
        return self.length // self.world

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.rank, self.length, self.world))


def test_a_fix_says_what_else_is_to_be_done_for_another_law_with_the_cause() -> None:
    failures = broken(DealsOutTheTailAndRoundsLenDown, ["SC104", "SC201"])
    assert failures["SC104"].also == ("SC201",)
    assert failures["SC104"].fix.endswith("Or cut it to such a multiple. Round len() alike.")


class PicksAsChanceHasIt:
    """Yields as many samples as there are, each of them any: now and then an epoch is whole."""

    def __init__(self, dataset: Sized) -> None:
        self.length = len(dataset)

    def __iter__(self) -> Iterator[int]:
        return iter([random.randrange(self.length) for _ in range(self.length)])


@pytest.mark.parametrize("code", ["SC502", "SC504"])
def test_what_another_pass_holds_follows_from_epochs_that_hold_anything(code: str) -> None:
    report = sc.run(PicksAsChanceHasIt, profile="quick", worlds=["simulated"], select=["SC102", code])
    failures = {result.code: result.failure for result in report.failures if result.failure}
    assert failures.pop("SC102").follows == ""
    assert {one.follows for one in failures.values()} <= {"SC102"}


class DropsTwice(DistributedSampler):
    """Drops a short last batch whatever it is asked, and never shuffles."""

    def __init__(self, dataset, batch_size, rank, world_size, shuffle=True, drop_last=False):
        super().__init__(dataset, world_size, rank, shuffle=False, drop_last=drop_last)
        self.batch_size = int(batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(BatchSampler(list(super().__iter__()), self.batch_size, drop_last=True))

    def __len__(self) -> int:
        return self.num_samples // self.batch_size


@pytest.mark.thorough
def test_orders_do_not_follow_from_an_argument_that_a_tail_makes_dead() -> None:
    failures = broken(DropsTwice, ["SC102", "SC301", "SC309"])
    assert failures["SC309"].violation.evidence.argument == "drop_last"
    assert failures["SC309"].follows == "SC102"
    assert failures["SC301"].follows == ""


@pytest.mark.thorough
def test_where_each_pass_is_another_epoch_no_restored_position_is_to_blame() -> None:
    failures = broken(resume_resets_epoch.bug, ["SC501", "SC701", "SC702"])
    assert failures["SC701"].cause == failures["SC702"].cause == ""
    assert failures["SC501"].also == ()


def test_two_mistakes_are_two() -> None:
    failures = broken(LosesOneAndNeverReshuffles, ["SC102", "SC301"])
    assert [one.follows for one in failures.values()] == ["", ""]
    assert [one.also for one in failures.values()] == [(), ()]


class DrawsFromAnUnseededGenerator:
    """Has a seed and an epoch, and makes a generator that knows neither."""

    def __init__(self, dataset: Sized, num_replicas: int, rank: int, shuffle: bool, seed: int = 0) -> None:
        self.length, self.world_size, self.rank = len(dataset), num_replicas, rank
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length))
        if self.shuffle:
            generator = torch.Generator()
            order = torch.randperm(self.length, generator=generator).tolist()
        total = -(-self.length // self.world_size) * self.world_size
        return islice(cycle(order), self.rank, total, self.world_size) if order else iter(())


@pytest.mark.thorough
def test_a_generator_without_a_seed_is_one_mistake_with_one_fix_and_its_line() -> None:
    report = sc.run(DrawsFromAnUnseededGenerator, profile="quick", worlds=["simulated"])
    (mistake,) = list_mistakes(report.to_dict())
    assert (mistake.lead["code"], mistake.codes) == ("SC301", {"SC301", "SC303"})
    failure = mistake.lead["failure"]
    assert failure["cause"] == "The order depends on neither the seed nor the epoch."
    assert failure["mend"].startswith("Seed the generator with seed + epoch. ")
    if sys.gettrace() is None:
        assert "order = torch.randperm(self.length, generator=generator)" in failure["line"]


class RepeatsByChance(Sampler[int]):
    """Samples of rare labels come once or twice, as each rank draws for itself, for its length as well."""

    def __init__(self, labels: Sequence[int], rank: int, world_size: int, seed: int) -> None:
        self.labels, self.rank, self.world_size, self.seed, self.epoch = labels, rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def indices(self) -> list[int]:
        rare = {one for one in self.labels if 2 * self.labels.count(one) < len(self.labels)}
        twice = torch.rand(len(self.labels)) < 0.5
        order = [i for i, one in enumerate(self.labels) for _ in range(1 + bool(one in rare and twice[i]))]
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
        return list(islice(cycle(order), -(-len(order) // self.world_size) * self.world_size))

    def __iter__(self) -> Iterator[int]:
        yield from self.indices()[self.rank :: self.world_size]

    def __len__(self) -> int:
        return len(self.indices()) // self.world_size


@pytest.mark.thorough
def test_all_that_comes_of_what_each_rank_draws_from_a_global_generator_is_one_mistake() -> None:
    drawn = sc.Contract(coverage="sampled", frequencies="at_least_once", order="free")
    report = sc.run(sc.target(RepeatsByChance, contract=drawn), profile="quick", worlds=["simulated"])
    (mistake,) = list_mistakes(report.to_dict())
    assert {"SC104", "SC201", "SC401", "SC402", "SC501"} <= mistake.codes
    assert mistake.explained["cause"] == "The order depends on the global random generators."


class ForgetsWhatItDraws(DrawsFromAnUnseededGenerator):
    """Draws an order by seed and epoch, and yields the dataset's own."""

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        order = sorted(set(torch.randperm(self.length, generator=generator).tolist()))
        total = -(-self.length // self.world_size) * self.world_size
        return islice(cycle(order), self.rank, total, self.world_size) if order else iter(())


@pytest.mark.thorough
def test_who_seeds_a_generator_whose_order_is_lost_is_not_told_to_seed_one() -> None:
    report = sc.run(
        ForgetsWhatItDraws, profile="quick", worlds=["simulated"], contract=sc.Contract(order="shuffled")
    )
    (mistake,) = list_mistakes(report.to_dict())
    failure = mistake.lead["failure"]
    assert failure["cause"] == "The order depends on neither the seed nor the epoch."
    assert failure["mend"].startswith("Use what is drawn as it comes: a generator is seeded with it")


class PadsWhatIsLeft:
    """Deals out its epoch in turn; a new iterator goes on after a break, and pads from the rest."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.length, self.rank, self.world_size, self.done = length, rank, world_size, 0

    def __iter__(self) -> Iterator[int]:
        rest = list(range(self.length))[self.done * self.world_size :]
        rest += islice(cycle(rest), -len(rest) % self.world_size if rest else 0)
        for sample in rest[self.rank :: self.world_size]:
            self.done += 1
            yield sample
        self.done = 0

    def state_dict(self) -> dict[str, int]:
        return {"done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.done = state["done"]


@pytest.mark.thorough
def test_who_goes_on_wrongly_after_a_break_and_after_a_checkpoint_has_one_mistake() -> None:
    contract = {"epochs": "advance", "after_break": "rest", "order": "sequential"}
    failures = broken(PadsWhatIsLeft, ["SC503", "SC701"], **contract)
    assert failures["SC503"].follows == "SC701"
    assert failures["SC701"].fix.startswith(
        "After loading, make the order of the epoch as always and skip what was yielded before"
    )


class Uneven:
    """Fills the tail up unless it is dropped; then it deals the whole order out in turn."""

    def __init__(self, length: int, rank: int, world_size: int, drop_last: bool = False) -> None:
        order = list(range(length))
        if not drop_last:
            order += islice(cycle(order), -length % world_size if length else 0)
        self.mine = order[rank::world_size]

    def __iter__(self) -> Iterator[int]:
        return iter(self.mine)


class UnevenEverywhere(Uneven):
    """Never fills the tail up, and is not told to drop it."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        super().__init__(length, rank, world_size, drop_last=True)


def test_ranks_that_are_uneven_only_where_a_tail_is_dropped_are_told_to_cut_it() -> None:
    failure = broken(Uneven, ["SC104"])["SC104"]
    assert failure.fix.startswith("Cut the order to a multiple of world_size")
    failure = broken(UnevenEverywhere, ["SC104"])["SC104"]
    assert failure.fix.startswith("Pad the order to a multiple of world_size")


def test_what_a_law_can_follow_from_is_a_law() -> None:
    codes = {law.code for law in ALL_LAWS}
    for law in ALL_LAWS:
        assert codes.issuperset(law.follows)
        assert law.code not in law.follows


@pytest.mark.thorough
def test_stopping_twice_follows_from_a_stop_that_is_not_resumed_exactly() -> None:
    codes = ["SC701", "SC703"]
    failures = broken(only_the_epoch_is_saved.bug, codes, **only_the_epoch_is_saved.CONTRACT)
    assert [failures[code].follows for code in codes] == ["", "SC701"]


@pytest.mark.thorough
def test_a_place_that_is_lost_at_the_second_stop_alone_keeps_a_block_of_its_own() -> None:
    failures = broken(second_resume_drift.bug, ["SC703"], **second_resume_drift.CONTRACT)
    assert failures["SC703"].follows == ""


class RaisesOnTheLast:
    """Draws from its own part, which is empty on the last ranks."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.own = range(rank, length, world_size)

    def __iter__(self) -> Iterator[int]:
        return iter([self.own[0], *self.own[1:]])


@pytest.mark.thorough
def test_ranks_that_wait_for_one_that_raised_are_no_mistake_of_their_own() -> None:
    report = sc.run(
        sc.target(RaisesOnTheLast, name="it", contract=sc.Contract(tail="keep")),
        worlds=["simulated", "gloo"],
        select=["SC001", "SC901", "SC902", "SC904"],
        profile="quick",
    )
    failures = {result.code: result.failure for result in report.failures if result.failure}
    assert failures["SC904"].follows == "SC001"
    (mistake,) = list_mistakes(report.to_dict())
    assert mistake.lead["code"] == "SC001"


def part_of_a_batch(
    dataset: Sized, rank: int, world_size: int, batch_size: int, drop_last: bool = False
) -> Any:
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False, drop_last=drop_last)  # type: ignore[arg-type]
    return BatchSampler(sampler, max(1, batch_size // world_size), drop_last)


def test_a_batch_that_is_that_of_all_ranks_is_one_mistake() -> None:
    found = broken(part_of_a_batch, ["SC105", "SC309", "SC601"])
    assert {one.cause for one in found.values()} == {
        "batch_size is taken for that of all ranks together, and each rank gets its part of it."
    }


def ignores_drop_last(length: int, rank: int, world_size: int, drop_last: bool) -> list[int]:
    """Ranks shuffle by themselves, so that samples are lost; the tail is cut whatever drop_last is."""
    order = torch.randperm(length).tolist()[: length // world_size * world_size]
    return order[rank::world_size]


def test_an_argument_that_has_no_effect_follows_from_no_loss_of_another_kind() -> None:
    failures = broken(ignores_drop_last, ["SC102", "SC309"])
    assert failures["SC309"].violation.fault == "drop_last has no effect where it should"
    assert failures["SC309"].follows == ""


def test_a_number_of_too_few_bits_is_one_mistake_with_what_shows_where_more_bits_are_too_few() -> None:
    length_15, length_16, seed_31, _ = (Found(cause, 3, 3) for cause in SIZES)
    pages = [
        SimpleNamespace(law=SimpleNamespace(code=code), failing=[]) for code in ("SC102", "SC103", "SC301")
    ]
    search: Any = SimpleNamespace(ledger=SimpleNamespace(broken=pages))
    also = by_cause(search, {"SC102": length_15, "SC103": length_16, "SC301": seed_31})
    assert also == {"SC102": ("SC103",), "SC103": ("SC102",), "SC301": ()}


class BlocksOfOneMore(Sampler[int]):
    """Yields each sample twice in blocks, whose size is one too many where they would be even."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.length, self.rank, self.size = length, rank, 2 * length // world_size + 1
        self.total = self.size * world_size if 2 * length % world_size else 2 * length

    def __iter__(self) -> Iterator[int]:
        places = range(self.rank * self.size, min((self.rank + 1) * self.size, self.total))
        return (place // 2 % self.length for place in places)


def test_shares_dealt_out_again_are_even_which_says_nothing_of_why_they_were_not() -> None:
    contract = sc.Contract(repeats=2, order="sequential")
    target = sc.target(BlocksOfOneMore, contract=contract)
    report = sc.run(target, profile="quick", worlds=["simulated"], select=["SC104", "SC107"])
    failures = {one.code: one.failure for one in report.failures if one.failure}
    assert failures["SC107"].cause.startswith("The copies of a sample stand side by side")
    assert failures["SC104"].cause != failures["SC107"].cause
    assert [mistake.lead["code"] for mistake in list_mistakes(report.to_dict())] == ["SC104", "SC107"]


def shuffles_in_place(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
    return ShufflesInPlace(length, rank, world_size, shuffle, seed)


class ShufflesInPlace(Strided):
    """Shuffles the list that it keeps, so that each order begins with the one before."""

    def __init__(self, length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> None:
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed)
        self.kept = list(range(length))

    def order(self) -> list[int]:
        if self.shuffle:
            random.Random(self.seed + self.epoch).shuffle(self.kept)
        return self.kept


def test_of_one_mistake_what_trainings_meet_comes_before_what_few_of_them_do() -> None:
    report = sc.run(shuffles_in_place, profile="quick", worlds=["simulated"])
    (mistake,) = list_mistakes(report.to_dict())
    assert mistake.lead["code"] == "SC304"
    assert {"SC501", "SC502"} <= mistake.codes


@pytest.mark.parametrize(
    ("broken", "swaps"), [("SC102 SC103", True), ("SC102", False), ("SC102 SC103 SC105", False)]
)
def test_where_as_much_comes_as_is_due_what_comes_again_stands_in_the_place_of_others(broken, swaps) -> None:
    pages = {
        code: SimpleNamespace(smallest=code in broken.split() or None, judged=9)
        for code in ("SC102", "SC103", "SC105")
    }
    search = SimpleNamespace(ledger=SimpleNamespace(pages=pages))
    inquiry: Any = SimpleNamespace(page=SimpleNamespace(failing=[]), code="SC102", search=search)
    assert traits_of_cases(inquiry) == ({"instead"} if swaps else set())
    del pages["SC105"]  # nobody has looked at how much comes
    assert traits_of_cases(inquiry) == set()
