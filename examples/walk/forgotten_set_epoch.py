"""A training loop that never calls set_epoch: every epoch has the order of the first.

DistributedSampler shuffles by seed and epoch. A sampler that swallows the call, or a wrapper that does not
hand it on, does the same to a loop that calls it.

``Wrapped`` below has this fault. samplercheck says of it:

    BROKEN  Epochs have the same order                                 wrong order
            SC301 reshuffles
      found     Rank 0 yielded 0, 1, 3, 2 in each of 3 epochs, whatever epoch was
                set.

        rank 0
        step     0  1  2  3
        epoch 0  0  1  3  2
        epoch 1  0  1  3  2   <- the same
        epoch 2  0  1  3  2   <- the same

      case      length=4 world_size=1 batch_size=1 shuffle
      smallest  length=2 world_size=1 batch_size=1 shuffle (gvvnhhve)
      when      always with 2 or more samples and shuffle (88 of 238 small cases)
      cause     The wrapper does not pass set_epoch on to the sampler that it
                wraps.
                tested: with set_epoch passed on to what it holds, 40 of 40 hold
      fix       Add set_epoch(epoch), and call the wrapped sampler's set_epoch in
                it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import DistributedSampler, Sampler

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Wrapped(Sampler[int]):
    """Hands indices on and forgets that there are epochs."""

    def __init__(
        self, dataset: Any, num_replicas: int, rank: int, *, shuffle: bool = True, seed: int = 0
    ) -> None:
        self.inner: Any = DistributedSampler(dataset, num_replicas, rank, shuffle=shuffle, seed=seed)

    def __iter__(self) -> Iterator[int]:
        return iter(self.inner)

    def __len__(self) -> int:
        return len(self.inner)


class Corrected(Wrapped):
    """Hands the epoch on as well."""

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.inner.set_epoch(epoch)


def main() -> None:
    """Show three epochs of rank 0, then judge both."""
    for kind in (Wrapped, Corrected):
        sampler = kind(range(8), 2, 0)
        for epoch in range(3):
            if hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)
            print(f"{kind.__name__}: epoch {epoch}: {list(sampler)}")
        report = sc.run(kind, profile="quick", select=["SC301"])
        print(report if report.failures else "holds", end="\n\n")


if __name__ == "__main__":
    main()
