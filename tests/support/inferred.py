"""Samplers for inference: each keeps one contract that people choose, or none."""

from __future__ import annotations

import itertools
import random

import torch


class Chunks:
    """As samplers for evaluation deal: contiguous shares, the first ones longer by one."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError("a rank lies within its world")
        size, longer = divmod(length, world_size)
        start = rank * size + min(rank, longer)
        self.share = range(start, start + size + (rank < longer))

    def __iter__(self):
        return iter(self.share)

    def __len__(self):
        return len(self.share)


class Forever:
    """As samplers for long trainings deal: one shuffled round after the other, without an end."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError("a rank lies within its world")
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def __iter__(self):
        yield from itertools.islice(self.rounds(), self.rank, None, self.world_size)

    def rounds(self):
        generator = torch.Generator().manual_seed(self.seed)
        while self.length:
            yield from torch.randperm(self.length, generator=generator).tolist()


class Loses:
    """Yields all but the last sample: a bug, and no contract that anybody would choose."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __iter__(self):
        return iter(range(max(self.length - 1, 0)))


class AllOnEveryRank:
    """Takes its place and does not ask for it: a bug, and no plain sampler."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError("a rank lies within its world")
        self.length = length

    def __iter__(self):
        return iter(range(self.length))


class Dealt:
    """Deals out what its class draws for an epoch, alike on all ranks, with some of it again at the end."""

    def __init__(self, rank: int, world_size: int, seed: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError("a rank lies within its world")
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def draw(self, generator: random.Random) -> list[int]:
        raise NotImplementedError

    def __iter__(self):
        drawn = self.draw(random.Random(f"{self.seed} {self.epoch}"))
        total = -(-len(drawn) // self.world_size) * self.world_size
        return itertools.islice(itertools.cycle(drawn), self.rank, total, self.world_size)


class DrawsADataset(Dealt):
    """Draws a dataset, each as often as another, and then one of its samples."""

    def __init__(self, datasets, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        ends = list(itertools.accumulate(map(len, datasets)))
        pairs = zip(map(len, datasets), ends, strict=True)
        self.parts = [range(end - size, end) for size, end in pairs if size]

    def draw(self, generator: random.Random) -> list[int]:
        total = sum(map(len, self.parts))
        return [generator.choice(generator.choice(self.parts)) for _ in range(total)]


class Balances(Dealt):
    """Repeats samples of rare labels until all labels come equally often; the bug: each rank for itself."""

    def __init__(self, labels, rank: int, world_size: int, seed: int, *, apart: bool = False) -> None:
        super().__init__(rank, world_size, seed)
        self.own = rank if apart else 0
        groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
        most = max(map(len, groups), default=0)
        self.order = [i for group in groups for i in itertools.islice(itertools.cycle(group), most)]

    def draw(self, generator: random.Random) -> list[int]:
        for _ in range(self.own + 1):
            mixed = generator.sample(self.order, len(self.order))
        return mixed


class DrawsHalf(Dealt):
    """Draws half of the dataset with replacement, though nothing says how often a sample is to come."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        super().__init__(rank, world_size, seed)
        self.length = length

    def draw(self, generator: random.Random) -> list[int]:
        return generator.choices(range(self.length), k=-(-self.length // 2)) if self.length else []
