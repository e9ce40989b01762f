"""One process, several GPUs: DataParallel splits each batch, and the last one unevenly.

Ten samples over four replicas are split 3, 3, 3, 1. A mean of the replicas' means is then not the mean of the
batch. A batch smaller than the replicas leaves some of them without work.
"""

from __future__ import annotations

import torch


def split(batch: torch.Tensor, replicas: int) -> list[list[int]]:
    """Return what each replica gets, as torch.nn.DataParallel scatters a batch."""
    return [part.tolist() for part in batch.chunk(replicas)]


def main() -> None:
    """Show three batches and the mean that comes out of each."""
    for size in (12, 10, 3):
        batch = torch.arange(size, dtype=torch.float)
        parts = split(batch, 4)
        mean = sum(sum(part) / len(part) for part in parts) / len(parts)
        sizes = [len(part) for part in parts]
        print(f"{size} samples over 4: {sizes}, mean {batch.mean():.2f}, of means {mean:.2f}")


if __name__ == "__main__":
    main()
