"""What a loader is changed in: when passes are opened, whose generator is whose, what its state counts."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest
import torch
from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    IterableDataset,
    SequentialSampler,
    get_worker_info,
)

from samplercheck import Case, Contract
from samplercheck.explain.loaded import dealt_out, drawn_apart, drawn_as_delivered, ended, opened_late
from samplercheck.explain.rebuilt import batches_copied, seeded_as_first
from samplercheck.targets.binding import Binding
from tests.sound.loaders import Moved, Shards
from tests.zoo.generator_shared_with_the_loader import bug

AHEAD = 2


class Counting(SequentialSampler):
    """Counts what it hands out."""

    drawn = 0

    def __iter__(self):
        for self.drawn, place in enumerate(super().__iter__(), 1):
            yield place


class Prefetching(DataLoader):
    """Asks for two samples ahead, as one that has workers does; its state is the sampler's."""

    sampler: Counting

    def __iter__(self):
        held = deque()
        for place in self._index_sampler:
            held.append(self.dataset[place])
            if len(held) > AHEAD:
                yield held.popleft()
        yield from held

    def state_dict(self):
        return {"drawn": self.sampler.drawn}


class Delivered(Prefetching):
    """Its state is of what it has yielded."""

    done = 0

    def __iter__(self):
        for self.done, sample in enumerate(super().__iter__(), 1):
            yield sample

    def state_dict(self):
        return {"done": self.done}


class Floored(IterableDataset):
    """Its workers take blocks of the floor, and none where there are fewer samples than workers."""

    def __iter__(self):
        info = get_worker_info()
        size = 1 if info is None else 1 // info.num_workers
        yield from range(size)


def test_workers_that_yield_nothing_do_not_yield_the_same(monkeypatch):
    binding = Binding(lambda length: Floored(), Contract(), {}, "stream")
    stream = dealt_out.binding(binding).build(Case(length=1), 0, {})
    info = SimpleNamespace(id=0, num_workers=2, seed=0, dataset=stream)
    monkeypatch.setattr(torch.utils.data._utils.worker, "_worker_info", info)
    assert list(stream) == []


def states(kind):
    """The state after each sample, with the change and without it."""

    def factory(dataset):
        return kind(dataset, batch_size=None, sampler=Counting(dataset))

    binding = Binding(factory, Contract(), {}, "loader")
    loaders = [one.build(Case(length=5), 0, {}) for one in (binding, drawn_as_delivered.binding(binding))]
    return [[(sample, *loader.state_dict().values()) for sample in loader] for loader in loaders]


def test_a_state_that_counts_what_was_drawn_counts_what_was_delivered():
    assert states(Prefetching) == [
        [(0, 3), (1, 4), (2, 5), (3, 5), (4, 5)],
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    ]


def test_a_state_that_counts_what_was_delivered_is_behind():
    assert states(Delivered) == [
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
        [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2)],
    ]


def test_what_is_no_loader_is_left_as_it_is():
    binding = Binding(lambda length: range(length), Contract(), {}, "range")  # noqa: PLW0108  (range has no signature)
    assert drawn_as_delivered.binding(binding).build(Case(length=3), 0, {}) == range(3)


@pytest.mark.parametrize(("module", "is_changed"), [("torchdata.stateful", False), ("mine", True)])
def test_a_loader_whose_workers_tell_its_state_is_asked_for_it_only_as_often_as_it_is(module, is_changed):
    kind = type("Loader", (Prefetching,), {"state_dict": Prefetching.state_dict, "__module__": module})
    binding = Binding(lambda dataset: kind(dataset), Contract(), {}, "loader")  # noqa: PLW0108  (no signature)
    assert (type(drawn_as_delivered.binding(binding).build(Case(length=3), 0, {})) is not kind) is is_changed


def changed(change, factory, **case):
    """What is built with a change."""
    return change.binding(Binding(factory, Contract(), {}, "changed")).build(Case(**case), 0, {})


class Eager(SequentialSampler):
    """Counts its passes when they are opened."""

    def __init__(self, dataset):
        super().__init__(dataset)
        self.opened = 0

    def __iter__(self):
        self.opened += 1
        return super().__iter__()


def test_of_a_loader_it_is_the_sampler_that_is_opened_late_and_workers_stay():
    def build(dataset):
        return Moved(DataLoader(dataset, 2, sampler=Eager(dataset), num_workers=2))

    (inner,) = vars(changed(opened_late, build, length=3)).values()
    assert isinstance(inner, DataLoader)
    assert inner.num_workers == 2
    iter(inner.batch_sampler)
    assert vars(inner.sampler)["opened"] == 0
    assert list(inner.batch_sampler) == [[0, 1], [2]]
    assert vars(inner.sampler)["opened"] == 1


def test_a_stream_is_left_to_its_workers():
    assert type(changed(opened_late, Shards, length=3)) is Shards


def test_a_sampler_that_shares_a_generator_with_its_loader_gets_one_in_the_same_state():
    loader = changed(drawn_apart, bug, length=7)
    assert loader.sampler.generator is not loader.generator
    assert torch.equal(loader.sampler.generator.get_state(), loader.generator.get_state())


def test_a_generator_that_is_not_shared_is_left_where_it_is():
    own = torch.Generator()

    def build(dataset):
        loader = DataLoader(dataset, generator=torch.Generator())
        vars(loader.sampler)["generator"] = own
        return loader

    assert changed(drawn_apart, build, length=3).sampler.generator is own


class WorkersNumber(IterableDataset):
    """Yields the number of the worker that iterates it, and -1 in the main process."""

    def __iter__(self):
        info = get_worker_info()
        yield from [-1 if info is None else info.id] * 2


def test_a_stream_whose_batches_are_copied_is_still_iterated_by_workers():
    stream = changed(batches_copied, lambda length: WorkersNumber(), length=2)
    assert isinstance(stream, IterableDataset)
    loader = DataLoader(stream, batch_size=None, num_workers=2, multiprocessing_context="fork")
    assert [int(one) for one in loader] == [0, 1, 0, 1]


class OwnIterator:
    """Its own iterator: begins anew whenever it is opened, and once more when it was at its end."""

    def __init__(self, length, rank, world_size):
        self.length, self.opened = length, 0

    def __iter__(self):
        self.opened += 1
        self.left = list(range(self.length))
        return self

    def __next__(self):
        if self.left:
            return self.left.pop(0)
        self.left = [0]
        raise StopIteration


def test_what_stays_at_its_end_is_opened_as_often_as_before():
    assert ended.rebuild is not None
    built = ended.rebuild(Binding(OwnIterator, Contract(), {}, "it"), Case(length=2), 0, {})
    opened = iter(built)
    assert built.opened == 1
    assert [*opened, *opened] == [0, 1]
    assert built.opened == 1


def loads_by_rank(dataset, rank, world_size, seed):
    sampler = DistributedSampler(dataset, world_size, rank, seed=seed + rank)
    return DataLoader(dataset, batch_size=None, sampler=sampler)


def test_the_sampler_of_rank_0_is_in_the_epoch_that_the_sampler_of_a_loader_was_put_into():
    binding = seeded_as_first.binding(Binding(loads_by_rank, Contract(), {}, "loader"))
    shares = []
    for rank in (0, 1):
        loader = binding.build(Case(length=6, world_size=2), rank, {})
        loader.sampler.set_epoch(3)
        shares.append([int(one) for one in loader])
    alike = [DistributedSampler(range(6), 2, rank) for rank in (0, 1)]
    for one in alike:
        one.set_epoch(3)
    assert shares == [[*one] for one in alike]
