"""Wrappers are short classes of plain torch code that take the target's own parameters."""

from __future__ import annotations

import ast
import copy
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from torch.utils.data import BatchSampler

import samplercheck as sc
from samplercheck.explain.remedies import RECIPES, Remedy, recipes_for
from samplercheck.storage.wrappers import Wrapped, can_be_written, choose_possible, write_wrapper
from samplercheck.targets.provenance import Provenance
from tests.zoo import (
    counts_what_the_sampler_drew,
    endless_lap_recurs,
    order_read_once,
    resume_resets_epoch,
    state_of_another_dataset_taken,
    static_partition,
    wrapper_swallows_set_epoch,
)

MOST_LINES = 60


def wrapped(module: Any, example: Any, **known: Any) -> Wrapped:
    target = sc.target(module.bug, contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    provenance = Provenance(target=target, binding=target.bind(), **known)
    return Wrapped(provenance=provenance, example=example)


def partition() -> Wrapped:
    return wrapped(static_partition, static_partition.bug(range(4), 0, 1, True, 0, False))


def swallowing() -> Wrapped:
    module = wrapper_swallows_set_epoch
    return wrapped(module, module.bug(range(4), 0, 1, True, 0))


@pytest.mark.parametrize("recipe", [one for one in RECIPES if can_be_written(partition(), one)])
def test_what_is_written_is_python_that_fits_a_screen_or_two(recipe: frozenset[Remedy]) -> None:
    name, text = write_wrapper(partition(), recipe)
    tree = ast.parse(text)
    assert [node.name for node in tree.body if isinstance(node, ast.ClassDef)] == [name] == ["FixedBug"]
    assert len(text.splitlines()) < MOST_LINES
    assert "from tests.zoo.static_partition import bug\n" in text


def test_a_wrapper_deals_out_the_order_of_a_single_process() -> None:
    text = write_wrapper(partition(), {Remedy.DEALT})[1]
    assert "def __init__(self, dataset, rank, world_size, shuffle, seed, drop_last):\n" in text
    assert "self.sampler = bug(\n            dataset,\n            rank=0,\n" in text
    assert "return list(islice(cycle(order), self.rank, self.total, self.world_size))\n" in text
    assert "    def __len__(self):\n        return self.total // self.world_size\n" in text


def test_a_wrapper_with_an_order_of_its_own_says_whether_it_shuffles() -> None:
    recipe = {Remedy.ORDERED, Remedy.DEALT}
    assert "shuffles by itself" in write_wrapper(partition(), recipe)[1]
    target = sc.target(static_partition.bug, contract=sc.Contract(order="sequential"))
    provenance = Provenance(target=target, binding=target.bind())
    example = static_partition.bug(range(4), 0, 1, True, 0, False)
    text = " ".join(write_wrapper(Wrapped(provenance=provenance, example=example), recipe)[1].split())
    assert "puts the samples in the order of the dataset" in text
    assert "shuffles" not in text
    assert "randperm" not in text


def batches(dataset: Any, batch_size: int, rank: int, world_size: int, drop_last: bool) -> BatchSampler:
    return BatchSampler(range(len(dataset)), batch_size, drop_last)


@pytest.mark.parametrize(("drop_last", "sizes"), [(False, [[2, 2, 1], [2, 2, 1]]), (True, [[2, 2], [2, 2]])])
def test_what_drops_by_samples_drops_global_batches_when_it_is_told(
    drop_last: bool, sizes: list[list[int]]
) -> None:
    target = sc.target(batches, contract=sc.Contract(tail="drop", epochs="fixed"))
    provenance = Provenance(target=target, binding=target.bind(), kind="batches")
    example = Wrapped(provenance=provenance, example=batches(range(4), 2, 0, 1, False))
    name, text = write_wrapper(example, {Remedy.DEALT, Remedy.CUT})
    made: dict[str, Any] = {}
    exec(text, made)
    ranks = [made[name](range(11), 2, rank, 2, drop_last) for rank in range(2)]
    assert [[len(batch) for batch in one] for one in ranks] == sizes
    assert [len(one) for one in ranks] == [len(one) for one in sizes]


def drawn(dataset: Any, seed: int, consumed: int) -> list[int]:
    return [*range(consumed, len(dataset))]


def test_passes_that_are_epochs_go_on_one_after_the_other_where_consumed_samples_are_told() -> None:
    target = sc.target(drawn, contract=sc.Contract(epochs="advance", resume="consumed", sharding="none"))
    provenance = Provenance(target=target, binding=target.bind())
    name, text = write_wrapper(Wrapped(provenance=provenance, example=[]), {Remedy.RESUMED, Remedy.EPOCH})
    made: dict[str, Any] = {}
    exec(text, made)
    resumed = made[name](range(4), 0, 7)
    assert (resumed.epoch, list(resumed)) == (1, [3])
    assert (list(resumed), resumed.epoch) == ([0, 1, 2, 3], 2)


class Blocks(list[int]):
    def load_state_dict(self, state: Any) -> None:
        del state


def dealt(dataset: Any, rank: int, world_size: int) -> Blocks:
    return Blocks(range(len(dataset)))


def test_blocks_of_what_is_left_are_dealt_out_in_another_world() -> None:
    promise = sc.Contract(tail="keep", layout="contiguous", elastic=True, epochs="fixed")
    target = sc.target(dealt, contract=promise)
    provenance = Provenance(target=target, binding=target.bind())
    name, text = write_wrapper(
        Wrapped(provenance=provenance, example=Blocks()), {Remedy.RESUMED, Remedy.DEALT}
    )
    made: dict[str, Any] = {}
    exec(text, made)
    ranks = [made[name](range(8), rank, 2) for rank in range(2)]
    for one in ranks:
        one.load_state_dict({"done": 4})
    assert [list(one) for one in ranks] == [[4, 5], [6, 7]]


def test_set_epoch_is_passed_on_to_what_the_target_holds() -> None:
    text = write_wrapper(swallowing(), {Remedy.FORWARD})[1]
    assert "        self.sampler.set_epoch(epoch)\n        self.sampler.inner.set_epoch(epoch)\n" in text
    assert not can_be_written(partition(), {Remedy.FORWARD})  # it holds nothing


def reading_once() -> Wrapped:
    return wrapped(order_read_once, order_read_once.bug(range(4), 0, 1))


def test_what_is_wrapped_is_in_its_epoch_before_the_target_is_built_again() -> None:
    """It may be read then."""
    text = write_wrapper(reading_once(), {Remedy.FRESH})[1]
    kept = "self.sampler = sampler\n        self.build = partial(bug, sampler, rank, world_size)\n"
    assert f"        {kept}" in text
    told = 'if hasattr(self.sampler, "set_epoch"):\n            self.sampler.set_epoch(self.epoch)\n'
    assert f"        {told}        sampler = self.build()\n" in text


def test_what_is_wrapped_is_shielded_from_what_the_target_does_to_it() -> None:
    name, text = write_wrapper(reading_once(), {Remedy.SHIELDED})
    assert "self.sampler = bug(sampler=Shield(sampler), rank=rank, world_size=world_size)\n" in text
    assert "self.sampler = sampler\n" not in text
    made: dict[str, Any] = {}
    exec(text, made)
    batches = [[0, 1], [2]]
    shield = copy.deepcopy(made["Shield"](batches))  # which asks it for attributes before it has any
    shield.mark = 1
    assert (len(shield), shield.index([2])) == (2, 1)
    next(iter(made["Shield"](batches))).append(3)
    assert batches == [[0, 1], [2]]
    assert not can_be_written(partition(), {Remedy.SHIELDED})  # it wraps nothing
    assert text.count("\n\n\n\n") == 0
    assert name in text


def test_the_seed_of_an_epoch_is_no_argument_that_is_kept() -> None:
    text = write_wrapper(partition(), {Remedy.EPOCH})[1]
    assert "partial(bug, dataset, rank, world_size, shuffle, drop_last=drop_last)" in text
    assert "self.build(seed=self.seed + self.epoch)" in text


def test_a_target_whose_passes_are_epochs_counts_them_in_its_state() -> None:
    module = resume_resets_epoch
    target = wrapped(module, module.bug(range(4), 0, 1, 0))
    assert not can_be_written(target, {Remedy.RESUMED})  # every pass would be the first epoch
    text = write_wrapper(target, {Remedy.RESUMED, Remedy.EPOCH})[1]
    assert 'return {"epoch": self.epoch, "done": self.done}' in text
    assert "def begin(self):\n" in text


def test_a_wrapper_refuses_a_state_that_was_saved_for_other_arguments() -> None:
    module = state_of_another_dataset_taken
    text = write_wrapper(wrapped(module, module.bug(4, 0, 1, True, 0)), {Remedy.GUARDED})[1]
    assert "self.saved_for = [length, seed]\n" in text  # any world may go on
    made: dict[str, Any] = {}
    exec(text, made)
    saved = made["FixedBug"](4, 0, 2, True, 0).state_dict()
    made["FixedBug"](4, 1, 3, True, 0).load_state_dict(saved)
    with pytest.raises(ValueError, match=r"^saved for length, seed = \[4, 0\], not \[5, 0\]$"):
        made["FixedBug"](5, 0, 2, True, 0).load_state_dict(saved)


def test_a_walk_without_an_end_is_dealt_out_or_made_of_shuffled_passes() -> None:
    module = endless_lap_recurs
    target = wrapped(module, module.bug(4, 0, 1, 0))
    dealt, alone = (write_wrapper(target, one)[1] for one in ({Remedy.DEALT}, {Remedy.DEALT, Remedy.ORDERED}))
    assert "return islice(self.sampler, self.rank, None, self.world_size)\n" in dealt
    assert '"""Stands for bug: ' in alone
    assert "import bug" not in alone
    made: dict[str, Any] = {}
    exec(alone, made)
    ranks = [list(islice(made["FixedBug"](5, rank, 2, 0), 10)) for rank in range(2)]
    walk = [sample for turn in zip(*ranks, strict=True) for sample in turn]
    assert sorted(walk[:5]) == sorted(walk[5:10]) == list(range(5))
    assert walk[:5] != walk[5:10]
    assert not can_be_written(target, {Remedy.FRESH})
    assert not can_be_written(replace(target, example=[0]), {Remedy.DEALT})  # it has a len()


def test_a_loader_is_wrapped_to_count_what_it_delivers_and_for_nothing_else() -> None:
    module = counts_what_the_sampler_drew
    target = wrapped(module, module.bug(range(4), 0), traits=frozenset({"loader"}))
    assert not can_be_written(target, {Remedy.FRESH})
    assert can_be_written(target, {Remedy.COUNTED})
    made: dict[str, Any] = {}
    exec(write_wrapper(target, {Remedy.COUNTED})[1], made)
    loader, resumed = (made["FixedBug"](range(4), 0) for _ in range(2))
    taken = [int(sample) for sample in islice(loader, 3)]
    resumed.load_state_dict(loader.state_dict())
    assert (taken, [int(sample) for sample in resumed]) == ([0, 1, 2], [3])
    assert [int(sample) for sample in resumed] == [0, 1, 2, 3]


def test_nothing_is_written_for_loaders_without_a_state_and_for_what_has_no_place() -> None:
    target = partition()
    loader = replace(target.provenance, traits=frozenset({"loader"}))
    assert not [one for one in RECIPES if can_be_written(replace(target, provenance=loader), one)]
    unnamed = sc.target(lambda dataset, rank, world_size: dataset)
    nowhere = replace(target.provenance, target=unnamed, binding=unnamed.bind())
    assert not can_be_written(replace(target, provenance=nowhere), {Remedy.FRESH})


def test_wrappers_have_a_remedy_of_the_cause_and_shuffle_only_where_one_says_so() -> None:
    assert recipes_for([Remedy.FORWARD.value]) == [frozenset({Remedy.FORWARD})]
    assert all(Remedy.RESUMED in one for one in recipes_for(["own state"]))
    assert len(recipes_for([])) > len(RECIPES) / 2
    assert not [one for one in recipes_for([]) if Remedy.ORDERED in one]
    assert recipes_for([], may_shuffle=True) == [*RECIPES]


def test_remedies_are_named_before_an_object_is_built_where_a_wrapper_of_them_can_be_written() -> None:
    named = [one.value for one in (Remedy.DEALT, Remedy.FORWARD, Remedy.SHIELDED)]
    known = replace(partition(), example=None)
    assert choose_possible(known, named) == (Remedy.DEALT.value, Remedy.FORWARD.value)
    stream = replace(known, provenance=replace(known.provenance, traits=frozenset({"stream"})))
    assert choose_possible(stream, named) == ()
