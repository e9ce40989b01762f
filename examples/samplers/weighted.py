"""Drawing by weights on several ranks: one generator for all, each rank takes its share of the draws.

The broken twin forgets the epoch: every epoch has the same draws, and what was not drawn in the first one is
never seen. samplercheck says of it:

    BROKEN  Epochs have the same order                                 wrong order
            SC301 reshuffles
      found     Rank 0 yielded 3, 3, 1, 3 in each of 3 epochs, whatever epoch was
                set.

        rank 0
        step     0  1  2  3
        epoch 0  3  3  1  3
        epoch 1  3  3  1  3   <- the same
        epoch 2  3  3  1  3   <- the same

      case      length=4 world_size=1 batch_size=1 weights=[1.0,1.0,0.0,1.0]
      smallest  length=2 world_size=3 batch_size=1 weights=[1.0,1.0] (lw7in3w4)
      when      always with 5 or more samples, sometimes in other cases (137 of
                186 small cases)
      where     weighted.py:72: return torch.Generator().manual_seed(self.seed);
                this seeds the order
      cause     The shuffle does not depend on the epoch.
                tested: with the epoch added to the seed of a fresh object, 40 of
                40 hold
      fix       Seed the order with seed + epoch, where epoch is what
                set_epoch(epoch) was given last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Sampler

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Weighted(Sampler[int]):
    """As many draws in an epoch as there are samples, in equal shares."""

    def __init__(self, weights: Any, rank: int, world_size: int, seed: int = 0) -> None:
        self.weights = torch.as_tensor(list(weights), dtype=torch.double)
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def generator(self) -> torch.Generator:
        """Return the generator of this epoch, the same on all ranks."""
        return torch.Generator().manual_seed(self.seed + self.epoch)

    def __iter__(self) -> Iterator[int]:
        draws = len(self) * self.world_size
        drawn = torch.multinomial(self.weights, draws, replacement=True, generator=self.generator())
        return iter(drawn[self.rank :: self.world_size].tolist())

    def __len__(self) -> int:
        return -(-len(self.weights) // self.world_size)


class ForgetsTheEpoch(Weighted):
    """Draws the same in every epoch."""

    def generator(self) -> torch.Generator:
        """Return a generator that knows nothing of epochs."""
        return torch.Generator().manual_seed(self.seed)


def main() -> None:
    """Judge both, and show what is said of the second."""
    contract = sc.Contract(coverage="sampled", order="shuffled")
    for kind in (Weighted, ForgetsTheEpoch):
        target = sc.target(kind, contract=contract)
        report = sc.run(target, profile="quick", select=["SC104", "SC3"], worlds=["simulated"])
        print(f"{kind.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
