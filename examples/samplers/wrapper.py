"""A wrapper that deals the order of any sampler out to ranks.

The broken twin does not hand the epoch on: what it wraps is never told of it. samplercheck says of it:

    BROKEN  Epochs alike, set_epoch stops at the wrapper               wrong order
            SC505 leaves-inner-alone
      found     In epoch 1 the inner sampler of rank 0 was at epoch 0, and all
                epochs yield the same.

        epoch set on the wrapper     0 1 2
        epoch of the sampler inside  0 0 0   <- differs

      case      length=4 world_size=2 batch_size=1
      smallest  length=1 world_size=1 batch_size=1 (bpbwtxmy)
      when      always, except for an empty dataset (60 of 65 small cases)
      where     wrapper.py:60: self.epoch = epoch; set_epoch() ends here
      cause     The wrapper does not pass set_epoch on to the sampler that it
                wraps.
                tested: with set_epoch passed on to what it holds, 40 of 40 hold
      fix       In set_epoch, call the wrapped sampler's set_epoch as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


class Dealt(Sampler[int]):
    """Each rank takes its share of one order, padded from its beginning until all shares are equal."""

    def __init__(self, sampler: Any, rank: int, world_size: int) -> None:
        self.inner, self.rank, self.world_size = sampler, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        """Hand the epoch on to what shuffles."""
        if hasattr(self.inner, "set_epoch"):
            self.inner.set_epoch(epoch)

    def __iter__(self) -> Iterator[int]:
        order = list(self.inner)
        for place in range(self.rank, len(self) * self.world_size, self.world_size):
            yield order[place % len(order)]

    def __len__(self) -> int:
        return -(-len(self.inner) // self.world_size)


class KeepsTheEpoch(Dealt):
    """Takes the number of the epoch and keeps it to itself."""

    def set_epoch(self, epoch: int) -> None:
        """Keep the epoch."""
        self.epoch = epoch


def main() -> None:
    """Judge both, and show what is said of the second."""
    for kind in (Dealt, KeepsTheEpoch):
        report = sc.run(kind, profile="quick", worlds=["simulated"])
        print(f"{kind.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
