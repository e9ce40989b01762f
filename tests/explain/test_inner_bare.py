"""The sampler inside, taken by itself, where it is a share of the epoch."""

from __future__ import annotations

import pytest
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, IterableDataset, SequentialSampler

from samplercheck import Case, Contract
from samplercheck.explain.loaded import inner_bare
from samplercheck.explain.stand_ins import with_epoch
from samplercheck.targets.binding import Binding
from samplercheck.targets.inners import InnerSampler

CASE = Case(length=5, world_size=2)


class Around:
    """Holds a sampler and yields the first of its samples alone."""

    def __init__(self, inner):
        self._sampler = inner

    def __iter__(self):
        return iter(list(self._sampler)[:1])


def share(dataset, rank, world_size):
    return DistributedSampler(dataset, world_size, rank, shuffle=False)


def bare(factory, case=CASE, contract=None):
    return inner_bare.binding(Binding(factory, contract or Contract(), {}, "around")).build(case, 1, {})


def test_what_a_wrapper_holds_is_iterated_in_its_place():
    assert list(bare(lambda dataset, rank, world_size: Around(share(dataset, rank, world_size)))) == [1, 3, 0]


def test_of_a_loader_it_is_what_the_loader_asks_for():
    def loader(dataset, rank, world_size):
        return DataLoader(dataset, batch_size=2, sampler=share(dataset, rank, world_size), collate_fn=len)

    one = bare(loader)
    assert list(one) == [[1, 3], [0]]
    with_epoch(one, 3)
    assert one.sampler.epoch == 3

    def with_batches(dataset, rank, world_size):
        return DataLoader(dataset, batch_sampler=BatchSampler(share(dataset, rank, world_size), 2, False))

    assert list(bare(with_batches)) == [[1, 3], [0]]


@pytest.mark.parametrize(
    "factory",
    [
        lambda dataset: Around(SequentialSampler(dataset)),  # all of it on every rank
        lambda sampler: Around(sampler),  # noqa: PLW0108  (it is the name that counts)
        lambda length: iter(range(length)),
        lambda rank, dataset: Around(SequentialSampler(dataset)) if rank else range(0),
    ],
)
def test_what_holds_no_share_of_its_own_is_left_as_it_is(factory):
    case = CASE.but(shuffle=False)
    assert not isinstance(bare(factory, case), (SequentialSampler, InnerSampler))


def test_what_every_rank_shall_see_whole_is_a_share_where_the_contract_says_so():
    one = bare(lambda dataset: Around(SequentialSampler(dataset)), contract=Contract(sharding="none"))
    assert list(one) == [0, 1, 2, 3, 4]


def test_a_stream_has_no_sampler():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(3))

    assert isinstance(bare(lambda length: DataLoader(Stream(), batch_size=None)), DataLoader)
