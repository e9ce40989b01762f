"""What four blog posts print of DistributedSampler, reproduced number by number in the simulated world.

The numbers are read from ``data/seeds.json``. The last scenario is about one batch, split over the
replicas of one process.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.engine import Plan, carry_out
from samplercheck.targets.splitters import as_torch_splits
from samplercheck.values.errors import AdapterError
from samplercheck.worlds import open_world

SCENARIOS = {
    scenario["id"]: scenario
    for scenario in json.loads((Path(__file__).parent / "data" / "seeds.json").read_text())["scenarios"]
}


def case_of(scenario, **changes):
    """The case of a scenario, one epoch where it says nothing."""
    names = ("length", "world_size", "batch_size", "shuffle", "epochs")
    return Case(**{"epochs": 1, **{name: scenario[name] for name in names if name in scenario}, **changes})


def epochs_of(factory, case, contract=None):
    """What every rank yields in every epoch, epoch by epoch and batch by batch, in simulated ranks."""
    with open_world("simulated") as world:
        trace = world.trace(sc.target(factory, contract=contract).bind(), case, ["epochs"])
    assert trace.is_whole, trace.faults
    return [
        [[batch.tolist() for batch in rank.passes[epoch].batches()] for rank in trace.of("epochs")]
        for epoch in range(case.epochs)
    ]


@cache
def first_epoch(name, **changes):
    """The batches of every rank with torch's sampler and a DataLoader, as the posts write them."""
    scenario = SCENARIOS[name]
    drops = scenario.get("drop_last_loader", False)
    drops_in_sampler = scenario.get("drop_last_sampler", False)

    def build(dataset, rank, world_size, batch_size, shuffle):
        sampler = DistributedSampler(dataset, world_size, rank, shuffle=shuffle, drop_last=drops_in_sampler)
        return DataLoader(dataset, batch_size, sampler=sampler, drop_last=drops)

    return epochs_of(build, case_of(scenario, **changes))[0]


def broken_by(report):
    return {result.code: result.failure for result in report.failures}


def test_every_scenario_has_a_test():
    here = globals()
    tested = {name for name in SCENARIOS if any(name.replace("-", "_") in test for test in here)}
    assert tested == SCENARIOS.keys()


# Set_epoch


class ForgetsEpochs(Sampler):
    """Passes nothing on: the training script's set_epoch ends here."""

    def __init__(self, inner):
        self.inner = inner

    def __iter__(self):
        return iter(self.inner)

    def __len__(self):
        return len(self.inner)


def remembering(dataset, rank, world_size, shuffle, seed):
    return DistributedSampler(dataset, world_size, rank, shuffle=shuffle, seed=seed)


def forgetting(dataset, rank, world_size, shuffle, seed):
    return ForgetsEpochs(remembering(dataset, rank, world_size, shuffle, seed))


def in_batches(factory):
    """The same sampler behind a DataLoader, as in the post."""

    def build(dataset, rank, world_size, batch_size, shuffle, seed):
        return DataLoader(dataset, batch_size, sampler=factory(dataset, rank, world_size, shuffle, seed))

    return build


def test_forgotten_set_epoch_repeats_the_order_on_every_rank():
    scenario = SCENARIOS["forgotten-set-epoch"]
    first, second = epochs_of(in_batches(forgetting), case_of(scenario))
    per_rank = scenario["length"] // scenario["world_size"]
    sizes = [scenario["batch_size"]] * (per_rank // scenario["batch_size"])
    assert first == second
    assert [[len(batch) for batch in rank] for rank in first] == [sizes] * scenario["world_size"]


def test_with_set_epoch_the_orders_differ_where_it_was_not_a_forgotten_set_epoch():
    first, second = epochs_of(in_batches(remembering), case_of(SCENARIOS["forgotten-set-epoch"]))
    for rank in range(2):
        assert first[rank] != second[rank]


@pytest.mark.thorough
def test_forgotten_set_epoch_is_found_by_the_law_on_reshuffling_alone():
    report = sc.run(forgetting, profile="quick")
    assert set(broken_by(report)) == {"SC301"}
    assert broken_by(report)["SC301"].case.shuffle
    assert sc.run(remembering, profile="quick").ok


# A sampler, or none


def loader_without_sampler(dataset, batch_size):
    return DataLoader(dataset, batch_size, shuffle=True)


def test_sampler_or_not_decides_whether_the_ranks_share_the_dataset():
    scenario = SCENARIOS["sampler-or-not"]
    everything, size = Counter(range(scenario["length"])), scenario["batch_size"]
    for epoch in epochs_of(in_batches(remembering), case_of(scenario, shuffle=True)):
        assert [[len(batch) for batch in rank] for rank in epoch] == [[size], [size]]
        assert Counter(index for rank in epoch for batch in rank for index in batch) == everything
    for epoch in epochs_of(loader_without_sampler, case_of(scenario)):
        assert [[len(batch) for batch in rank] for rank in epoch] == [[size, size], [size, size]]
        for rank in epoch:
            assert Counter(index for batch in rank for index in batch) == everything


def random_sampler(dataset):
    return RandomSampler(dataset)


@pytest.mark.thorough
def test_without_a_sampler_or_not_one_that_shards_everything_is_trained_on_twice():
    report = sc.run(random_sampler, contract=Contract(), profile="quick")
    assert broken_by(report)["SC103"].case == Case(length=2, world_size=2)
    for contract in (None, Contract.single_process()):
        alone = sc.run(random_sampler, contract=contract, profile="quick")
        assert broken_by(alone) == {}


# Padding by one slice


class OldDistributedSampler(Sampler):
    """DistributedSampler as it was before drop_last and before the padding was repeated."""

    def __init__(self, dataset, num_replicas, rank, *, shuffle):
        self.dataset, self.num_replicas, self.rank, self.shuffle = dataset, num_replicas, rank, shuffle
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        generator = torch.Generator()
        generator.manual_seed(self.epoch)
        order = torch.randperm(len(self.dataset), generator=generator) if self.shuffle else None
        indices = list(range(len(self.dataset))) if order is None else order.tolist()
        indices += indices[: self.total_size - len(indices)]
        assert len(indices) == self.total_size
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        self.epoch = epoch


def old_sampler(dataset, num_replicas, rank, shuffle):
    return OldDistributedSampler(dataset, num_replicas, rank, shuffle=shuffle)


@pytest.mark.thorough
def test_old_padding_fails_first_where_the_post_says():
    scenario = SCENARIOS["old-padding"]
    report = sc.run(old_sampler, profile="quick")
    failure = broken_by(report)["SC001"]
    assert set(broken_by(report)) == {"SC001"}
    assert (failure.case.length, failure.case.world_size) == (scenario["length"], scenario["world_size"])
    assert scenario["expected"].startswith("assertion error")
    assert "AssertionError" in failure.message


def test_old_padding_fails_exactly_where_the_padding_exceeds_the_dataset():
    binding = sc.target(old_sampler).bind()
    with open_world("simulated") as world:
        for length in range(9):
            for world_size in range(1, 9):
                trace = world.trace(binding, Case(length=length, world_size=world_size), ["epochs"])
                padding = -length % world_size
                assert bool(trace.faults) is (padding > length), (length, world_size)
                assert {fault.error for fault in trace.faults} <= {"AssertionError"}


# Batches of plain and of distributed loaders


def test_ddp_script_gives_every_rank_half_the_items():
    scenario = SCENARIOS["ddp-script"]
    for shuffle in (False, True):
        epochs = epochs_of(in_batches(remembering), case_of(scenario, shuffle=shuffle, epochs=2))
        for epoch in epochs:
            for rank in epoch:
                sizes = [len(batch) for batch in rank]
                assert sum(sizes) == scenario["per_rank_items"]
                assert len(sizes) == scenario["per_rank_batches"]
                assert sizes[-1] == scenario["last_batch"]
                assert set(sizes[:-1]) == {scenario["batch_size"]}
        assert (epochs[0] == epochs[1]) is not shuffle


def plain_loader(dataset, batch_size, shuffle):
    return DataLoader(dataset, batch_size, shuffle=shuffle)


def test_single_process_takes_the_batches_in_order():
    scenario = SCENARIOS["single-process"]
    [batches] = epochs_of(plain_loader, case_of(scenario))[0]
    assert len(batches) == scenario["batches"]
    assert batches[0] == scenario["first_batch"]
    assert [index for batch in batches for index in batch] == list(range(scenario["length"]))


def test_no_sampler_duplicates_every_batch():
    scenario = SCENARIOS["no-sampler-duplicates"]
    assert scenario["sampler"] is None
    first, second = epochs_of(plain_loader, case_of(scenario))[0]
    assert first == second
    assert len(first) == 20
    assert Counter(index for batch in first + second for index in batch) == Counter(
        [*range(scenario["length"])] * 2
    )


@pytest.mark.thorough
def test_no_sampler_duplicates_are_found_by_the_law_on_disjoint_ranks():
    def build(dataset):
        return SequentialSampler(dataset)

    report = sc.run(build, contract=Contract(order="sequential"), profile="quick", select=["SC103"])
    assert broken_by(report)["SC103"].case == Case(length=2, world_size=2)


def test_strided_deal_deals_out_one_by_one():
    scenario = SCENARIOS["strided-deal"]
    first, second = first_epoch("strided-deal")
    assert (first[0], second[0]) == (scenario["rank0_first"], scenario["rank1_first"])
    assert first[1] == scenario["rank0_second"]
    assert [len(first), len(second)] == [scenario["batches_per_rank"]] * 2


@pytest.mark.parametrize("name", ["padded-tail", "dropped-tail-sampler"])
def test_padded_tail_and_dropped_tail_sampler_end_in_the_batches_of_the_post(name):
    scenario = SCENARIOS[name]
    ranks = first_epoch(name)
    assert [rank[scenario["batch_index"]] for rank in ranks] == [scenario[f"rank{rank}"] for rank in range(3)]
    assert {len(rank) for rank in ranks} == {scenario["batch_index"] + 1}
    counts = Counter(index for rank in ranks for batch in rank for index in batch)
    assert sorted(index for index in counts if counts[index] > 1) == scenario.get("padding", [])
    assert sorted(set(range(scenario["length"])) - counts.keys()) == scenario.get("unused", [])


def test_dropped_tail_loader_cuts_a_short_batch_on_every_rank():
    scenario = SCENARIOS["dropped-tail-loader"]
    ranks = first_epoch("dropped-tail-loader")
    assert [rank[-1] for rank in ranks] == [scenario[f"rank{rank}"] for rank in range(3)]
    assert {len(rank) for rank in ranks} == {scenario["last_batch_index"] + 1}
    assert {len(batch) for rank in ranks for batch in rank} == {scenario["batch_size"]}


@pytest.mark.parametrize("drop_last", [False, True])
def test_a_batch_sampler_cuts_the_dropped_tail_as_a_loader_does(drop_last):
    def build(dataset, rank, world_size, batch_size):
        sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
        return BatchSampler(sampler, batch_size, drop_last=drop_last)

    name = "dropped-tail-loader" if drop_last else "padded-tail"
    assert epochs_of(build, case_of(SCENARIOS[name]))[0] == first_epoch(name)


# What torch refuses


def test_shuffle_and_sampler_together_are_refused():
    assert "raises" in SCENARIOS["shuffle-and-sampler"]["expected"]

    def build(dataset, rank, world_size):
        sampler = DistributedSampler(dataset, world_size, rank)
        return DataLoader(dataset, shuffle=True, sampler=sampler)

    with pytest.raises(ValueError, match="mutually exclusive"):
        build([0], 0, 1)
    with pytest.raises(AdapterError, match="sampler option is mutually exclusive with shuffle"):
        sc.run(build, profile="quick", select=["SC001"])


# Data-parallel scatter


def test_data_parallel_scatter_is_what_a_splitter_is_compared_with():
    scenario = SCENARIOS["data-parallel-scatter"]
    for case in scenario["cases"]:
        replicas = range(case["replicas"])
        parts = [as_torch_splits(case["batch"], replica, case["replicas"]) for replica in replicas]
        assert [len(batch) for part in parts for batch in part] == case["sizes"]
        assert [index for part in parts for batch in part for index in batch] == list(range(case["batch"]))
    for loader in scenario["loader"]:
        batches = DataLoader(range(loader["length"]), batch_size=loader["batch_size"])
        assert [len(batch) for batch in batches] == loader["batches"]


def test_data_parallel_scatter_of_the_scenario_keeps_every_law_and_even_parts_do_not():
    sizes = {
        (case["batch"], case["replicas"]): case["sizes"]
        for case in SCENARIOS["data-parallel-scatter"]["cases"]
    }

    def as_printed(batch_size, replicas):
        return sizes[batch_size, replicas]

    def evenly(batch_size, replicas):
        each, more = divmod(batch_size, replicas)
        return [each + (replica < more) for replica in range(replicas)]

    laws = ("SC102", "SC103", "SC307")
    cases = tuple(Case(length=batch, world_size=replicas) for batch, replicas in sizes)
    reports = [
        carry_out(Plan(target=splitter, cases=cases, worlds=("simulated",), select=laws))
        for splitter in (as_printed, evenly)
    ]
    assert [broken_by(report).keys() for report in reports] == [set(), {"SC307"}]
