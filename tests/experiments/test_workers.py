"""Loaders with workers: every way is taken, nothing is left running, and what fails is noted."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import sys
import time
import warnings
from multiprocessing import active_children

import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, get_worker_info

import samplercheck as sc
from samplercheck.experiments._loader_workers import with_workers
from samplercheck.experiments.loaders import (
    HOME,
    Way,
    adjust,
    loaders_in,
    roles_of,
    ways_of,
)
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.sound.loaders import (
    Moved,
    Shards,
    ShuffledStream,
    loader,
    loader_made_again,
    loader_of_batches,
    loader_of_ones_own,
    loader_of_pictures,
    loader_with_a_pool,
)

WORKERS, DELIVERED = ("workers",), ("delivered",)


def record_of(factory, workers=1, experiments=WORKERS, contract=None, deadlines=None, **case):
    """What rank 0 recorded in one case of a target."""
    binding = sc.target(factory, "loaded", contract or sc.Contract()).bind()
    case = {"length": 5, "epochs": 2, **case}
    with open_world("simulated", deadlines=deadlines) as world:
        trace = world.trace(binding, sc.Case(workers=workers, **case), experiments)
    assert active_children() == []
    assert not trace.faults
    return trace.of(experiments[0])[0]


def steps(record):
    """The passes of a record as lists of batches or samples."""
    return [
        [batch.tolist() for batch in one.batches()] if one.sizes is not None else list(one.items)
        for one in record.passes
    ]


def test_a_loader_is_run_without_workers_with_one_and_with_one_that_is_kept():
    record = record_of(loader, batch_size=2)
    assert record.notes["ways"] == ((0, None, False), (1, 2, False), (1, 2, True))
    assert record.notes["of"] == (0, 0, 1, 2, 2)
    assert record.notes["stopped"] == {}
    assert steps(record) == [[[0, 1], [2, 3], [4]]] * 5


def test_two_workers_are_run_with_little_and_with_much_prefetched():
    record = record_of(loader_of_batches, workers=2, batch_size=2, contract=sc.Contract(order="shuffled"))
    assert record.notes["ways"] == ((0, None, False), (2, 1, False), (2, 4, True))
    first, second, fresh, *kept = steps(record)
    assert first != second
    assert [fresh, *kept] == [first, first, second]


def test_a_stream_is_put_behind_a_loader():
    record = record_of(Shards, workers=2)
    assert steps(record) == [[0, 1, 2, 3, 4]] * 5
    assert record.notes["roles"] == ("stream",)


def test_three_workers_come_with_a_spawned_one():
    assert ways_of(3) == (Way(3, 2), Way(1, 2, spawned=True))
    assert not any(way.spawned for workers in (1, 2) for way in ways_of(workers))


@pytest.mark.slow
def test_a_spawned_worker_knows_nothing_of_what_was_set_in_this_process(tmp_path):
    """Fresh interpreters read the file of the target again, and get what a test defines by value."""
    (tmp_path / "streams.py").write_text(
        "from torch.utils.data import IterableDataset, get_worker_info\n"
        "EPOCHS = []\n"
        "class Stream(IterableDataset):\n"
        "    def set_epoch(self, epoch):\n"
        "        EPOCHS.append(epoch)\n"
        "    def __iter__(self):\n"
        "        info = get_worker_info()\n"
        "        return iter([] if info and info.id else EPOCHS[-1:] or [7])\n"
        "def build():\n"
        "    return Stream()\n"
    )
    record = record_of(f"{tmp_path / 'streams.py'}:build", workers=3)
    assert record.notes["spawned"] == (2,)
    assert steps(record) == [[0], [1], [0], [7]]
    assert [one.epoch for one in record.passes] == [0, 1, 0, 1]
    record = record_of(lambda length: DataLoader(range(length), 2, collate_fn=lambda batch: batch), workers=3)
    assert steps(record) == [[[0, 1], [2, 3], [4]]] * 4


def test_no_worker_is_spawned_where_forked_ones_yield_other_samples():
    """It takes a second or more, and forked workers have shown the same."""

    class Whole(IterableDataset):
        def __iter__(self):
            return iter(range(3))

    record = record_of(Whole, workers=3, length=3)
    assert record.notes["of"] == (0, 0, 1)
    assert sorted(steps(record)[2]) == sorted([0, 1, 2] * 3)


@pytest.mark.slow
def test_what_a_spawned_worker_cannot_do_is_noted_and_no_fault():
    class Here(IterableDataset):
        def __iter__(self):
            info = get_worker_info()
            return iter(range(3)[info.id :: 3] if info else range(3))

        def __reduce__(self):
            raise ValueError("stays here")

    record = record_of(Here, workers=3, length=3)
    assert "stays here" in record.notes["unspawned"]
    assert record.notes["stopped"] == {}


def test_set_epoch_reaches_a_stream_through_its_loader():
    def build(length, rank, world_size, seed):
        return DataLoader(ShuffledStream(length, rank, world_size, seed), batch_size=None, num_workers=1)

    first, second, fresh, *kept = steps(record_of(build, contract=sc.Contract(order="shuffled")))
    assert first != second
    assert [fresh, *kept] == [first, first, second]


def test_without_workers_in_the_case_only_roles_are_noted():
    assert record_of(loader_of_pictures, workers=0).notes == {"roles": ("loader", "own_workers")}


def test_a_loader_has_the_workers_of_the_case_and_not_its_own():
    record = record_of(loader_of_pictures, workers=0, experiments=("epochs",), batch_size=2)
    assert steps(record) == [[[0, 1], [2, 3], [4]]] * 2


def test_what_fails_in_workers_alone_is_noted_and_the_other_ways_go_on():
    class Shy(Shards):
        def __iter__(self):
            if get_worker_info() is not None:
                raise KeyError("no place for workers")
            return super().__iter__()

    record = record_of(Shy)
    assert sorted(record.notes["stopped"]) == [1, 2]
    assert "no place for workers" in record.notes["stopped"][1]
    assert record.notes["of"] == (0, 0)


@pytest.mark.slow
def test_a_worker_that_dies_is_noted():
    class Mortal(Shards):
        def __iter__(self):
            if get_worker_info() is not None:
                os._exit(3)
            return super().__iter__()

    assert "exited unexpectedly" in record_of(Mortal).notes["stopped"][1]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux alone")
def test_workers_are_copies_though_python_would_give_them_pickled_ones():
    class Here(Shards):
        def __reduce__(self):
            raise ValueError("stays here")

    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("forkserver", force=True)  # the default from Python 3.14 on
    try:
        record = record_of(Here, workers=2)
        assert multiprocessing.get_start_method() == "forkserver"
    finally:
        multiprocessing.set_start_method(before, force=True)
    assert record.notes["stopped"] == {}
    assert steps(record) == [[0, 1, 2, 3, 4]] * 5


def test_a_worker_that_never_answers_meets_a_deadline():
    class Sleepy(Shards):
        def __iter__(self):
            if get_worker_info() is not None:
                time.sleep(60)
            return super().__iter__()

    record = record_of(Sleepy, deadlines=Deadlines(seconds=0.1, wall_factor=2.0))
    assert record.notes["stopped"] == {1: "next took too long"}


def test_a_subclass_of_a_loader_takes_the_workers_that_it_is_given():
    class Own(DataLoader):
        pass

    mine = adjust(Own([0, 1]), Way(2, 4, persistent=True))
    assert (mine.num_workers, mine.prefetch_factor, mine.persistent_workers) == (2, 4, True)
    assert adjust(mine, HOME).num_workers == 0
    assert list(adjust(mine, HOME)) == [torch.tensor([0]), torch.tensor([1])]


def test_what_is_no_loader_of_torch_is_left_as_it_is():
    class Foreign:
        num_workers = 3

    assert adjust(Foreign(), HOME).num_workers == 3


class Stateful(DataLoader):
    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class Empty(IterableDataset):
    def __iter__(self):
        return iter(())


@pytest.mark.parametrize(
    ("subject", "roles"),
    [
        ([1], ()),
        (Empty(), ("stream",)),
        (DataLoader([1]), ("loader",)),
        (DataLoader(Empty(), num_workers=1), ("loader", "stream", "own_workers")),
        (Stateful([1]), ("loader", "loader_state")),
        (None, ()),
    ],
)
def test_roles_are_what_a_subject_is_to_a_loader(subject, roles):
    assert roles_of(subject) == roles


def test_processes_that_were_there_before_are_left_alone():
    class Guard:
        stretch = 1.0

    guard = Guard()
    kept = DataLoader([0, 1], num_workers=1, persistent_workers=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = iter(kept)
        with with_workers(guard):
            assert guard.stretch > 1
            other = DataLoader([0, 1], num_workers=1, persistent_workers=True)
            next(iter(other))
        assert len(active_children()) == 1
        assert len(list(before)) == 2
    before._shutdown_workers()  # type: ignore[attr-defined]  # torch's own way
    assert guard.stretch == 1.0


OWN = "loader", "own_workers", "own_loader", "own_set_epoch"
STREAMED = "loader", "stream", "own_loader", "own_set_epoch"


def test_a_loader_of_ones_own_is_known_by_what_it_opens():
    assert record_of(loader_of_ones_own, workers=0).notes["roles"] == OWN
    assert record_of(loader_made_again, workers=0).notes["roles"] == STREAMED


class Keeps:
    """Has a pass of its loader open from the beginning, and takes two steps of it in each of its own."""

    def __init__(self, dataset):
        self.loader = DataLoader(dataset)
        self.open = iter(self.loader)

    def __iter__(self):
        return itertools.islice(self.open, 2)


def test_a_loader_that_keeps_a_pass_open_is_known_by_it_and_need_not_be_pickled():
    assert record_of(Keeps, workers=0).notes["roles"] == ("loader", "own_loader")
    with open_world("simulated") as world:
        trace = world.trace(sc.target(Keeps).bind(), sc.Case(length=3), ("epochs", "pickled"))
    assert trace.of("pickled")[0].notes["pickling"] == ""


def test_a_loader_that_opens_none_is_known_by_its_batches_and_may_deal_out_like_a_stream():
    assert record_of(loader_with_a_pool, workers=0).notes["roles"] == STREAMED[:3]


def test_a_sampler_is_no_loader_whatever_it_names():
    def build(length, num_workers):
        return range(length * (num_workers + 1))

    assert record_of(build, workers=0).notes["roles"] == ()


def test_a_loader_of_ones_own_goes_as_its_author_has_built_it_but_for_the_number_of_workers():
    def build(dataset, num_workers):
        how = {"prefetch_factor": 3, "persistent_workers": True} if num_workers else {}
        return Moved(DataLoader(dataset, 2, num_workers=num_workers, **how))

    record = record_of(build, workers=2, contract=sc.Contract(epochs="fixed"))
    assert record.notes["ways"] == ((0, None, False), (2, 3, True))
    assert record.notes["of"] == (0, 0, 1, 1)
    assert "unseen" not in record.notes
    assert steps(record) == [[[0, 1], [2, 3], [4]]] * 4


def test_workers_of_its_own_are_taken_from_a_loader_inside_and_given_back():
    record = record_of(loader_of_ones_own, workers=1)
    assert record.notes["ways"] == ((0, None, False), (1, 2, False))
    home, workers = steps(record)[:2], steps(record)[2:]
    assert home == workers
    assert home[0] != home[1]


def test_workers_that_nobody_saw_are_noted():
    record = record_of(loader_with_a_pool, workers=2, contract=sc.Contract(epochs="fixed"))
    assert record.notes["unseen"] is True
    assert record.notes["ways"] == ((0, None, False), (2, None, False))
    assert steps(record)[-1] == [[0], [2], [4], [1], [3]]


def test_loaders_are_found_in_what_a_loader_of_ones_own_holds():
    one, other = DataLoader([0]), DataLoader([1])
    assert loaders_in(one) == [one]
    assert loaders_in(Moved(Moved([one, other, one]))) == [one, other]
    assert loaders_in(Moved({"train": one, "rest": [other] * 17})) == [one]
    assert loaders_in(Moved(Moved(Moved(Moved(one))))) == []
    assert loaders_in([0, 1]) == loaders_in(range(3)) == loaders_in(None) == []


class Counting(DataLoader):
    """Counts what it delivers."""

    start = done = 0

    def __iter__(self):
        self.done = self.start
        batches = super().__iter__()
        for number, batch in enumerate(batches):
            if number >= self.start:
                self.done += 1
                yield batch

    def state_dict(self):
        return {"done": self.done}

    def load_state_dict(self, state):
        self.start = state["done"]


def counting(dataset, num_workers):
    return Counting(dataset, batch_size=1, num_workers=num_workers)


def test_a_loader_is_interrupted_and_resumed_with_and_without_workers():
    record = record_of(counting, experiments=DELIVERED, length=3, stop=2, epochs=1)
    assert record.notes == {"resumed": (0, 1), "stopped": {}, "saved": True}
    assert steps(record) == [[[0], [1], [2]], [[0], [1]], [[2]]] * 2


def test_a_loader_without_a_state_is_not_interrupted():
    record = record_of(loader, experiments=DELIVERED)
    assert (record.passes, record.notes) == ([], {"resumed": (), "stopped": {}})


class Resumable(BatchSampler):
    """One batch of each sample, which goes on from its state; what is left is taken when a pass is opened."""

    eager = True

    def __init__(self, length, rank, world_size, batch_size):
        self.length, self.start, self.done, self.epoch = length, 0, 0, 0

    def set_epoch(self, epoch):
        self.start *= epoch == self.epoch
        self.epoch = epoch

    def state_dict(self):
        return {"done": self.done}

    def load_state_dict(self, state):
        self.start = state["done"]

    def __len__(self):
        return self.length

    def __iter__(self):
        return self.walk(self.spend()) if self.eager else self.walk()

    def spend(self):
        start, self.start = self.start, 0
        return start

    def walk(self, start=None):
        self.done = self.spend() if start is None else start
        for index in range(self.done, self.length):
            self.done += 1
            yield [index]


class SpentLate(Resumable):
    """Takes it when the first batch is asked for."""

    eager = False


@pytest.mark.parametrize(
    "contract", [sc.Contract(), sc.Contract(epochs="fixed", order="sequential", ambient_rng="shared")]
)
@pytest.mark.parametrize(("kind", "first"), [(Resumable, 0), (SpentLate, 1)])
def test_a_sampler_that_keeps_a_state_goes_on_behind_workers(kind, first, contract):
    """A loader with workers opens a batch sampler twice, and uses the second iterator."""
    record = record_of(kind, length=3, batch_size=1, stop=1, contract=contract)
    assert record.notes["goes_on"]
    assert steps(record)[0] == [[1], [2]]
    assert steps(record)[2] == [[index] for index in range(first, 3)]


class Filled:
    """Fills one list again, or a new one, for each batch."""

    def __init__(self, length, batch_size, *, new):
        self.length, self.batch_size, self.new = length, batch_size, new

    def __iter__(self):
        batch = []
        for start in range(0, self.length, self.batch_size):
            batch = [] if self.new else batch
            batch[:] = range(start, min(self.length, start + self.batch_size))
            yield batch


def refilled(length, batch_size):
    return Filled(length, batch_size, new=False)


def filled(length, batch_size):
    return Filled(length, batch_size, new=True)


@pytest.mark.parametrize(
    ("kind", "late"), [(refilled, [[4, 5], [6], [6], [6]]), (filled, [[0, 1], [2, 3], [4, 5], [6]])]
)
def test_what_a_batch_sampler_yielded_is_read_again_when_workers_get_it(kind, late):
    """Two batches are asked for ahead, and no worker is started."""
    record = record_of(kind, length=7, batch_size=2)
    assert steps(record) == [[[0, 1], [2, 3], [4, 5], [6]], late]
    assert record.notes["ways"] == ((0, None, False), (1, 2, False))
    assert active_children() == []
