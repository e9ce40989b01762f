"""Planted faults: every one that fits is seen by its law, and by no law that does not judge."""

from __future__ import annotations

import inspect
import os
import pickle
from dataclasses import replace
from itertools import islice, repeat

import pytest
import torch
from torch.utils.data import DistributedSampler, IterableDataset

import samplercheck as sc
from samplercheck.certifying.certificate import reasons_against
from samplercheck.certifying.faults import KNOWN_FAULTS, LAWS, STREAMS, mark_splitter, plant, select_faults
from samplercheck.certifying.faults.mutant import Mutant, MutantFactory
from samplercheck.certifying.faults.yields import map_indices, swap_first_two
from samplercheck.engine import probe
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.law import Scope
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.worlds import open_world
from tests.sound.samplers import SOUND
from tests.sound.trainers import plain_batch_sampler
from tests.support.certificates import examined

CERTIFY = find_profile("certify")
TIERS = {
    **dict.fromkeys(("endless_resumable", "pairs_of_ranks", "weighted"), ()),
    "loader": pytest.mark.thorough,
}
NEVER_PLANTED = {
    "SC106": "it needs chance that no wrapper has",
    "SC203": "its reference's length is its own; SC201 and SC307 are planted",
    "SC308": "it advises",
    "SC309": "the knob that is dead breaks the law that it is about",
    "SC401": "ranks that disagree break SC102 as well, which is aimed at",
    "SC604": "a rule is the user's own function",
    "SC801": "workers are started again for each case",
    "SC803": "workers are started again for each case",
    "SC804": "workers are started again for each case",
    "SC901": "process groups are compared with simulation, where faults are planted",
    "SC902": "process groups are compared with simulation, where faults are planted",
    "SC1002": "a bias needs chance that no wrapper has",
}


def seen_in(target, laws=ALL_LAWS):
    binding = target.bind()
    with open_world("simulated") as world:
        scope = mark_splitter(target, probe(world, binding, combinations(target.axes, 0)[0]))
        return scope, list(plant(select_faults(scope), target, scope, world, laws, CERTIFY))


def without(*codes):
    return tuple(law for law in ALL_LAWS if law.code not in codes)


def test_the_faults_have_names_of_their_own_and_laws_that_exist():
    names = [fault.name for fault in KNOWN_FAULTS]
    assert len(names) == len(set(names))
    aims = {fault.aim for fault in KNOWN_FAULTS}
    assert aims | NEVER_PLANTED.keys() == {law.code for law in ALL_LAWS}
    assert not aims & NEVER_PLANTED.keys()


@pytest.mark.thorough
def test_every_fault_in_distributed_sampler_is_seen_by_the_law_that_it_is_aimed_at():
    scope, seen = seen_in(sc.target(DistributedSampler))
    assert [one.fault for one in seen] == list(select_faults(scope))
    assert len(seen) == 26
    assert [one.fault.name for one in seen if not one.is_caught] == []
    assert all(one.case for one in seen)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("SC301", marks=pytest.mark.thorough),
        pytest.param("SC102", marks=pytest.mark.slow),
    ],
)
def test_a_kit_without_a_law_does_not_see_the_faults_aimed_at_it_and_gives_no_certificate(code):
    _, seen = seen_in(sc.target(DistributedSampler), without(code))
    missed = {one.fault.name for one in seen if not one.is_caught}
    assert missed == {one.fault.name for one in seen if one.fault.aim == code}
    assert missed
    faults = [
        {"name": one.fault.name, "says": one.fault.says, "law": one.fault.aim, "seen_by": list(one.laws)}
        for one in seen
    ]
    found = examined(sensitivity={"planted": len(faults), "caught": 0, "faults": faults})
    assert {kind for kind, _ in reasons_against(found)} == {"blind"}
    assert len(reasons_against(found)) == len(missed)


@pytest.mark.parametrize(
    ("name", "factory", "contract", "axes"),
    [pytest.param(*one, id=one[0], marks=TIERS.get(one[0], pytest.mark.slow)) for one in SOUND],
)
def test_every_fault_that_fits_a_sound_sampler_is_seen(name, factory, contract, axes):
    target = sc.target(factory, name=name, contract=sc.Contract(**contract), axes=axes)
    _, seen = seen_in(target)
    assert seen
    assert [(one.fault.name, one.laws) for one in seen if not one.is_caught] == []


@pytest.mark.parametrize("fault", KNOWN_FAULTS, ids=lambda fault: fault.name)
def test_a_mutant_of_a_stream_is_a_stream_that_pickle_finds(fault):
    kind = STREAMS.get(fault.kind, fault.kind)
    assert issubclass(kind, fault.kind)
    assert issubclass(kind, IterableDataset)
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_of_a_sample_with_parts_the_index_is_changed_and_what_is_no_number_is_not():
    sample = ({"idx": 3, "text": "doc 3", "is_last": False}, [3, 4], None)
    changed = ({"idx": 4, "text": "doc 3", "is_last": False}, [4, 5], None)
    assert map_indices(sample, lambda index: index + 1) == changed


def split(batch_size, replicas):
    if replicas < 1:
        raise ValueError(replicas)
    size = max(1, -(-batch_size // replicas))
    return [min(size, batch_size - start) for start in range(0, batch_size, size)]


def test_a_splitter_has_one_step_and_what_needs_more_is_not_planted():
    scope, seen = seen_in(sc.target(split))
    names = {one.fault.name for one in seen}
    assert "splitter" in scope.traits
    assert "swaps-two" in names
    assert not {"keeps-the-rest", "shortens-rank-0"} & names
    assert [one.fault.name for one in seen if not one.is_caught] == []


def ordered(length, rank, world_size):
    return range(rank, -(-length // world_size) * world_size, world_size)


@pytest.mark.parametrize(
    ("contract", "left_out"),
    [
        ({"order": "free"}, "swaps-two"),
        ({"repeats": 2}, "swaps-two"),
        ({"coverage": "subset"}, "drops-the-last"),
        ({"tail": "keep"}, "keeps-its-share"),
        ({"endless": True, "epochs": "fixed"}, "never-ends"),
    ],
)
def test_what_would_change_nothing_under_a_contract_is_left_out_by_rule(contract, left_out):
    binding = sc.target(ordered, contract=sc.Contract(**contract)).bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
    assert left_out not in {fault.name for fault in select_faults(scope)}


@pytest.mark.parametrize(
    ("contract", "left_out"),
    [
        ({"shuffles": "share"}, "orders-by-rank"),
        ({"coverage": "subset"}, "ignores-shuffle"),
        ({"batches": "variable", "top_up": True}, "yields-one-more"),
    ],
)
def test_what_a_contract_allows_is_no_fault(contract, left_out):
    named = frozenset({"length", "rank", "world_size", "shuffle", "seed"})
    fault = next(one for one in KNOWN_FAULTS if one.name == left_out)
    scope = Scope(contract=sc.Contract(), named=named, traits=frozenset({"set_epoch"}))
    assert fault.is_for(scope, LAWS)
    assert not fault.is_for(replace(scope, contract=sc.Contract(**contract)), LAWS)


def plant_one(name, factory, laws=ALL_LAWS, **contract):
    target = sc.target(factory, contract=sc.Contract(**contract))
    with open_world("simulated") as world:
        scope = probe(world, target.bind(), ())
        fault = next(one for one in select_faults(scope) if one.name == name)
        return next(plant([fault], target, scope, world, laws, CERTIFY))


class ByEnvironment:
    """Knows its rank by what the launcher sets, whatever it is given."""

    def __init__(self, length, rank, world_size):
        self.length, self.world_size = length, world_size

    def __iter__(self):
        share = range(int(os.environ["RANK"]), self.length, self.world_size)
        return iter(share)


def test_a_share_is_dealt_twice_where_the_launcher_says_the_rank():
    before = os.environ.get("RANK")
    seen = plant_one("deals-a-share-twice", ByEnvironment, tail="keep", epochs="fixed")
    assert seen.is_caught
    assert os.environ.get("RANK") == before


@pytest.mark.parametrize("fault", ["freezes-epochs", "counts-its-calls", "keeps-its-share"])
def test_the_epochs_of_a_plain_batch_sampler_are_those_of_what_it_holds(fault):
    assert plant_one(fault, plain_batch_sampler).is_caught


def test_epochs_that_move_on_by_either_way_are_seen_to_stand_still():
    factory, contract = next((one[1], one[2]) for one in SOUND if one[0] == "seedable")
    assert plant_one("freezes-epochs", factory, **contract).is_caught


def test_a_batch_sampler_that_is_wrapped_is_marked_as_well():
    factory, contract = next((one[1], one[2]) for one in SOUND if one[0] == "wraps_batches_that_move_on")
    assert plant_one("marks-what-it-wraps", factory, **contract).is_caught


@pytest.mark.parametrize("name", ["growing_curriculum", "subset_of_epoch"])
def test_a_small_part_of_the_dataset_has_room_for_a_fault_in_longer_cases(name):
    factory, contract = next((one[1], one[2]) for one in SOUND if one[0] == name)
    seen = plant_one("keeps-the-rest", factory, **contract)
    assert seen.is_caught
    assert "n=24" in seen.case or name == "subset_of_epoch"


def test_of_steps_that_are_alike_the_next_other_one_comes_first():
    assert list(swap_first_two(iter([1, 2, 3]))) == [2, 1, 3]
    assert list(swap_first_two(iter([1, 1, 2, 3]))) == [2, 1, 1, 3]
    assert list(swap_first_two(iter([[1, 2]]))) == [[2, 1]]
    assert list(swap_first_two(iter([1, 1]))) == [1, 1]
    assert list(islice(swap_first_two(repeat(1)), 40)) == [1] * 40


def test_a_step_is_copied_and_not_the_tensor_that_it_is_a_view_of():
    order = torch.arange(1000)
    for step in (order[3], order[4:6]):
        (copied,) = islice(Mutant([step], {}, 0), 1)
        assert copied.tolist() == step.tolist()
        assert copied.untyped_storage().nbytes() == 8 * step.numel()


def test_a_planting_takes_the_targets_own_arguments_and_builds_the_rest_of_it():
    binding = sc.target(DistributedSampler).bind()
    fault = next(one for one in KNOWN_FAULTS if one.name == "shifts-by-one")
    planting = MutantFactory(binding, fault.kind)
    parameters = inspect.signature(DistributedSampler).parameters
    assert inspect.signature(planting).parameters == parameters
    mutant = planting(range(4), num_replicas=2, rank=1, shuffle=False)
    assert list(mutant) == [2, 4]
    assert len(mutant) == 2
    assert mutant.num_replicas == 2
    assert not hasattr(mutant, "state_dict")
