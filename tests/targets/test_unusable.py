"""What is no sampler is no failure of one: the run says what it is, and what to name instead."""

from __future__ import annotations

import textwrap

import pytest
from torch.utils.data import DataLoader, Dataset, DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.values.errors import AdapterError, TargetError

pytestmark = pytest.mark.usefixtures("brief")


class Pictures(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return {"picture": [0.5], "label": index}


class Files(Dataset):
    def __init__(self, root="."):
        self.root = root


class Order(Dataset):
    """A dataset whose samples are indices: an order that somebody made before."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        if index >= self.n:
            raise IndexError(index)
        return index


class DataModule:
    def __init__(self, batch_size=4):
        self.batch_size = batch_size

    def setup(self):
        self.dataset = Pictures(100)

    def train_dataloader(self):
        return DataLoader(self.dataset, batch_size=self.batch_size)


class Holder:
    def __init__(self, dataset, rank):
        self.sampler = DistributedSampler(dataset, 2, rank)


def returns_nothing(dataset, rank, world_size):
    DistributedSampler(dataset, world_size, rank)


def own_dataset(rank, world_size, batch_size=2):
    mine = Order(100)
    return DataLoader(mine, batch_size, sampler=DistributedSampler(mine, world_size, rank))


def _of_count(count):
    return range(count)


def run(target, **plan):
    return carry_out(Plan(target=target, profile="quick", explains=False, **plan))


def said_of(target):
    with pytest.raises(TargetError) as caught:
        run(target)
    return str(caught.value)


@pytest.mark.parametrize("target", [Pictures, Files])
def test_a_dataset_is_no_broken_sampler(target):
    said = said_of(target)
    assert f":{target.__name__} makes a dataset, whose samples are no indices." in said
    assert "def build(dataset, rank, world_size):" in said


def test_a_dataset_of_indices_is_judged_as_the_order_that_it_is():
    assert run(Order, select=("SC101", "SC102")).ok


def test_a_data_module_is_told_how_its_loader_gets_the_dataset_and_the_adapter_works():
    said = said_of(DataModule)
    assert "Its method train_dataloader makes a loader" in said
    scope = {"DataModule": DataModule}
    exec(textwrap.dedent("    " + said.partition("as the target:")[2].strip()), scope)
    built = sc.target(scope["build"], contract=sc.Contract(sharding="none"))
    assert run(built, select=("SC101", "SC102")).ok


def test_a_method_needs_an_object():
    with pytest.raises(TargetError, match="is a method: it needs an object of DataModule") as caught:
        sc.target("tests.targets.test_unusable:DataModule.train_dataloader").bind()
    assert "self=" not in str(caught.value)
    assert "made = DataModule(...)" in str(caught.value)


def test_a_function_that_returns_nothing_is_told_to_return_it():
    with pytest.raises(AdapterError, match=r"returns None, in each of \d+ cases: let it return the sampler"):
        run(returns_nothing)


def test_what_only_holds_a_sampler_is_told_to_return_what_is_iterated():
    said = said_of(Holder)
    assert "makes what cannot be iterated ('Holder' object is not iterable)" in said
    assert "def build" not in said


def test_what_is_told_no_size_is_refused_and_not_said_to_lose_samples():
    said = said_of(own_dataset)
    assert "No parameter of " in said
    assert ":own_dataset says how many samples there are" in said
    assert "def build(dataset, rank, world_size, batch_size):" in said


def test_what_is_told_no_size_may_be_run_in_a_case_that_is_given():
    assert run(own_dataset, select=("SC101", "SC102"), cases=(sc.Case(length=100, world_size=2),)).ok


def test_an_axis_of_its_own_may_tell_the_size():
    target = sc.target(_of_count, axes={"count": [0, 3]}, contract=sc.Contract(sharding="none"))
    assert run(target, select=("SC001",)).ok
