"""Samplers for inference: each keeps one contract that people choose, or none."""

from __future__ import annotations

import itertools

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
