"""Sound targets that are slow in their own ways, as real ones are: they show what a profile costs.

Each is in ``SLOW``, a factory with its contract; ``tests/benchmarks/profiles.py`` runs them.
"""

from __future__ import annotations

import math
import queue
import threading
from random import Random
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 6
ODD = 0x9E3779B97F4A7C15
BUCKETS = 8


class _Dealt:
    """A plan of whole batches, made in each pass, of which a rank takes every so many."""

    def __init__(self, rank: int, world_size: int, seed: int = 0) -> None:
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def plan(self) -> list[Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        plan = self.plan()
        whole = -(-len(plan) // self.world_size) * self.world_size
        full = plan * (-(-whole // max(1, len(plan))))
        return iter(full[:whole][self.rank :: self.world_size])

    def __len__(self) -> int:
        return math.ceil(len(self.plan()) / self.world_size)

    @property
    def random(self) -> Random:
        return Random(self.seed * 1_000_003 + self.epoch)


class WeightedByHand(_Dealt):
    """Draws by weight in Python: each draw walks the running sum, which takes milliseconds a pass."""

    def __init__(self, weights: Any, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.weights = torch.as_tensor(weights, dtype=torch.float64)

    def plan(self) -> list[int]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
        drawn = torch.rand(len(self.weights), dtype=torch.float64, generator=generator)
        sums = torch.cumsum(self.weights, 0)
        return [int(torch.searchsorted(sums, one * sums[-1], right=True)) for one in drawn]


class ClassWise(_Dealt):
    """Batches of one label, put together sample by sample; padded batches are full."""

    def __init__(self, labels: Any, batch_size: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.labels, self.batch_size = [int(one) for one in labels], batch_size

    def plan(self) -> list[list[int]]:
        random, batches = self.random, []
        order = list(range(len(self.labels)))
        random.shuffle(order)
        for label in sorted(set(self.labels)):
            of_label = [index for index in order if self.labels[index] == label]
            size = self.batch_size
            batches += [of_label[at : at + size] for at in range(0, len(of_label), size)]
        random.shuffle(batches)
        return batches


class Folds(_Dealt):
    """Cuts the data into folds with an array library's calls for each of them, and joins them again."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int, shuffle: bool) -> None:
        super().__init__(rank, world_size, seed)
        self.length, self.shuffle = length, shuffle

    def plan(self) -> list[int]:
        order = torch.arange(self.length)
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            order = torch.randperm(self.length, generator=generator)
        folds = []
        for fold in range(BUCKETS):
            inside = torch.zeros(self.length, dtype=torch.bool)
            inside[order[fold::BUCKETS]] = True
            folds += [index for index in order.tolist() if bool(inside[index])]
        return folds if self.shuffle else sorted(folds)


class Feistel(_Dealt):
    """A permutation by a Feistel network in plain Python: no memory, ten microseconds a sample."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.length = length

    def plan(self) -> list[int]:
        bits = max(2, (max(1, self.length - 1).bit_length() + 1) // 2)
        random = self.random
        keys = [random.getrandbits(64) for _ in range(ROUNDS)]
        return [self._place(index, bits, keys) for index in range(self.length)]

    def _place(self, index: int, bits: int, keys: list[int]) -> int:
        mask = (1 << bits) - 1
        while True:
            left, right = index >> bits, index & mask
            for key in keys:
                left, right = right, left ^ (((right ^ key) * ODD >> 40) & mask)
            index = left << bits | right
            if index < self.length:
                return index


class FirstFit(_Dealt):
    """Packs samples into batches of few tokens, each into the first with room: quadratic."""

    def __init__(self, lengths: Any, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.lengths = [int(one) for one in lengths]

    def plan(self) -> list[list[int]]:
        order = list(range(len(self.lengths)))
        self.random.shuffle(order)
        bins: list[list[int]] = []
        used: list[int] = []
        for index in order:
            size = self.lengths[index]
            for place, already in enumerate(used):
                if already + size <= 4 * BUCKETS:
                    bins[place].append(index)
                    used[place] += size
                    break
            else:
                bins.append([index])
                used.append(size)
        return bins


class FilledByAThread(_Dealt):
    """A thread puts the samples into a short queue, as prefetching samplers do."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.length = length

    def plan(self) -> list[int]:
        order = list(range(self.length))
        self.random.shuffle(order)
        return order

    def __iter__(self) -> Iterator[int]:
        items: queue.Queue[int | None] = queue.Queue(maxsize=4)
        mine = list(super().__iter__())

        def fill() -> None:
            for index in mine:
                items.put(index)
            items.put(None)

        threading.Thread(target=fill, daemon=True).start()
        while (index := items.get()) is not None:
            yield index


class Elastic(_Dealt):
    """A resumable sampler whose state counts what all ranks have done; it goes on in worlds of any size."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int, shuffle: bool) -> None:
        super().__init__(rank, world_size, seed)
        self.length, self.shuffle, self.done, self.resumed = length, shuffle, 0, False

    def set_epoch(self, epoch: int) -> None:
        if epoch != self.epoch or not self.resumed:
            self.done = 0
        self.epoch, self.resumed = epoch, False

    def plan(self) -> list[int]:
        order = list(range(self.length))
        if self.shuffle:
            self.random.shuffle(order)
        return order[self.done :]

    def __iter__(self) -> Iterator[int]:
        begun = self.done
        mine = list(super().__iter__())
        for index in mine:
            self.done = min(self.length, self.done + self.world_size)
            yield index
        self.done = 0 if begun or mine else self.done

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.done, self.resumed = state["epoch"], state["done"], True


SLOW: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "weighted": (WeightedByHand, {"coverage": "sampled"}),
    "class-wise": (ClassWise, {"batches": "variable", "order": "free"}),
    "folds": (Folds, {}),
    "feistel": (Feistel, {"order": "shuffled"}),
    "first-fit": (FirstFit, {"batches": "variable", "order": "shuffled"}),
    "thread": (FilledByAThread, {"order": "shuffled"}),
}
