"""Judge a sound and a broken sampler: prints both verdicts, and one failure in full.

Run it with ``python examples/check_a_sampler.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Strided(torch.utils.data.Sampler[int]):
    """Shuffles with (seed, epoch), pads to a multiple of the world size, deals out in turn."""

    def __init__(
        self, dataset: Any, rank: int, world_size: int, *, shuffle: bool = True, seed: int = 0
    ) -> None:
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} of {world_size} does not exist: use 0 <= rank < world_size.")
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def order(self) -> list[int]:
        """Return the order of the epoch, the same on every rank."""
        if not self.shuffle:
            return list(range(self.length))
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return torch.randperm(self.length, generator=generator).tolist()

    def __len__(self) -> int:
        return (self.length + self.world_size - 1) // self.world_size

    def __iter__(self) -> Iterator[int]:
        order = self.order()
        for position in range(self.rank, len(self) * self.world_size, self.world_size):
            yield order[position % self.length]


class Unpadded(Strided):
    """Forgets the padding: where the length does not divide, some ranks have one step less."""

    def __len__(self) -> int:
        return len(range(self.rank, self.length, self.world_size))

    def __iter__(self) -> Iterator[int]:
        return iter(self.order()[self.rank :: self.world_size])


def main() -> None:
    """Judge both and say what was found."""
    sound = sc.run(Strided, profile="quick")
    print(f"{sound.target}: {sound.outcome.value}")
    sound.raise_for_failures()

    broken = sc.run(Unpadded, profile="quick", select=["SC104"])
    print(f"{broken.target}: {broken.outcome.value}\n")
    try:
        broken.raise_for_failures()
    except sc.LawBroken as failure:
        print(failure)
    if broken.outcome is not sc.Outcome.BROKEN:
        raise SystemExit("SC104 should have been broken.")


if __name__ == "__main__":
    main()
