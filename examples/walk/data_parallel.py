"""One process, several GPUs: DataParallel splits each batch, and the last one unevenly.

Ten samples over four replicas are split 3, 3, 3, 1. A mean of the replicas' means is then not the mean of the
batch. A batch smaller than the replicas leaves some of them without work.

What a replica gets is judged as a rank's share. samplercheck says of it:

    BROKEN  Batch sizes differ between ranks at a step             wrong gradients
            SC603 equal-step-sizes, holds with --contract tail=keep
      found     In step 2 of epoch 0 the ranks hold 2 and 1 samples.

        step        0      1      2
        rank 0  [0 1]  [4 5]  [8 9]
        rank 1  [2 3]  [6 7]   [10]   <- step 2

      case      length=11 world_size=2 batch_size=2
      smallest  length=3 world_size=2 batch_size=2 (qsoykxxa)
      when      whenever length is no multiple of batch_size and a rank's share,
                rounded up, is a multiple of batch_size, sometimes in other cases
                (12 of 117 small cases)
      look at   Where steps are planned: in each, all ranks are to take as many
                samples of the one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator


def split(batch: torch.Tensor, replicas: int) -> list[list[int]]:
    """Return what each replica gets, as torch.nn.DataParallel scatters a batch."""
    return [part.tolist() for part in batch.chunk(replicas)]


class Scattered:
    """What one replica gets of each batch of the process's only loader."""

    drop_last = False

    def __init__(self, dataset: Any, rank: int, world_size: int, batch_size: int) -> None:
        self.rank, self.world_size = rank, world_size
        whole = batch_size * world_size
        self.loader: Any = DataLoader(dataset, batch_size=whole, drop_last=self.drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        for batch in self.loader:
            yield from split(batch, self.world_size)[self.rank : self.rank + 1]


class WholeBatches(Scattered):
    """The same behind a loader that leaves out its short batch."""

    drop_last = True


def main() -> None:
    """Show three batches and the mean that comes out of each, then judge both."""
    for size in (12, 10, 3):
        batch = torch.arange(size, dtype=torch.float)
        parts = split(batch, 4)
        mean = sum(sum(part) / len(part) for part in parts) / len(parts)
        sizes = [len(part) for part in parts]
        print(f"{size} samples over 4: {sizes}, mean {batch.mean():.2f}, of means {mean:.2f}")
    for kind in (Scattered, WholeBatches):
        report = sc.run(kind, profile="quick", select=["SC603"], worlds=["simulated"])
        print(f"{kind.__name__}:", report if report.failures else "holds", end="\n\n")


if __name__ == "__main__":
    main()
