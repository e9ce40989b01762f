"""Set-ups: a law is not said to be broken in more situations than it was tried in."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data import IterableDataset, get_worker_info

import samplercheck as sc
from tests.zoo._sound import Strided

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sharded(IterableDataset[int]):
    """Deals out to all workers of all ranks, by a number that is right for as many workers as ranks."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        every = list(range(-(-self.length // (self.world_size * workers)) * self.world_size * workers))
        shard = number * workers + self.rank
        return iter([one % self.length for one in every[shard :: self.world_size * workers]])


class EvenRanks(Sharded):
    """Is wrong on odd numbers of ranks."""

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        if self.world_size % 2 or worker is None:
            return super().__iter__()
        workers = self.world_size * worker.num_workers
        shard = self.rank * worker.num_workers + worker.id
        return iter(
            [one % self.length for one in range(shard, -(-self.length // workers) * workers, workers)]
        )


class SeedsWhenOpened(Strided):
    """Seeds its generator when an iterator is opened, and draws from it at the first step."""

    draws_at_once = False

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.generator = torch.Generator()

    def __iter__(self) -> Iterator[int]:
        self.generator.manual_seed(self.seed + self.epoch)
        return self._drawn()

    def _drawn(self) -> Iterator[int]:
        order = torch.randperm(self.length, generator=self.generator).tolist()
        yield from self.even(order)[self.rank :: self.world_size]


class DrawsAtEachStep(SeedsWhenOpened):
    """Draws the next sample at each step, so that any other open iterator disturbs it."""

    def _drawn(self) -> Iterator[int]:
        order = list(range(self.length))
        for _ in range(len(self.even(order)[self.rank :: self.world_size])):
            yield order[int(torch.randint(self.length, (), generator=self.generator))]


def event_of(target: Any, code: str, **contract: Any) -> str:
    target = sc.target(target, contract=sc.Contract(**contract))
    report = sc.run(target, profile="quick", select=[code], worlds=["simulated"])
    (result,) = report.failures
    return result.failure.violation.event or result.law.event


@pytest.mark.thorough
def test_workers_are_named_with_the_ranks_that_were_tried() -> None:
    assert event_of(Sharded, "SC802") == "in a DataLoader with 2 workers, seen on 1, 3 and 4 ranks, not on 2"
    assert (
        event_of(EvenRanks, "SC802")
        == "in a DataLoader with 2 workers, seen on 1 and 3 ranks, not on 2 and 4"
    )


class SplitsTwice(IterableDataset[int]):
    """Splits shards of two samples between workers, and each of them once more."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.shards = [range(start, min(start + 2, length)) for start in range(0, length, 2)]
        self.mine = self.shards[rank::world_size]

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for shard in self.mine[first::step]:
            yield from shard[first::step]


@pytest.mark.thorough
def test_ranks_with_too_few_samples_to_go_wrong_are_tried_with_more() -> None:
    event = event_of(SplitsTwice, "SC802", tail="keep", even_steps=False)
    assert event == "in a DataLoader with 2 workers, seen on 1, 2 and 3 ranks"


class SplitsIfEnough(IterableDataset[int]):
    """Splits chunks between workers where there is one for each; else each worker yields all."""

    def __init__(self, length: int, rank: int, world_size: int, chunk: int = 3) -> None:
        self.chunks = [range(at, min(at + chunk, length)) for at in range(0, length, chunk)]
        self.rank, self.world_size = rank, world_size

    def __iter__(self) -> Iterator[int]:
        mine, worker = self.chunks[self.rank :: self.world_size], get_worker_info()
        if worker is not None and len(mine) >= worker.num_workers:
            mine = mine[worker.id :: worker.num_workers]
        return chain.from_iterable(mine)


def splits_samples(length: int, rank: int, world_size: int) -> SplitsIfEnough:
    return SplitsIfEnough(length, rank, world_size, chunk=1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("target", "few"),
    [(SplitsIfEnough, "ceil(length / chunk) < workers"), (splits_samples, "length < workers")],
)
def test_workers_that_go_wrong_for_want_of_samples_are_said_to(target: Any, few: str) -> None:
    event = event_of(target, "SC802", tail="keep", even_steps=False)
    assert event == f"in a DataLoader with 2 workers, seen on 1, 2 and 3 ranks; on 1 rank only where {few}"


def seeded(length: int, rank: int, world_size: int, seed: int) -> Any:
    return SeedsWhenOpened(length, rank, world_size, seed=seed)


def drawn(length: int, rank: int, world_size: int, seed: int) -> Any:
    return DrawsAtEachStep(length, rank, world_size, seed=seed)


@pytest.mark.thorough
def test_passes_that_disturb_each_other_only_where_both_begin_at_once_are_said_so() -> None:
    says = "with two iterators, both begun before either has yielded"
    assert event_of(seeded, "SC502", order="shuffled") == says


@pytest.mark.thorough
def test_passes_that_disturb_each_other_whenever_both_are_open_are_said_so() -> None:
    assert event_of(drawn, "SC502", coverage="sampled", order="free") == "with two iterators open at once"


class Chunks(Strided):
    """Goes on in its chunk where it stopped, without the draws of the chunks before it: a bug."""

    start = done = 0

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.start, self.done = epoch, 0, 0

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        share = range(self.rank, -(-self.length // self.world_size) * self.world_size, self.world_size)
        skip, self.done, self.start = self.start, self.start, 0
        for first in range(0, len(share), CHUNK):
            chunk = share[first : first + CHUNK]
            if first + len(chunk) > skip:
                for place in torch.randperm(len(chunk), generator=generator).tolist()[max(0, skip - first) :]:
                    self.done += 1
                    yield chunk[place] % self.length

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.start, self.done = state["epoch"], state["done"], state["done"]


CHUNK = 512


def in_chunks(length: int, rank: int, world_size: int, seed: int) -> Chunks:
    return Chunks(length, rank, world_size, seed=seed)


@pytest.mark.thorough
def test_that_the_first_epoch_is_resumed_rightly_is_said_only_where_the_longest_cases_agree() -> None:
    """In a smaller one the rest of its first epoch has few orders, of which the right one comes by luck."""
    assert event_of(in_chunks, "SC701", order="shuffled", shuffles="chunks") == "after a stop and resume"
