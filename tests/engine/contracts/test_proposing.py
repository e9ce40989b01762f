"""What a target seems to be stands beside the verdict, with its real bug; no bug is declared away."""

from __future__ import annotations

import itertools
import math
import random
import re
from functools import partial
from zlib import crc32

import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler, IterableDataset, Sampler, get_worker_info

import samplercheck as sc
from samplercheck.engine.contracts import propose
from samplercheck.engine.contracts._recorded import RecordedWorld
from samplercheck.engine.contracts._telling import telling_cases
from samplercheck.experiments import EXPERIMENTS
from samplercheck.laws.law import Scope
from samplercheck.reports.terminal import summary
from samplercheck.running.inferring import propose_for
from samplercheck.targets.target import as_target
from samplercheck.values.report import Report
from samplercheck.values.sizes import OwnBatch
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.engine.contracts import asked
from tests.engine.contracts.asked import BUGS, SAMPLERS, HungWhenEmpty, Longest, WeightedByAnyGenerator
from tests.sound import batches
from tests.support.inferred import AllOnEveryRank, Loses
from tests.support.tiers import thin_out
from tests.zoo import (
    curriculum_stops_at_a_share,
    drawn_with_replacement,
    drops_unasked,
    endless_share_of_each_lap,
    epoch_stays_in_the_main_process,
    resumed_epoch_comes_twice,
    second_part_stands_still,
    set_epoch_forgotten,
    swaps_with_any_place,
)
from tests.zoo.cases import zoo

SHUFFLED, KEPT = {"order": "shuffled"}, {"tail": "keep"}
DRAWN = {"coverage": "sampled", **SHUFFLED}
SEEMS = {
    "weighted": (DRAWN, ("SC301",)),
    "shuffled": (SHUFFLED, ("SC301",)),
    "uneven": ({**KEPT, **SHUFFLED}, ("SC301",)),
    "chunked": (SHUFFLED, ("SC305",)),
    "grouped": ({**KEPT, **SHUFFLED}, ("SC301",)),
    "balanced": (DRAWN, ("SC301",)),
    "curriculum": (SHUFFLED, ("SC301",)),
    "endless": ({"endless": True, "epochs": "fixed", **SHUFFLED}, ("SC102", "SC103")),
    "whole batches": ({"tail_unit": "batch"}, ("SC201",)),
    "whole rounds": ({"tail": "drop", "tail_unit": "batch", **SHUFFLED}, ("SC106", "SC301")),
    "halved": ({"coverage": "subset", **SHUFFLED}, ("SC301",)),
    "growing": ({"coverage": "subset", "tail": "pad", **SHUFFLED}, ("SC301",)),
    "oversampled": ({**DRAWN, "frequencies": "unjudged"}, ("SC301",)),
    "budgeted": ({"tail": "drop", "batches": "variable", **SHUFFLED}, ("SC301",)),
    "laps": ({"endless": True, "epochs": "fixed", "layout": "strided"}, ("SC301",)),
    "last chunk": ({"tail": "drop", **SHUFFLED}, ("SC102", "SC105")),
    "balanced apart": (DRAWN, ("SC103",)),
}
"""The contract of each sampler, and what is broken under it where it has its bug."""
IN_TIME = {"frequencies": "eventually"}
STRICTER = {"endless": {"layout": "strided"}, "halved": IN_TIME, "growing": IN_TIME}
"""What is seen without the bug alone: whole laps, which ranks take in turn, and other parts in each epoch."""


@pytest.mark.parametrize("name", thin_out(pytest.param(name, id=name) for name in SAMPLERS))
def test_what_a_sampler_seems_to_be_is_all_that_it_breaks(name):
    found = propose_for(sc.target(SAMPLERS[name], name=name))
    assert found is not None
    assert (found.contract, found.left) == (SEEMS[name][0] | STRICTER.get(name, {}), ())


def test_ranks_that_drift_apart_lap_after_lap_are_no_walk_that_they_take_turns_in():
    found = propose_for(sc.target(endless_share_of_each_lap.bug))
    assert found is not None
    assert found.contract["layout"] == "strided"
    assert found.left == ("SC103",)


class WholeShards(IterableDataset):
    """Shards of four samples, which are shuffled and dealt out whole to ranks and workers."""

    def __init__(self, length, rank, world_size, seed):
        self.shards = [range(at, min(at + 4, length)) for at in range(0, length, 4)]
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        shards = random.Random(f"{self.seed} {self.epoch}").sample(self.shards, len(self.shards))
        return itertools.chain.from_iterable(shards[self.rank :: self.world_size][worker::workers])


def test_a_stream_of_whole_shards_keeps_shares_of_unlike_sizes():
    found = propose_for(sc.target(WholeShards))
    assert found is not None
    assert found.contract == {**KEPT, "even_steps": False, **SHUFFLED}
    assert found.left == ("SC803",)  # persistent workers keep their epoch
    assert "SC104" in found.doubted


class GoneThroughAtRates:
    """Each step draws a dataset by the root of its size, and takes the next sample of its own walk."""

    def __init__(self, datasets, rank, world_size, seed):
        self.sizes, self.rank, self.world_size = [len(one) for one in datasets], rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rng, rates, left = random.Random(f"{self.seed} {self.epoch}"), [n**0.5 for n in self.sizes], {}
        firsts = [0, *itertools.accumulate(self.sizes)]
        for step in range(-(-firsts[-1] // self.world_size) * self.world_size):
            (one,) = rng.choices(range(len(rates)), rates)
            left[one] = left.get(one) or rng.sample(range(self.sizes[one]), self.sizes[one])
            index = firsts[one] + left[one].pop()
            if step % self.world_size == self.rank:
                yield index


def test_datasets_that_are_each_gone_through_and_mixed_at_rates_are_drawn():
    found = propose_for(sc.target(GoneThroughAtRates))
    assert found is not None
    assert (found.contract, found.left) == ({**DRAWN, **IN_TIME}, ())


def test_what_a_contract_says_already_is_not_proposed_in_words():
    given = sc.Contract(coverage="subset", frequencies="eventually")
    found = propose_for(sc.target(SAMPLERS["halved"], contract=given))
    assert found is not None
    assert (found.contract, found.signs) == (SHUFFLED, ("shuffle without being asked",))


@pytest.mark.parametrize("name", thin_out(pytest.param(name, id=name) for name in BUGS))
def test_the_bug_is_what_is_still_broken(name):
    found = propose_for(sc.target(BUGS[name], name=name))
    assert found is not None
    assert (found.contract, found.left) == SEEMS[name]


WHOLE = {"tail_unit": "batch", **SHUFFLED}


@pytest.mark.parametrize(
    ("factory", "fields"),
    [
        (batches.drops_what_fills_no_batch, {"tail": "drop", **WHOLE}),
        (batches.fills_batches_of_four, WHOLE),
        pytest.param(batches.loads_fours, {"tail": "drop", **WHOLE}, marks=pytest.mark.thorough),
        (batches.loads_whole_batches, {"tail": "drop", **WHOLE}),
        pytest.param(batches.loads_parts_of_a_batch, {"tail": "drop", **WHOLE}, marks=pytest.mark.thorough),
        pytest.param(batches.asks_its_group, {"tail": "drop", **WHOLE}, marks=pytest.mark.thorough),
        (batches.drops_eights_alone, {"tail": "drop", **WHOLE}),
        (batches.fills_its_last_batch, {"tail": "pad", "tail_unit": "batch"}),
    ],
)
def test_batches_whose_size_or_end_cannot_be_asked_for_are_seen_for_what_they_are(factory, fields):
    alone = sc.Contract(sharding="none", epochs="advance")
    contract = alone if factory in (batches.drops_eights_alone, batches.fills_its_last_batch) else None
    found = propose_for(sc.target(factory, contract=contract))
    assert found is not None
    assert found.contract.items() >= fields.items()
    assert found.left == ()


def test_of_the_bug_behind_a_contract_it_is_said_in_which_cases_it_was_seen():
    chunked, halved = (propose_for(sc.target(BUGS[name], name=name)) for name in ("chunked", "halved"))
    assert chunked.often["SC305"].startswith("in all 11 cases tried on 2 or more ranks")
    assert "world_size=1" not in chunked.found["SC305"]  # the case is one that looks like training
    assert re.fullmatch(r"in all (cases tried .+|\d+ cases where it could be seen)", halved.often["SC301"])
    assert {*halved.often} <= {*halved.left}


def test_batches_that_are_left_out_unasked_are_not_meant():
    found = propose_for(sc.target(drops_unasked.bug, name="drops_unasked"))
    assert found is None or "tail" not in found.contract


def test_what_is_dropped_in_every_epoch_follows_from_their_one_order_behind_a_contract_too():
    assert propose_for(sc.target(BUGS["whole rounds"], name="it")).follows == {"SC106": "SC301"}
    assert propose_for(sc.target(BUGS["halved"], name="it")).follows == {}


class CountsFromOneDatasetBefore:
    """Batches of datasets, each numbered from the size of the one before, and not of all before: a bug."""

    def __init__(self, datasets, batch_size, rank, world_size, seed):
        self.ranges, begin = [], 0
        for one in datasets:
            self.ranges.append(range(begin, begin + len(one)))
            begin = len(one)
        self.size, self.rank, self.world_size, self.seed = batch_size, rank, world_size, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rng, batches = random.Random(f"{self.seed} {self.epoch}"), []
        for one in self.ranges:
            order = rng.sample(one, len(one))
            batches += [order[at : at + self.size] for at in range(0, len(order), self.size)]
        rng.shuffle(batches)
        rounds = -(-len(batches) // self.world_size) * self.world_size
        return itertools.islice(itertools.cycle(batches), self.rank, rounds, self.world_size)


def test_what_comes_again_in_place_of_what_is_lost_is_not_meant():
    chunks = {"batches": "variable", "shuffles": "chunks", **SHUFFLED}
    assert propose_for(sc.target(CountsFromOneDatasetBefore, contract=sc.Contract(**chunks))) is None


class RepeatsTheRare:
    """Repeats every other sample, more often in a large dataset, as repeat factors of rare classes do."""

    def __init__(self, length, rank, world_size, seed):
        self.repeated = [i for i in range(length) for _ in range(1 + i % 2 * math.isqrt(length))]
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = random.Random(f"{self.seed} {self.epoch}").sample(self.repeated, len(self.repeated))
        total = -(-len(order) // self.world_size) * self.world_size
        return itertools.islice(itertools.cycle(order), self.rank, total, self.world_size)


def test_what_ends_under_a_contract_has_not_hung():
    long = sc.Case(length=190, epochs=2)
    with open_world("simulated") as world:
        found = propose(RecordedWorld(world), sc.target(RepeatsTheRare), [long], may_hide=True)
    assert found is not None
    assert found.contract == {**DRAWN, "frequencies": "at_least_once"}
    assert "SC002" in found.settled
    assert found.left == ()
    assert "SC002" not in found.doubted


class ShufflesInPlace:
    """Shuffles one list again and again, so that an epoch depends on those before it."""

    def __init__(self, length, rank, world_size, seed):
        self.indices, self.seed, self.epoch = list(range(length)), seed, 0
        self.rank, self.world_size = rank, world_size

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        random.Random(f"{self.seed} {self.epoch}").shuffle(self.indices)
        total = -(-len(self.indices) // self.world_size) * self.world_size
        return itertools.islice(itertools.cycle(self.indices[:]), self.rank, total, self.world_size)


def test_passes_that_disturb_each_other_say_nothing_against_a_contract():
    found = propose_for(sc.target(ShufflesInPlace))
    assert found is not None
    assert found.contract == SHUFFLED
    assert len({"SC304", "SC501", "SC502", "SC503"}.intersection(found.left)) == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", BUGS)
def test_what_is_said_of_few_cases_is_true_of_all(name):
    found = propose_for(sc.target(BUGS[name], name=name))
    assert found is not None
    target = sc.target(BUGS[name], name=name, contract=sc.Contract(**found.contract))
    failures = sc.run(target, profile="quick").failures
    # What follows from a broken law, and shows in many epochs alone, is told with that law.
    following = {one.code for one in failures if one.failure and one.failure.follows}
    assert {one.code for one in failures} - following == {*found.left} - following


@pytest.mark.slow
@pytest.mark.parametrize("module", [one for one in zoo() if not one.CONTRACT], ids=lambda one: one.SLUG)
def test_no_bug_of_what_should_keep_the_default_seems_to_be_something_else(module):
    assert propose_for(sc.target(module.bug, axes=module.AXES)) is None


@pytest.mark.parametrize("factory", [AllOnEveryRank, set_epoch_forgotten.bug, set_epoch_forgotten.sound])
def test_a_plain_bug_and_what_holds_seem_nothing(factory):
    assert propose_for(sc.target(factory)) is None


class EndlessInTurn:
    """Takes its positions of an endless stream in turn, and each rank shuffles a stream of its own."""

    def __init__(self, length, rank, world_size, shuffle, seed):
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed = shuffle, seed

    def __iter__(self):
        return itertools.islice(self.stream(), self.rank, None, self.world_size)

    def stream(self):
        rng = random.Random(self.seed + self.rank)
        order = list(range(self.length))
        while order:
            if self.shuffle:
                rng.shuffle(order)
            yield from order


class GoesOnForEver:
    """Takes its positions of one shuffled stream in turn, and goes on with it in every iterator."""

    def __init__(self, length, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed, self.taken = length, rank, world_size, seed, 0

    def __iter__(self):
        while self.length:
            lap, place = divmod(self.taken * self.world_size + self.rank, self.length)
            self.taken += 1
            yield random.Random(f"{self.seed} {lap}").sample(range(self.length), self.length)[place]


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize(
    "module",
    [
        swaps_with_any_place,
        second_part_stands_still,
        pytest.param(epoch_stays_in_the_main_process, marks=pytest.mark.thorough),
    ],
)
def test_what_only_long_cases_or_a_worker_show_is_broken_even_if_a_shuffle_is_meant(module):
    proposal = sc.run(sc.target(module.bug), profile="quick", worlds=["simulated"]).proposal
    assert proposal.contract["order"] == "shuffled"
    assert {*proposal.left} == module.EXPECT


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_samples_that_never_come_are_lost_even_if_each_epoch_is_meant_to_be_another_part():
    module = curriculum_stops_at_a_share
    bug, sound = (
        sc.run(sc.target(part), profile="quick", worlds=["simulated"]) for part in (module.bug, module.sound)
    )
    assert bug.proposal.left == ("SC1001",)
    assert "never came in 1728 passes" in bug.proposal.found["SC1001"]
    assert sound.proposal.left == ()


class LongestFirst(Sampler):
    """Sorts a shuffled order by length and deals it out; seeds the process, and pads no more than once."""

    def __init__(self, lengths, num_replicas, rank, seed=0, drop_last=False):
        self.lengths, self.num_replicas, self.rank = lengths, num_replicas, rank
        self.seed, self.epoch = seed, 0
        self.share = len(lengths) // num_replicas if drop_last else -(-len(lengths) // num_replicas)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.share

    def __iter__(self):
        torch.manual_seed(self.seed + self.epoch)
        order = sorted(torch.randperm(len(self.lengths)).tolist(), key=lambda i: -self.lengths[i])
        total = self.share * self.num_replicas
        order += order[: max(0, total - len(order))]
        return iter(order[self.rank : total : self.num_replicas])


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_what_no_contract_excuses_speaks_against_none_and_what_is_always_dropped_is_seen():
    proposal = sc.run(sc.target(LongestFirst), profile="quick", worlds=["simulated"]).proposal
    assert proposal.contract == SHUFFLED
    assert {"SC106", "SC104", "SC403"} <= {*proposal.left}
    assert proposal.found["SC106"].startswith("in 52 epochs never yielded: ")


class GoesOnInOrder(GoesOnForEver):
    """The same in the order of the dataset."""

    def __iter__(self):
        while self.length:
            self.taken += 1
            yield ((self.taken - 1) * self.world_size + self.rank) % self.length


def test_an_endless_stream_that_goes_on_in_order_is_not_said_to_shuffle():
    found = propose_for(sc.target(GoesOnInOrder))
    assert found is not None
    assert "order" not in found.contract
    assert found.left == ()


@pytest.mark.thorough
def test_an_endless_stream_that_goes_on_is_told_with_that():
    found = propose_for(sc.target(GoesOnForEver))
    assert found is not None
    assert found.contract == {
        "endless": True,
        "epochs": "fixed",
        "layout": "strided",
        "after_break": "rest",
        **SHUFFLED,
    }
    assert found.left == ()


class BalancesByHalves:
    """Repeats samples until all labels come equally often, and rounds its share to the nearest number."""

    def __init__(self, labels, rank, world_size):
        groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
        most = max(map(len, groups), default=0)
        self.order = [one for group in groups for one in itertools.islice(itertools.cycle(group), most)]
        self.share = round(len(self.order) / world_size)
        self.rank, self.world_size = rank, world_size

    def __iter__(self):
        order = self.order + self.order[: self.world_size]
        return iter(order[: self.share * self.world_size][self.rank :: self.world_size])


def test_what_loses_samples_of_one_label_is_not_said_to_balance_labels():
    """The contract that it seems to keep asks for every sample, so that nothing excuses the lost ones."""
    seems = propose_for(sc.target(BalancesByHalves))
    assert seems is None or "SC102" in seems.left


@pytest.mark.thorough
def test_a_run_says_that_repeats_may_be_meant_to_balance_and_what_is_wrong_even_so():
    report = sc.run(BalancesByHalves, profile="quick", worlds=["simulated"])
    seems = report.proposal
    assert seems is not None
    assert seems.contract["frequencies"] == "at_least_once"
    assert {"SC103", "SC302"} <= {*seems.settled}
    assert (seems.hides, seems.left) == ((), ("SC102", "SC301"))
    text = " ".join(str(report).split())
    assert "to repeat samples of rare labels: --contract coverage=sampled,frequencies=at_least_once" in text
    assert "by chance" not in text


class EveryPassIsAnEpoch:
    """Begins the next epoch with each pass, and has no set_epoch."""

    def __init__(self, length, rank, world_size, shuffle, seed):
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed, self.following = shuffle, seed, 0

    def __iter__(self):
        order, epoch = list(range(self.length)), self.following
        self.following += 1
        if self.shuffle:
            random.Random(f"{self.seed} {epoch}").shuffle(order)
        order += (order * self.world_size)[: -self.length % self.world_size]
        return iter(order[self.rank :: self.world_size])


def test_epochs_that_come_with_each_pass_are_seen_where_a_shuffle_is_to_be_asked_for():
    found = propose_for(sc.target(EveryPassIsAnEpoch))
    assert found is not None
    assert (found.contract, found.left) == ({"epochs": "advance"}, ())


def test_ranks_that_take_an_endless_stream_in_turn_are_held_to_it():
    found = propose_for(sc.target(EndlessInTurn))
    assert found is not None
    assert found.contract == {"endless": True, "epochs": "fixed", "layout": "strided"}
    assert found.left == ("SC103",)


class BucketedBatches:
    """Batches of each bucket, the last perhaps short, dealt out; the first batch fills the last round."""

    def __init__(self, lengths, batch_size, rank, world_size, buckets=4):
        order = sorted(range(len(lengths)), key=lengths.__getitem__)
        size = max(1, -(-len(order) // buckets))
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        batches = [part[at : at + batch_size] for part in parts for at in range(0, len(part), batch_size)]
        while len(batches) % world_size:
            batches.append(batches[0])
        self.mine = batches[rank::world_size]

    def __iter__(self):
        return iter(self.mine)


def test_short_batches_of_each_bucket_are_batches_of_several_sizes_on_several_ranks_too():
    found = propose_for(sc.target(BucketedBatches))
    assert found is not None
    assert found.contract["batches"] == "variable"
    assert {"SC103", "SC104", "SC603"} <= {*found.settled}
    assert found.left == ("SC302",)  # which sorts by length


def test_what_is_sorted_is_not_said_to_shuffle():
    found = propose_for(sc.target(Longest))
    assert found is not None
    assert (found.contract, found.left) == ({"order": "free"}, ())
    assert found.signs == ("sort samples by their lengths",)


def label_by_label(labels, rank, world_size):
    order = sorted(range(len(labels)), key=labels.__getitem__)
    total = -(-len(order) // world_size) * world_size
    return [*itertools.islice(itertools.cycle(order), rank, total, world_size)]


def test_what_goes_through_the_labels_is_not_said_to_shuffle():
    found = propose_for(sc.target(label_by_label))
    assert found is not None
    assert (found.contract, found.left) == ({"order": "free"}, ())
    assert found.signs == ("go through one label after the other",)


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_a_law_that_the_other_contract_says_nothing_of_is_not_said_to_stay_broken():
    """A part of the dataset is not drawn evenly from the whole: over many epochs alone that breaks SC1002."""
    report = sc.run(sc.target(EverySecond), profile="quick")
    assert "SC1002" in {one.code for one in report.failures}
    assert report.proposal is not None
    assert (report.proposal.contract, report.proposal.left) == ({"coverage": "subset"}, ())


def test_lost_and_repeated_samples_are_called_a_bug_where_they_are_not_meant():
    found = propose_for(sc.target(drawn_with_replacement.bug))
    assert found is not None
    assert found.doubted == ("SC102", "SC103", "SC105")
    assert found.text.endswith("If not meant, SC102, SC103 and SC105 are the bug.")


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_what_hangs_without_any_sample_is_still_endless():
    soon = {"deadlines": Deadlines(seconds=0.25)}
    target = sc.target(HungWhenEmpty, name="endless")
    report = sc.run(target, profile="quick", worlds=["simulated"], world_settings=soon)
    assert report.proposal is not None
    assert report.proposal.contract == SEEMS["endless"][0] | STRICTER["endless"]


class SharesOneLap(asked.Placed):
    """Deals out the first lap of an endless walk; in all others each rank takes what the first one does."""

    def __init__(self, length, rank, world_size, shuffle=True):
        super().__init__(length, rank, world_size)
        self.shuffle = shuffle

    def __iter__(self):
        generator, first = torch.Generator().manual_seed(0), self.rank
        while self.length:
            lap = torch.randperm(self.length, generator=generator).tolist()
            yield from (lap if self.shuffle else range(self.length))[first :: self.world_size]
            first = 0


def test_laps_behind_the_first_that_lose_samples_are_seen_in_order():
    found = propose_for(sc.target(SharesOneLap))
    assert found is not None
    assert found.contract["endless"] is True
    assert "SC102" in found.left


def test_who_takes_weights_and_draws_by_them_is_meant_to_however_much_is_wrong_besides():
    drawn = sc.target(partial(WeightedByAnyGenerator, forgets=True), name="weighted")
    found = propose_for(drawn)
    assert found is not None
    assert found.contract == DRAWN
    assert {"SC102", "SC103"} <= set(found.settled)
    assert {"SC401", "SC402", "SC403", "SC501"} <= set(found.left)


def test_who_knows_no_ranks_still_loses_samples():
    found = propose_for(sc.target(Loses))
    assert found is not None
    assert found.contract == {"sharding": "none"}
    assert "SC102" in found.left


def test_what_a_contract_says_already_is_left():
    target = sc.target(BUGS["uneven"], name="uneven", contract=sc.Contract(order="sequential"))
    found = propose_for(target)
    assert found is not None
    assert found.contract == KEPT


@pytest.mark.thorough
def test_a_run_says_what_its_target_seems_to_be_and_keeps_its_verdict():
    report = sc.run(sc.target(BUGS["shuffled"], name="shuffled"), profile="quick")
    assert {one.code for one in report.failures} == {"SC302"}
    assert report.proposal is not None
    said = "Seems to shuffle without being asked: with --contract order=shuffled all but SC301 hold"
    assert report.proposal.text == f"{said} (in {report.proposal.cases} cases)."
    said = " ".join(str(report).partition("\n\n")[0].split())
    assert "training wrong order: epochs have the same order (SC301)" in said
    assert said.endswith("seems to shuffle without being asked: --contract order=shuffled")
    assert "\nseems     to shuffle without being asked" in summary(report.to_dict())
    assert Report.from_dict(report.to_dict(), lambda _: report.results[0].law).proposal == report.proposal


class EverySecond(Sampler):
    """Half of the dataset, always the same, shuffled when asked to."""

    def __init__(self, length, rank, world_size, shuffle):
        self.part, self.rank, self.world_size = list(range(1, length, 2)), rank, world_size
        self.shuffle, self.epoch = shuffle, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(self.part)
        if self.shuffle:
            random.Random(self.epoch).shuffle(order)
        return iter(order[: len(order) // self.world_size * self.world_size][self.rank :: self.world_size])


class ShuffledByHash(Sampler):
    """Shuffles without being asked, by a seed from the hash of a text: fresh processes alone show it."""

    def __init__(self, dataset, rank, num_replicas):
        self.length, self.rank, self.num_replicas, self.epoch = len(dataset), rank, num_replicas, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(range(self.length))
        random.Random(hash(("train", self.epoch))).shuffle(order)
        return iter(order[self.rank :: self.num_replicas])


@pytest.mark.thorough
def test_what_fresh_processes_have_shown_is_not_said_to_hold_under_another_contract():
    report = sc.run(sc.target(ShuffledByHash, name="hashed"), profile="quick")
    assert report.proposal is not None
    assert "SC402" in {one.code for one in report.failures}
    assert report.proposal.left == ("SC402",)


@pytest.mark.thorough
@pytest.mark.usefixtures("brief")
def test_a_run_that_infers_is_judged_by_it():
    report = sc.run(sc.target(BUGS["shuffled"], name="shuffled"), profile="quick", infer=True)
    assert {one.code for one in report.failures} == {"SC301"}
    assert report.contract == "Contract(order='shuffled')"
    assert report.proposal is None


def test_cases_are_run_once_for_all_contracts():
    with open_world("simulated") as home:
        counted = CountingWorld(home)
        propose(counted, sc.target(SAMPLERS["uneven"], name="uneven"))
    assert max(counted.runs.values()) == 1


class CountingWorld:
    """Counts how often a case is run, by the experiments and the epochs' manner of the contract."""

    def __init__(self, world):
        self.name, self.guard, self.world, self.runs = world.name, world.guard, world, {}

    def trace(self, binding, case, experiments, kind="", *more):
        key = case, tuple(experiments), binding.contract.epochs
        self.runs[key] = self.runs.get(key, 0) + 1
        return self.world.trace(binding, case, experiments, kind, *more)


class SeedForgotten(Sampler):
    """Shuffles by the epoch alone, though it takes a seed."""

    def __init__(self, dataset, num_replicas, rank, seed=0):
        self.length, self.num_replicas, self.rank = len(dataset), num_replicas, rank
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(range(self.length))
        random.Random(self.epoch).shuffle(order)
        order += itertools.islice(itertools.cycle(order), -self.length % self.num_replicas)
        return iter(order[self.rank :: self.num_replicas])

    def __len__(self):
        return math.ceil(self.length / self.num_replicas)


@pytest.mark.thorough
def test_a_seed_that_is_ignored_is_still_broken_under_the_order_that_a_sampler_seems_to_mean():
    report = sc.run(SeedForgotten, profile="quick", worlds=["simulated"], isolate=False)
    proposal = report.proposal
    assert proposal.contract == SHUFFLED
    assert proposal.left == ("SC303",)


CONTRACTS = (
    {},
    SHUFFLED,
    DRAWN,
    {"coverage": "subset"},
    {"tail": "keep"},
    {"repeats": 3},
    {"foreign_state": "refused"},
    {"epochs": "fixed"},
    {"sharding": "none"},
    {"order": "free", "tail": "drop"},
)


def test_what_is_known_of_one_contract_answers_for_another_only_what_a_run_of_its_own_would():
    case, asked = sc.Case(length=9, world_size=2, epochs=3), tuple(EXPERIMENTS)
    bindings = [sc.target(SeedForgotten, contract=sc.Contract(**one)).bind() for one in CONTRACTS]
    with open_world("simulated") as world:
        own = [repr(world.trace(binding, case, asked).records) for binding in bindings]
        for before, binding in enumerate(bindings):
            recorded = RecordedWorld(world)
            recorded.trace(binding, case, asked)
            for after, other in enumerate(bindings):
                known = recorded.trace(other, case, asked).records
                assert repr(known) == own[after], (CONTRACTS[before], CONTRACTS[after])


class GoesOn(DistributedSampler):
    """Goes on to the next epoch when a pass has come to its end, as Accelerate's sampler does."""

    def __iter__(self):
        yield from super().__iter__()
        self.epoch += 1


class GoesOnAtOnce(DistributedSampler):
    """Goes on to the next epoch when a pass begins."""

    def __iter__(self):
        begun = super().__iter__()
        self.epoch += 1
        return begun


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "more"), [(GoesOn, {"after_break": "again"}), (GoesOnAtOnce, {})])
def test_what_goes_on_by_itself_may_be_meant_to(kind, more):
    def build(dataset, rank, world_size, seed):
        return kind(dataset, world_size, rank, seed=seed)

    shuffled = sc.Contract(order="shuffled")
    proposal = sc.run(build, shuffled, profile="quick", select=["SC1", "SC3", "SC5"]).proposal
    assert proposal.contract == {"epochs": "either", **more}
    assert "SC501" in proposal.settled
    assert not proposal.left


class DrawnAlone:
    """As many samples as there are, drawn with replacement on the generator of the process."""

    def __init__(self, dataset):
        self.length = len(dataset)

    def __len__(self):
        return self.length

    def __iter__(self):
        return iter([random.randrange(self.length) for _ in range(self.length)])


class MostOfIt(DrawnAlone):
    """Nine samples in ten, shuffled on the generator of the process."""

    def __len__(self):
        return self.length * 9 // 10

    def __iter__(self):
        return iter(random.sample(range(len(self)), len(self)))


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "adds"), [(DrawnAlone, "coverage=sampled"), (MostOfIt, "coverage=subset")])
def test_to_what_is_judged_as_a_sampler_of_one_process_a_proposal_adds_no_more_than_it_needs(kind, adds):
    report = sc.run(sc.target(kind), profile="quick", worlds=["simulated"])
    assert report.proposal is not None
    assert (report.proposal.words, report.proposal.left) == (adds, ())


class EvenRounds:
    """Sorts samples within rounds that all ranks will share, and draws as the process does."""

    def __init__(self, lengths, batch_size, world_size):
        self.lengths, self.size = lengths, batch_size * world_size

    def __iter__(self):
        order = random.sample(range(len(self.lengths)), len(self.lengths))
        rounds = [order[at : at + self.size] for at in range(0, len(order), self.size)]
        return iter([one for each in rounds for one in sorted(each, key=self.lengths.__getitem__)])


@pytest.mark.thorough
def test_who_is_told_how_many_ranks_there_are_and_not_which_takes_no_part():
    found = propose_for(sc.target(EvenRounds))
    assert found is not None
    assert found.contract == {"sharding": "none", "ambient_rng": "shared", **SHUFFLED}
    assert found.left == ()


class RepeatsAPart:
    """Repeated augmentation: each of a third of the samples three times, dealt out to the ranks."""

    def __init__(self, length, rank, world_size, seed=0, *, moves=True):
        self.length, self.rank, self.world_size, self.seed, self.moves = length, rank, world_size, seed, moves
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(range(self.length))
        random.Random(f"{self.seed}/{self.epoch * self.moves}").shuffle(order)
        share = [one for one in order for _ in range(3)][self.rank :: self.world_size]
        return iter(share[: self.length // self.world_size])


def test_samples_of_a_part_that_come_several_times_each_are_told_where_the_part_moves():
    found = propose_for(sc.target(RepeatsAPart))
    assert found is not None
    assert (found.contract, found.left) == ({"coverage": "subset", "repeats": 3, **SHUFFLED}, ())
    lost = propose_for(sc.target(partial(RepeatsAPart, moves=False), name="lost"))
    assert lost is None or "coverage" not in lost.contract


class RepeatsAPartIfAsked(RepeatsAPart):
    """The same without a shuffle unless it is asked for, so that the part stays."""

    def __init__(self, length, rank, world_size, shuffle, seed):
        super().__init__(length, rank, world_size, seed)
        self.shuffle = shuffle

    def __iter__(self):
        if self.shuffle:
            return super().__iter__()
        share = [one for one in range(self.length) for _ in range(3)][self.rank :: self.world_size]
        return iter(share[: self.length // self.world_size])


def test_a_part_that_moves_where_a_shuffle_is_asked_for_is_told_too():
    found = propose_for(sc.target(RepeatsAPartIfAsked))
    assert found is not None
    assert (found.contract, found.left) == ({"coverage": "subset", "repeats": 3}, ())


class RefusesAFew:
    """Batches of another half in each epoch, of eight samples at least: fewer are refused."""

    def __init__(self, labels, seed):
        self.length, self.seed, self.epoch = len(labels), seed, 0
        assert self.length >= 8, "batches need eight samples"

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        half = random.Random(f"{self.seed}/{self.epoch}").sample(range(self.length), self.length // 2)
        return iter([half[at : at + 4] for at in range(0, len(half), 4)])


def test_the_lengths_that_a_target_refuses_say_nothing_of_its_ends():
    found = propose_for(sc.target(RefusesAFew))
    assert found is not None
    assert found.contract["coverage"] == "subset"


class OneForAll(RepeatsAPartIfAsked):
    """The first sample of each share, again and again: a slip."""

    def __iter__(self):
        order = list(range(self.length))
        if self.shuffle:
            random.Random(f"{self.seed}/{self.epoch}").shuffle(order)
        share = order[self.rank :: self.world_size]
        return iter(share[:1] * len(share))


def test_one_sample_that_fills_an_epoch_is_no_part_whose_samples_are_repeated():
    found = propose_for(sc.target(OneForAll))
    assert found is None or not {"coverage", "repeats"} & found.contract.keys()


class PicksOfLabels:
    """Two of each of two labels, for losses that compare pairs; a label of one has its sample twice."""

    def __init__(self, labels, seed):
        self.draw, self.groups = random.Random(seed), {}
        for i, label in enumerate(labels):
            self.groups.setdefault(label, []).append(i)

    def __iter__(self):
        names = sorted(self.groups)
        for name in self.draw.sample(names, len(names) // 2 * 2):
            group = self.groups[name]
            yield from self.draw.sample(group, 2) if len(group) > 1 else group * 2


def test_what_picks_a_few_samples_of_each_label_is_told_so():
    found = propose_for(sc.target(PicksOfLabels))
    assert found is not None
    picks = {"coverage": "sampled", "frequencies": "unjudged", **SHUFFLED}
    assert (found.contract, found.left) == ({**picks, "sharding": "none", "epochs": "advance"}, ())
    assert found.signs[0] == "pick some samples of some labels in each epoch"


class Identities:
    """Four of each of most labels, in an order of chance; where there are fewer, some come twice."""

    def __init__(self, labels):
        self.groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted({*labels})]

    def __iter__(self):
        for group in random.sample(self.groups, -(-len(self.groups) * 3 // 4)):
            yield from random.sample(group, 4) if len(group) > 3 else random.choices(group, k=4)


@pytest.mark.thorough
def test_identities_of_which_most_come_are_told_as_picked_by_their_labels():
    found = propose_for(sc.target(Identities))
    assert found is not None
    assert found.signs[0] == "pick some samples of some labels in each epoch"
    assert not found.left


class DrawsMoreThanThereAre:
    """A pass is as long as a fixed number of iterations, whatever the dataset."""

    def __init__(self, dataset):
        self.length = len(dataset)

    def __len__(self):
        return 60

    def __iter__(self):
        return iter(random.choices(range(self.length), k=60))


def test_draws_that_go_far_beyond_the_dataset_are_told_as_draws():
    found = propose_for(sc.target(DrawsMoreThanThereAre))
    assert found is not None
    assert found.contract["coverage"] == "sampled"
    assert not found.left


class Episodes:
    """Three tasks of four samples each, drawn in every epoch: few come twice."""

    def __init__(self, dataset):
        self.length = len(dataset)

    def __iter__(self):
        return iter([random.sample(range(self.length), min(4, self.length)) for _ in range(3)])


@pytest.mark.thorough
def test_a_few_draws_in_each_epoch_are_told_though_few_samples_come_again():
    found = propose_for(sc.target(Episodes))
    assert found is not None
    assert found.contract["coverage"] == "sampled"
    assert not found.left


class Poisson:
    """Each sample is in a step by a chance of one in four, as differential privacy needs it."""

    def __init__(self, dataset, seed=0):
        self.length, self.draw = len(dataset), random.Random(seed)

    def __iter__(self):
        for _ in range(8 if self.length else 0):
            yield [i for i in range(self.length) if self.draw.random() < 1 / 4]


def test_batches_of_which_each_sample_is_a_part_by_chance_may_be_empty():
    found = propose_for(sc.target(Poisson, contract=sc.Contract.single_process()))
    assert found is not None
    assert found.contract == {"coverage": "sampled", "batches": "variable", "empty_batches": True}
    assert found.left == ()


class EpisodesOfFour(asked.Grouped):
    """Takes four unlike samples of a label in each episode, and raises where a label has fewer."""

    def share(self):
        members = [[i for i, one in enumerate(self.labels) if one == label] for label in {*self.labels}]
        draw = random.Random(f"{self.epoch}/{self.rank}")
        return [draw.sample(draw.choice(members), 4) for _ in range(5)] if members else []


def test_what_raises_where_a_label_is_rare_is_looked_at_where_none_is():
    with open_world("simulated") as world:
        rare = [sc.Case(length=5, features={"labels": (0, 0, 0, 0, 1)})]
        found = propose(world, as_target(EpisodesOfFour), rare)
    assert found is not None
    assert (found.contract, found.left) == (DRAWN, ("SC001",))


class MixesDatasets:
    """Batches of one dataset each, drawn at random; each is gone through in turn."""

    def __init__(self, datasets, batch_size, rank, seed):
        self.sizes, self.batch_size, self.rank, self.seed = [*map(len, datasets)], batch_size, rank, seed

    def __iter__(self):
        draw = random.Random(f"{self.seed}/{self.rank}")
        starts = [0, *itertools.accumulate(self.sizes)]
        own = [itertools.cycle(range(a, b)) for a, b in itertools.pairwise(starts) if b > a]
        while own:
            yield list(itertools.islice(draw.choice(own), self.batch_size))


@pytest.mark.thorough
def test_datasets_that_are_mixed_without_an_end_are_told_as_draws():
    found = propose_for(sc.target(MixesDatasets))
    assert found is not None
    endless = {"endless": True, "epochs": "fixed", "coverage": "sampled", "frequencies": "unjudged"}
    assert (found.contract, found.left) == ({**endless, **SHUFFLED}, ())


class WalksOn:
    """One walk of one process, which a new iterator goes on with."""

    def __init__(self, dataset):
        self.length, self.place = len(dataset), 0

    def __iter__(self):
        while self.length:
            self.place += 1
            yield (self.place - 1) % self.length


@pytest.mark.thorough
def test_a_walk_of_one_process_without_an_end_is_told_although_no_rank_is_named():
    found = sc.run(WalksOn, profile="quick", select=["SC0", "SC5"]).proposal
    assert found is not None
    walk = {"endless": True, "epochs": "fixed", "after_break": "rest"}
    assert (found.contract, found.left) == (walk, ())
    assert list(found.contract) == list(walk)


def full_batches_of_each_dataset(datasets, batch_size):
    """Batches of one process, full ones alone, of each dataset by itself."""
    starts = [0, *itertools.accumulate(map(len, datasets))]
    return [
        [*range(at, at + batch_size)]
        for start, end in itertools.pairwise(starts)
        for at in range(start, end - batch_size + 1, batch_size)
    ]


def full_rows(dataset, batch_size):
    """Rows of a long sequence, which are read beside one another."""
    rows = len(dataset) // batch_size
    return [[row * rows + step for row in range(batch_size)] for step in range(rows)]


@pytest.mark.thorough
@pytest.mark.parametrize(("made", "unit"), [(full_batches_of_each_dataset, "group"), (full_rows, "batch")])
def test_batches_that_one_process_leaves_out_are_told_with_their_unit(made, unit):
    found = sc.run(made, profile="quick", select=["SC1", "SC6"]).proposal
    assert found is not None
    assert (found.contract, found.left) == ({"tail": "drop", "tail_unit": unit}, ())
    meant = sc.target(made).change_contract(found.contract)
    assert sc.run(sc.target(made, contract=meant), profile="quick", select=["SC1", "SC3", "SC6"]).ok


class HeavyOnesFirst:
    """Every sample once, those of a high weight sooner."""

    def __init__(self, weights, seed):
        self.weights, self.seed, self.epoch = weights, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        draw = random.Random(f"{self.seed}/{self.epoch}")
        keys = [draw.random() ** (1 / max(weight, 1e-9)) for weight in self.weights]
        return iter(sorted(range(len(keys)), key=lambda i: -keys[i]))


class LongOnesAgain(HeavyOnesFirst):
    """Every sample in order, and then the longer half of them once more."""

    def __init__(self, lengths, seed):
        super().__init__(lengths, seed)

    def __iter__(self):
        by_length = sorted(range(len(self.weights)), key=lambda i: -self.weights[i])
        again = by_length[: len(by_length) // 2]
        random.Random(f"{self.seed}/{self.epoch}").shuffle(again)
        return iter([*range(len(self.weights)), *again])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("made", "words", "changes"),
    [
        (HeavyOnesFirst, "yield each sample once, whatever its weight", {"coverage": "once"}),
        (
            LongOnesAgain,
            "yield every sample, and many of them again",
            {"coverage": "sampled", "frequencies": "at_least_once"},
        ),
    ],
)
def test_who_reads_what_it_does_not_draw_by_is_told_what_it_yields(made, words, changes):
    found = sc.run(made, profile="quick", select=["SC1", "SC1001"]).proposal
    assert found is not None
    assert words in found.signs
    assert changes.items() <= found.contract.items()
    assert found.left == ()


def in_turn(datasets, batch_size):
    """A batch of each dataset in turn, of which the last may be short."""
    starts = [0, *itertools.accumulate(map(len, datasets))]
    pairs = itertools.pairwise(starts)
    cut = [[[*range(at, min(at + batch_size, b))] for at in range(a, b, batch_size)] for a, b in pairs]
    return [batch for row in itertools.zip_longest(*cut) for batch in row if batch]


@pytest.mark.thorough
def test_short_batches_between_those_of_another_dataset_may_be_meant():
    found = sc.run(in_turn, profile="quick", select=["SC6"]).proposal
    assert found is not None
    assert (found.contract["batches"], found.left) == ("variable", ())


class WalksInPieces:
    """The next two samples of a walk in each pass."""

    def __init__(self, dataset):
        self.length, self.place = len(dataset), 0

    def __iter__(self):
        for _ in range(min(2, self.length)):
            yield self.place
            self.place = (self.place + 1) % self.length


def test_short_passes_of_one_walk_are_told_as_that_where_a_lap_ends_within_one():
    found = propose_for(sc.target(WalksInPieces, contract=sc.Contract.single_process()))
    assert found is not None
    walk = {"coverage": "sampled", "frequencies": "eventually"}
    assert (found.contract, found.left) == (walk, ())


class EvenStream(IterableDataset):
    """A rank's even share of a shuffled dataset; a worker that is kept never hears of another epoch."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = random.Random(self.epoch).sample(range(self.length), self.length)
        share = order[: self.length // self.world_size * self.world_size][self.rank :: self.world_size]
        info = get_worker_info()
        return iter(share if info is None else share[info.id :: info.num_workers])


def test_what_a_worker_shows_alone_is_told_beside_the_contract_of_a_stream():
    found = propose_for(sc.target(EvenStream))
    assert found is not None
    assert (found.contract, found.left) == ({"tail": "drop", **SHUFFLED}, ("SC803",))


@pytest.mark.thorough
def test_no_walk_is_proposed_where_an_end_is_declared_to_lead_to_the_next_epoch():
    """The two contradict each other, and asking for both is an error of the contract."""
    zoo_file = resumed_epoch_comes_twice
    target = sc.target(zoo_file.bug, contract=sc.Contract(**zoo_file.CONTRACT))
    report = sc.run(target, profile="quick", select=["SC702"])
    assert [one.code for one in report.failures] == ["SC702"]


class SharedOut(IterableDataset):
    """Gives each worker of each rank its part, however many there are."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self):
        worker = get_worker_info()
        at, number = (0, 1) if worker is None else (worker.id, worker.num_workers)
        first, step = self.rank * number + at, self.world_size * number
        return iter(range(first, self.length, step))


def loads_shares(length, rank, world_size):
    return DataLoader(SharedOut(length, rank, world_size), batch_size=4, num_workers=2)


@pytest.mark.thorough
def test_what_workers_alone_have_shown_is_judged_by_what_is_proposed():
    proposal = sc.run(loads_shares, profile="quick").proposal
    assert proposal is not None
    assert (proposal.contract, proposal.left) == (KEPT, ())
    assert "SC802" in proposal.settled


def goes_on_and_on(length, rank, world_size):
    return itertools.cycle(range(rank, length, world_size)) if rank < length else ()


def test_what_says_how_its_epochs_end_is_not_meant_to_be_endless():
    found = propose_for(sc.target(goes_on_and_on, name="on and on"))
    assert found is not None
    assert found.contract["endless"]
    assert propose_for(sc.target(goes_on_and_on, name="on and on", contract=sc.Contract(**KEPT))) is None


def test_cases_that_tell_much_have_the_part_of_a_batch_that_so_many_ranks_share():
    what = sc.target(batches.loads_parts_of_a_batch)
    shared = OwnBatch(100, is_shared=True)
    scope = Scope(contract=what.contract, named=what.bind().named, kind="batches", own_batch=shared)
    cases = telling_cases(what, scope, ((),), is_long=True)
    assert {case.world_size for case in cases} > {1}
    assert all(case.batch_size == 100 // case.world_size for case in cases)


class ByGroup(Sampler):
    """Deals out whole groups, by a hash or in turn, so that ranks hold as many samples as their groups do."""

    def __init__(self, group_ids, rank, world_size):
        own = {one for one in set(group_ids) if crc32(b"%d" % one) % world_size == rank}
        self.share = [i for i, one in enumerate(group_ids) if one in own]

    def __iter__(self):
        return iter(self.share)


def chunks_of_unequal_sizes(length, rank, world_size):
    size = max(1, length // world_size)
    return range(length)[rank * size : None if rank == world_size - 1 else (rank + 1) * size]


def test_shares_that_go_by_groups_may_be_of_unlike_sizes_and_others_are_not_meant_to_be():
    found = propose_for(sc.target(ByGroup))
    assert (found.contract, found.left) == ({"tail": "keep", "even_steps": False}, ())
    assert {"SC104", "SC105"} <= {*found.doubted}
    plain = propose_for(sc.target(chunks_of_unequal_sizes))
    assert plain is None or "even_steps" not in plain.contract


class Fold(ByGroup):
    """Evaluates one fold after the other, of which ranks take their turns, or as many samples."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        fold = range(self.length * (self.epoch % 3) // 3, self.length * (self.epoch % 3 + 1) // 3)
        return iter(fold[self.rank :: self.world_size])


class SomeGroups(ByGroup):
    """Takes half of the groups in each epoch, of which each rank takes its own."""

    def __init__(self, labels, rank, world_size):
        self.labels, self.rank, self.world_size, self.epoch = labels, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        groups = sorted({*self.labels})
        picked = random.Random(self.epoch).sample(groups, -(-len(groups) // 2))[self.rank :: self.world_size]
        return (i for i, one in enumerate(self.labels) if one in picked)


@pytest.mark.parametrize(
    ("made", "ends"),
    [
        (Fold, {"cycle": 3, **KEPT}),
        (SomeGroups, {"frequencies": "eventually", **KEPT, "even_steps": False}),
    ],
)
def test_of_a_part_ranks_may_keep_what_they_have_in_order_or_by_groups(made, ends):
    found = propose_for(sc.target(made))
    assert found.contract.items() >= {"coverage": "subset", **ends}.items()
    assert found.left == ()


class GoesRound(ByGroup):
    """Shares out groups, and goes through short shares again until all ranks have as many samples."""

    def __init__(self, labels, rank, world_size):
        groups = sorted({*labels})
        owners = [groups[at::world_size] for at in range(world_size)]
        shares = [[i for i, one in enumerate(labels) if one in owned] for owned in owners]
        longest = max(map(len, shares))
        self.share = [*itertools.islice(itertools.cycle(shares[rank] or shares[0]), longest)]


def test_short_shares_of_groups_may_be_gone_through_again():
    found = propose_for(sc.target(GoesRound))
    assert found.contract == {"coverage": "sampled", "frequencies": "at_least_once"}
    assert (found.left, {"SC103", "SC105"} <= {*found.doubted}) == ((), True)
