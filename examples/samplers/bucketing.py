"""A batch sampler that puts samples of like length together, dealt out so that all ranks take equal steps.

The broken twin deals out the buckets' batches as they come: the number of batches need not divide by the
world, and one rank has a step more. samplercheck says of it:

    BROKEN  Ranks take different numbers of steps                       would hang
            SC104 equal-steps, holds with --contract tail=keep
      found     Rank 0 yields 3 batches, rank 1 yields 2 in epoch 0.

        step      0    1    2
        rank 0  [0]  [2]  [4]   <- waits at step 2
        rank 1  [1]  [3]    -   <- left the epoch

      case      length=5 world_size=2 batch_size=1 lengths=[1,1,1,1,1]
      smallest  length=1 world_size=2 batch_size=1 lengths=[1] (qgni4nzf)
      when      whenever the number of batches is no multiple of world_size (1,188
                of 2,160 small cases)
      where     bucketing.py:73: return iter(self.batches()[self.rank ::
                self.world_size]); this deals out to the ranks
      cause     The last, incomplete round of batches (fewer than world_size *
                batch_size samples) is dealt out unevenly: some ranks get fewer.
                tested: with length a multiple of world_size * batch_size, 40 of
                40 hold
      fix       Pad or cut the list of batches to a multiple of world_size, then
                deal it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Sampler

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Bucketed(Sampler[list[int]]):
    """Batches of samples with neighbouring lengths, in an order of their own each epoch."""

    def __init__(
        self, lengths: Any, rank: int, world_size: int, batch_size: int, *, shuffle: bool, seed: int = 0
    ) -> None:
        self.lengths, self.rank, self.world_size = list(lengths), rank, world_size
        self.batch_size, self.shuffle, self.seed, self.epoch = batch_size, shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def batches(self) -> list[list[int]]:
        """Return the batches of all ranks: cut from one order, padded to whole rounds of whole batches."""
        indices = list(range(len(self.lengths)))
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        if self.shuffle:
            indices = torch.randperm(len(indices), generator=generator).tolist()
            indices.sort(key=self.lengths.__getitem__)  # stable: equal lengths keep the shuffled order
        indices, size = self.padded(indices), self.batch_size
        cut = [indices[start : start + size] for start in range(0, len(indices), size)]
        if self.shuffle:
            cut = [cut[i] for i in torch.randperm(len(cut), generator=generator).tolist()]
        return cut

    def padded(self, indices: list[int]) -> list[int]:
        """Return as many as fill whole batches on all ranks."""
        step = self.world_size * self.batch_size
        return [indices[i % len(indices)] for i in range(-(-len(indices) // step) * step)]

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches()[self.rank :: self.world_size])

    def __len__(self) -> int:
        return -(-len(self.lengths) // (self.world_size * self.batch_size))


class Uneven(Bucketed):
    """Forgets to pad: some ranks have a batch more."""

    def padded(self, indices: list[int]) -> list[int]:
        """Return them as they are."""
        return indices

    def __len__(self) -> int:
        return len(self.batches()[self.rank :: self.world_size])


def main() -> None:
    """Judge both, and show what is said of the second."""
    contract = sc.Contract(tail_unit="batch")
    for kind in (Bucketed, Uneven):
        target = sc.target(kind, contract=contract)
        report = sc.run(target, profile="quick", select=["SC1", "SC301", "SC6"], worlds=["simulated"])
        print(f"{kind.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
