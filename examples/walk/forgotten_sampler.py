"""A distributed script whose loader has no sampler: every rank trains on everything.

With two ranks an epoch costs twice the time and shows every sample twice. The loss looks fine.

The first loader below is broken. samplercheck says of it:

    BROKEN  Repeats samples within an epoch                           repeats data
            SC103 disjoint
      found     In epoch 0 the ranks yielded sample 0 twice (rank 0 step 0, rank 1
                step 0), at most once is allowed; too often: samples 0, 1, 2 and
                3.

        step      0    1    2    3
        rank 0  [0]  [1]  [2]  [3]
        rank 1  [0]  [1]  [2]  [3]   <- again: 0 ... (4 in all)

      case      length=4 world_size=2 batch_size=1
      smallest  length=2 world_size=2 batch_size=1 (tkz37rhv)
      when      always with 2 or more samples and either on 2 or more ranks where
                length is a multiple of world_size, or on 3 or more ranks (48 of
                117 small cases)
      cause     The sampler ignores its rank: every rank yields the same samples.
                tested: with every rank built as rank 0, 64 of 64 yield the very
                same
      fix       Give each rank its share, as in order[rank::world_size], or wrap a
                sampler that does.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc


def forgotten(dataset: Any, rank: int, world_size: int, batch_size: int) -> DataLoader[Any]:  # noqa: ARG001
    """Build the loader as a single-process script does; ``rank`` and ``world_size`` are not asked."""
    return DataLoader(dataset, batch_size=batch_size)


def remembered(dataset: Any, rank: int, world_size: int, batch_size: int) -> DataLoader[Any]:
    """Build the loader with a sampler that deals the samples out."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler)


def main() -> None:
    """Show what two ranks get, then judge both."""
    for build in (forgotten, remembered):
        ranks = [[batch.tolist() for batch in build(range(8), rank, 2, 2)] for rank in range(2)]
        print(f"{build.__name__}: rank 0 {ranks[0]}, rank 1 {ranks[1]}")
        report = sc.run(build, profile="quick", select=["SC103", "SC105"], worlds=["simulated"])
        print(report if report.failures else "holds", end="\n\n")


if __name__ == "__main__":
    main()
