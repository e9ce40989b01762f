"""Samplers of which the cause of others was told, since the same change makes them hold."""

from __future__ import annotations

import os
from itertools import groupby

import pytest
import torch
from torch.utils.data import BatchSampler, DistributedSampler

import samplercheck as sc
from samplercheck import Contract
from samplercheck.explain import rebuilt
from samplercheck.explain.causes import CAUSES, traits_of_contract
from tests.zoo._resumable import Resumable
from tests.zoo._sound import Strided, cut_by_budget, permutation


class CountsTheFirstEpoch:
    """Its packs are those of the epoch, and len() counts those of the first one, which it has right away."""

    def __init__(self, lengths, seed=0):
        self.lengths, self.seed, self.epoch = list(lengths), seed, 0
        self.first = self.packs()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def packs(self):
        return cut_by_budget(permutation(len(self.lengths), self.seed, self.epoch), self.lengths, 10)

    def __len__(self):
        return len(self.first)

    def __iter__(self):
        return iter(self.packs())


class NodesInTurn(Strided):
    """Each node has a block of the data, and takes the rank modulo the nodes for its own number."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.local, self.gpus = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
        self.node = rank % (world_size // self.gpus)

    def __iter__(self):
        size = len(self) * self.gpus
        places = range(self.node * size + self.local, (self.node + 1) * size, self.gpus)
        return iter([place % self.length for place in places])


class NodesOfUnlikeSizes(Strided):
    """Each node has as many samples as the others, rounded up, of which its ranks take blocks."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        local, gpus = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
        part = -(-length // (world_size // gpus))
        mine = [*range(length)][rank // gpus * part :][:part]
        each = -(-len(mine) // gpus)
        mine += [place % length for place in range(each * gpus - len(mine))]
        self.mine = mine[local * each : (local + 1) * each]

    def __iter__(self):
        return iter(self.mine)


class FoldsOfUnlikeSizes:
    """Goes through a third of the dataset in each epoch, and begins the last third one sample too early."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        size = -(-self.length // 3)
        part = [*range(self.length)][self.epoch % 3 * size :][:size]
        part += part[-1:] * (self.epoch % 3 == 2)
        return iter(part[self.rank : len(part) // self.world_size * self.world_size : self.world_size])


class KeepsItsPart:
    """Draws a half of the dataset when it is first asked, and yields that in every epoch."""

    def __init__(self, length, rank, world_size, seed=0):
        self.length, self.rank, self.world_size, self.seed, self.epoch = length, rank, world_size, seed, 0
        self.kept = None

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        if self.kept is None:
            self.kept = permutation(self.length, self.seed, self.epoch)[: self.length // 2]
        each = len(self.kept) // self.world_size
        return iter(self.kept[self.rank * each : (self.rank + 1) * each])


class DrawsFromItsShareByWeight(Strided):
    """Each rank draws from its part of the dataset in the dataset's order, by the weights of the samples."""

    def __init__(self, length, weights, rank, world_size, shuffle, seed=0):
        super().__init__(length, rank, world_size)
        self.weights, self.shuffle, self.seed, self.epoch = list(weights), shuffle, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        share = list(super().__iter__())
        if not share or not self.shuffle:
            return iter(share)
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
        weights = torch.tensor([self.weights[i] for i in share]) + 1e-9
        return iter([share[at] for at in torch.multinomial(weights, len(share), True, generator=generator)])


class KeepsNoScores:
    """What was drawn is moved to the end; the number of the pass is saved, and what it moved is not."""

    def __init__(self, length):
        self.order, self.number, self.start = list(range(length)), 0, 0
        self.at, self.done = 0, 0

    def __iter__(self):
        order, start, self.start = list(self.order), self.start, 0
        self.order = order[1::2] + order[::2]
        self.at, self.done = self.number, start
        self.number += 1
        for sample in order[start:]:
            self.done += 1
            yield sample

    def state_dict(self):
        return {"number": self.at, "done": self.done}

    def load_state_dict(self, state):
        self.number = self.at = state["number"]
        self.start = self.done = state["done"]


class TakesSeed0ForNone:
    """Draws a seed of its own where it is given seed 0."""

    def __init__(self, dataset, rank, world_size, seed=0):
        self.length, self.seed = len(dataset), seed or int(torch.randint(2**31, ()))

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            yield from torch.randperm(self.length, generator=generator).tolist() or [0]


class CountsLateUntilDrained(Resumable):
    """Counts after the yield what comes before the last samples, which it counts before the yield."""

    buffered = 20

    def run(self, mine, start):
        last = len(self.left(0)) - self.buffered
        for done, sample in enumerate(mine, start // self.world_size + 1):
            self.done += self.world_size * (done > last)
            yield sample
            self.done += self.world_size * (done <= last)


class FetchesAhead(Resumable):
    """Counts a sample when it is fetched, and fetches one ahead."""

    def run(self, mine, start):
        for number, sample in enumerate(mine, 1):
            self.done = start + min(number + 1, len(mine)) * self.world_size
            yield sample


class BudgetOfWhatIsNotPadded:
    """Counts the samples' own lengths, before a sample is added, where a batch is padded to its longest."""

    def __init__(self, lengths, seed=0):
        self.lengths, self.seed, self.epoch = list(lengths), seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(cut_by_budget(permutation(len(self.lengths), self.seed, self.epoch), self.lengths, 32))


class BalancesWithoutNumber:
    """Gives each sample to the rank with the least to do, whatever number of samples it has."""

    def __init__(self, lengths, rank, world_size):
        self.lengths, self.rank, self.world_size = list(lengths), rank, world_size

    def __iter__(self):
        number = -(-len(self.lengths) // self.world_size) * self.world_size
        order = [place % len(self.lengths) for place in range(number)]
        parts = [[] for _ in range(self.world_size)]
        for index in sorted(order, key=lambda one: -self.lengths[one]):
            min(parts, key=lambda part: sum(self.lengths[one] for one in part)).append(index)
        return iter(parts[self.rank])


class GroupsNeighbours(Strided):
    """Takes one scene after the other, each of which is the last stretch of neighbours with its label."""

    def __init__(self, labels, rank, world_size, seed=0):
        super().__init__(len(labels), rank, world_size, shuffle=True, seed=seed)
        self.labels = list(labels)

    def order(self):
        stretches = groupby(range(self.length), key=self.labels.__getitem__)
        scenes = {label: list(rows) for label, rows in stretches}
        names = sorted(scenes)
        return [row for at in permutation(len(names), self.seed, self.epoch) for row in scenes[names[at]]]


def cuts_batches_of_padded_shares(dataset, rank, world_size, batch_size, drop_last):
    """What drops stands around what pads, and is all that is told of drop_last."""
    return BatchSampler(Strided(len(dataset), rank, world_size), batch_size, drop_last)


def throws_whole_batches_away(dataset, rank, world_size, batch_size):
    """Leaves out the batches, full ones too, that do not go round all ranks."""
    batches = [*BatchSampler(range(len(dataset)), batch_size, False)]
    return batches[: len(batches) // world_size * world_size][rank::world_size]


def shuffles_if_asked(dataset, rank, world_size, shuffle, seed):
    """Is held to a shuffle that nobody asks it for."""
    return DistributedSampler(dataset, world_size, rank, shuffle, seed)


PACKS = sc.Contract(sharding="none", batches="variable", order="shuffled")
PADDED = sc.Contract.single_process(
    epochs="set_epoch", order="shuffled", batches="variable", batch_rule="budget(lengths,32,padded)"
)
CHUNKS = sc.Contract(order="shuffled", shuffles="chunks")
MOVES = sc.Contract(sharding="none", order="free", epochs="advance", resume="state_dict")
ENDLESS = sc.Contract(sharding="none", order="shuffled", endless=True)
FOLDS = sc.Contract(coverage="subset", tail="drop")
HALVES = sc.Contract(coverage="subset", frequencies="eventually", order="free", tail="drop")
TOLD = [
    (CountsTheFirstEpoch, PACKS, "SC201", "len() is that of another epoch", "for the epoch set last"),
    (NodesInTurn, sc.Contract(), "SC102", "It depends on the node", "rank = node * LOCAL_WORLD_SIZE"),
    (NodesOfUnlikeSizes, sc.Contract(), "SC104", "It depends on the node", "one number of samples for all"),
    (FoldsOfUnlikeSizes, FOLDS, "SC103", "It goes wrong in the part of a later epoch", "the last part above"),
    (KeepsItsPart, HALVES, "SC1001", "What it yields depends on what the object did", "make the order"),
    (TakesSeed0ForNone, ENDLESS, "SC402", "Seed 0 is taken for no seed", "whether the seed is None"),
    (TakesSeed0ForNone, ENDLESS, "SC403", "Seed 0 is taken for no seed", "whether the seed is None"),
    (
        cuts_batches_of_padded_shares,
        sc.Contract(tail_unit="batch"),
        "SC103",
        "With drop_last the tail is",
        "cut the order to",
    ),
    (
        throws_whole_batches_away,
        sc.Contract(order="free"),
        "SC102",
        "The last, incomplete round of batches",
        "the last round of batches though it is not full",
    ),
    (shuffles_if_asked, sc.Contract(order="shuffled"), "SC301", "It is asked not to", 'Declare order="auto"'),
    (
        DrawsFromItsShareByWeight,
        sc.Contract(),
        "SC1002",
        "Which sample comes, or where",
        'coverage="sampled"',
    ),
    (CountsLateUntilDrained, sc.Contract(), "SC701", "Resuming between", "Count an item before the yield"),
    (FetchesAhead, sc.Contract(), "SC701", "Resuming between two epochs is", "not where it is fetched"),
    (BudgetOfWhatIsNotPadded, PADDED, "SC604", "Of a batch with unlike lengths less is", "Count the longest"),
    (BalancesWithoutNumber, sc.Contract(order="free"), "SC104", "How much a rank yields", "the same number"),
    (GroupsNeighbours, CHUNKS, "SC102", "It depends on how the samples of a label", "Sort by label before"),
    (KeepsNoScores, MOVES, "SC701", "Loading a state does not restore what", "Save whatever one pass"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("factory", "contract", "law", "cause", "fix"), TOLD)
def test_a_sentence_says_no_more_than_is_true_of_this_sampler(factory, contract, law, cause, fix):
    target = sc.target(factory, contract=contract)
    report = sc.run(target, profile="quick", select=[law], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert failure.cause.startswith(cause)
    assert fix in failure.fix


def test_of_orders_that_recur_it_is_not_said_that_the_epoch_has_no_part_in_them() -> None:
    told = [(one.kind, one.sentence) for one in CAUSES if one.change is rebuilt.epoch_in_seed]
    assert [kind for kind, _ in told] == ["recurs", ""]  # the first that fits is told
    assert "does not depend on the epoch" not in told[0][1]


def test_who_has_no_set_epoch_is_not_told_to_change_it() -> None:
    for cause in CAUSES:
        for code in cause.laws:
            fix = cause.fix_for(code, frozenset({"state_dict"}))
            assert "set_epoch" not in fix or "Add set_epoch" in fix or cause.at == "epoch", (code, fix)
            assert "the set epoch" not in cause.fix_for(code), code


def test_who_groups_by_label_is_told_to_cut_each_label() -> None:
    (cause,) = (one for one in CAUSES if one.sentence == "With drop_last the tail is filled up all the same.")
    assert "each label" in cause.fix_for("SC103", frozenset({"takes labels"}))
    assert "each label" not in cause.fix_for("SC103")


def test_what_is_kept_is_neither_padded_nor_cut_and_shares_stay_what_they_are() -> None:
    (rounds,) = (one for one in CAUSES if {"SC102", "SC601"} <= {*one.laws} and "last, incom" in one.sentence)
    kept = traits_of_contract(Contract(tail="keep", tail_unit="batch"))
    assert rounds.fix_for("SC102", kept).endswith("round as it is: neither padded nor cut.")
    assert rounds.fix_for("SC102", kept | {"instead"}).startswith("Put no sample in place")
    (shares,) = (one for one in CAUSES if one.sentence.startswith("The order that a single process"))
    assert "rank::world_size" in shares.fix_for("SC102", traits_of_contract(Contract(tail="keep")))
    own = traits_of_contract(Contract(tail="keep", order="shuffled", shuffles="share"))
    assert shares.fix_for("SC102", own).startswith("Split the dataset once, before any shuffle")


def test_who_draws_is_told_to_draw_for_all_ranks_before_shares_are_cut() -> None:
    """A share of what each rank drew for itself would be a share of a share."""
    (cause,) = (one for one in CAUSES if one.sentence.startswith("The sampler ignores its rank"))
    drawn = traits_of_contract(Contract(coverage="sampled"))
    assert cause.fix_for("SC103", drawn).startswith("Draw for all ranks together")
    assert cause.fix_for("SC103").startswith("Give each rank its share")


def test_a_fix_names_the_attribute_that_the_line_changes_if_it_is_one() -> None:
    (cause,) = (one for one in CAUSES if one.laws == ("SC502",) and "{kept}" in one.fix)
    line = "sampler.py:114: self.generator.manual_seed(self.seed); this changes self.generator"
    assert "a local variable instead of self.generator, or seed and draw" in cause.fix_for("SC502", line=line)
    assert "instead of one on the object for a position or a generator, or" in cause.fix_for("SC502")
    position = "sampler.py:9: self.position += 1; this changes self.position"
    assert cause.fix_for("SC502", line=position).endswith("a local variable instead of self.position.")


@pytest.mark.parametrize("code", ["SC501", "SC502", "SC503"])
def test_who_has_a_state_is_not_told_to_do_what_would_end_resuming(code: str) -> None:
    told = [
        cause for cause in CAUSES if cause.at == "keeps" and code in cause.laws and "SC701" not in cause.laws
    ]
    fixes = [cause.fix_for(code, frozenset({"state_dict", "set_epoch"})) for cause in told]
    assert len(fixes) > 1
    assert not [fix for fix in fixes if "each pass from the beginning" in fix or "start from the arg" in fix]


def test_a_rank_within_its_node_is_not_blamed_where_its_change_loses_samples() -> None:
    """With LOCAL_RANK as the rank the blocks of a node end before most of its ranks take any."""
    report = sc.run(NodesOfUnlikeSizes, profile="quick", select=["SC102", "SC103", "SC104", "SC105"])
    assert {"SC103", "SC104"} <= {one.law.code for one in report.failures}
    causes = [one.failure.cause for one in report.failures]
    assert not [one for one in causes if one.startswith("The place is read from LOCAL_RANK")]
