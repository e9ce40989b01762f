"""A distributed script whose loader has no sampler: every rank trains on everything.

With two ranks an epoch costs twice the time and shows every sample twice. The loss looks fine.
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
        print(", ".join(f"{one.code} {one.law.fault}" for one in report.failures) or "holds", end="\n\n")


if __name__ == "__main__":
    main()
