"""Sound samplers, each as small as its kind allows; planted faults break them in one place each.

Judged by ``selftest`` on the user's machine. Runs inside ranks; imports torch.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import IterableDataset, get_worker_info


class Dealing:
    """Deals the samples out to ranks, padded or cut to whole rounds."""

    def __init__(
        self, length: int, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool  # noqa: FBT001
    ) -> None:
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} is none of {world_size}")
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def order(self) -> list[int]:
        """Return the order of this epoch, the same on all ranks."""
        order = list(range(self.length))
        if self.shuffle:
            random.Random(f"{self.seed}/{self.epoch}").shuffle(order)
        return order

    def share(self) -> list[int]:
        """Return what this rank gets of an order of whole rounds."""
        order, rounds = self.order(), len(self) * self.world_size
        return (order * self.world_size)[:rounds][self.rank :: self.world_size]

    def __iter__(self) -> Iterator[int]:
        return iter(self.share())

    def __len__(self) -> int:
        return (self.length if self.drop_last else self.length + self.world_size - 1) // self.world_size


class Batching:
    """Cuts what is dealt out into batches."""

    def __init__(
        self, length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int  # noqa: FBT001
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batches of {batch_size}")
        self.dealing = Dealing(length, rank, world_size, shuffle, seed, drop_last=False)
        self.batch_size = batch_size

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.dealing.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[int]]:
        share = self.dealing.share()
        return iter([share[at : at + self.batch_size] for at in range(0, len(share), self.batch_size)])

    def __len__(self) -> int:
        return (len(self.dealing) + self.batch_size - 1) // self.batch_size


class Resuming(Dealing):
    """Can be stopped and resumed."""

    done, loaded = 0, False

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch; the one that was resumed keeps its position."""
        if epoch != self.epoch:
            self.done = 0
        self.epoch = epoch

    def state_dict(self) -> dict[str, int]:
        """Return epoch and position."""
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from a state."""
        self.epoch, self.done, self.loaded = state["epoch"], state["done"], True

    def __iter__(self) -> Iterator[int]:
        samples = self.share()
        start, self.loaded = self.done if self.loaded else 0, False
        for self.done in range(start + 1, len(samples) + 1):
            yield samples[self.done - 1]


class Refusing(Resuming):
    """Goes on from states of its own alone."""

    def made(self) -> list[int]:
        """Return what it was built with."""
        return [self.length, self.rank, self.world_size, self.seed]

    def state_dict(self) -> dict[str, Any]:
        """Return epoch and position, and whose they are."""
        return {**super().state_dict(), "made": self.made()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state, or refuse it."""
        if state["made"] != self.made():
            raise ValueError(f"a state of {state['made']} is none of {self.made()}")
        super().load_state_dict(state)


class Streaming(IterableDataset[int]):
    """A stream that ranks, and the workers of each, split between them."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} is none of {world_size}")
        self.samples = list(range(rank, length, world_size))

    def __iter__(self) -> Iterator[int]:
        worker = get_worker_info()
        return iter(self.samples if worker is None else self.samples[worker.id :: worker.num_workers])


class Weighing:
    """Draws samples with replacement, by their weights."""

    def __init__(self, weights: list[float], seed: int) -> None:
        self.weights, self.seed, self.epoch = weights, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        draw = random.Random(f"{self.seed}/{self.epoch}")
        length = len(self.weights)
        return iter(draw.choices(range(length), self.weights, k=length) if length else [])

    def __len__(self) -> int:
        return len(self.weights)


class Agreeing(Dealing):
    """Shuffles by a seed that rank 0 tells the others."""

    def order(self) -> list[int]:
        seed = torch.tensor([self.seed])
        dist.broadcast(seed, src=0)
        order: list[Any] = list(range(self.length))
        random.Random(f"{int(seed)}/{self.epoch}").shuffle(order)
        return order if self.shuffle else sorted(order)
