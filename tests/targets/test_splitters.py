"""Splitters of one batch are judged against torch's own scatter, and the parts may be named in many ways."""

from __future__ import annotations

import pickle

import pytest
import torch

import samplercheck as sc
from samplercheck.targets.provenance import Provenance
from samplercheck.targets.splitters import Split, as_torch_splits, is_splitter, split_contract
from tests.support.complaints import complaints


def checked(replicas):
    if replicas < 1:
        raise ValueError(f"{replicas} replicas")


def as_torch(batch_size, replicas):
    checked(replicas)
    return [len(part) for part in torch.arange(batch_size).chunk(replicas)]


def evenly(batch_size, replicas):
    checked(replicas)
    each, more = divmod(batch_size, replicas)
    return [size for size in (each + (replica < more) for replica in range(replicas)) if size]


def in_turn(batch_size, replicas):
    checked(replicas)
    return [range(replica, batch_size, replicas) for replica in range(replicas)]


def cut_off(batch_size, replicas):
    checked(replicas)
    return [batch_size // replicas] * replicas


def as_tensors(batch_size, replicas):
    checked(replicas)
    return torch.arange(batch_size).chunk(replicas)


def as_slices(batch_size, replicas):
    checked(replicas)
    each = -(-batch_size // replicas)
    return [slice(start, start + each) for start in range(0, batch_size, each or 1)]


def as_one_tensor_of_sizes(batch_size, replicas):
    return torch.tensor(as_torch(batch_size, replicas))


def one_for_every_replica(batch_size, replicas):
    sizes = as_torch(batch_size, replicas)
    return sizes + [0] * (replicas - len(sizes))


def broken(splitter):
    report = sc.run(splitter, profile="quick", worlds=("simulated",))
    assert report.kind == "splitter"
    return {one.code: one.failure.case.token for one in report.failures if one.failure}


def test_a_splitter_is_known_by_its_parameters():
    assert is_splitter(as_torch)
    assert not is_splitter(lambda batch_size, rank, world_size: [])
    assert not is_splitter(lambda batch_size, replicas, dataset: [])
    assert is_splitter(lambda batch_size, replicas, device=None: [])
    assert not is_splitter(max)


SPLITTERS = [
    as_torch,
    as_slices,
    *(pytest.param(one, marks=pytest.mark.thorough) for one in (as_tensors, as_one_tensor_of_sizes)),
]


@pytest.mark.thorough
@pytest.mark.parametrize("splitter", SPLITTERS)
def test_what_splits_as_torch_does_keeps_every_law(splitter):
    report = sc.run(splitter, profile="quick", worlds=("simulated",))
    assert complaints(report) == {}
    assert report.ok
    held = {one.code for one in report.results if one.outcome is sc.Outcome.HOLDS}
    assert held >= {"SC102", "SC103", "SC307"}


@pytest.mark.thorough
def test_even_parts_are_not_torchs():
    assert broken(evenly) == {"SC307": "n=4,world=3,batch=1"}


@pytest.mark.thorough
def test_parts_out_of_order_are_not_the_batch():
    assert broken(in_turn)["SC307"] == "n=3,world=2,batch=1"


@pytest.mark.thorough
def test_what_does_not_divide_is_missed():
    assert broken(cut_off)["SC102"] == "n=1,world=2,batch=1"


@pytest.mark.thorough
def test_a_part_without_items_is_one_that_torch_does_not_make():
    assert broken(one_for_every_replica) == {"SC602": "n=1,world=2,batch=1"}


@pytest.mark.parametrize("parts", [[], [0], [0, 0], [[]], [slice(0, 0)]])
def test_an_empty_batch_may_be_split_into_no_part_or_into_empty_ones(parts):
    split = Split(lambda batch_size, replicas: parts)
    assert [split(length=0, rank=rank, world_size=2) for rank in (0, 1)] == [[], []]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([1, 1, 1], "3 parts for 2 replicas"),
        ([3, -1], "cannot have -1 items"),
        ([{"size": 3}], r"{'size': 3} is not a part of a batch: .* its size, a slice, or the positions"),
        (["01", "2"], "'01' is not a part"),
        ([1.5, 1.5], "cannot have 1.5 items"),
        (3, "3 is not a list of parts"),
    ],
)
def test_impossible_parts_are_errors_that_say_so(parts, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Split(lambda batch_size, replicas: parts)(length=3, rank=0, world_size=2)


def test_a_contract_of_ones_own_is_kept():
    own = sc.Contract(tail="keep", batches="variable", order="sequential")
    assert sc.target(evenly, contract=own).contract == own
    assert sc.target(evenly).contract == split_contract(None)


def test_it_travels_and_is_found_again_at_its_place():
    target = sc.target(f"{__name__}:evenly")
    assert pickle.loads(pickle.dumps(target.factory)) == target.factory
    provenance = Provenance(target=target, binding=target.bind())
    assert provenance.place == f"{__name__}:evenly"
    assert (provenance.contract, provenance.lacking) == ({}, ())
    assert provenance.source == Provenance(target=sc.target(in_turn), binding=target.bind()).source != ""


@pytest.mark.nccl
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="scatter to 2 GPUs needs 2")
@pytest.mark.parametrize("length", range(9))
def test_the_reference_is_what_scatter_does_on_gpus(length):
    devices = range(torch.cuda.device_count())
    parts = torch.nn.parallel.scatter(torch.arange(length, device="cuda:0"), list(devices))
    said = [as_torch_splits(length, rank, len(devices)) for rank in devices]
    assert [part.tolist() for part in parts if len(part)] == [part[0] for part in said if part]
