"""The sampler's drop_last and the loader's are two: one cuts samples, the other batches.

The sampler makes the ranks even; each rank's loader then cuts its own short batch. With ten samples, two
ranks and batches of two, every rank has five samples and loses one, in every epoch, unless the order changes.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc


def loader(dataset: Any, rank: int, world_size: int, batch_size: int, *, drop_last: bool) -> DataLoader[Any]:
    """Build a loader that drops its last short batch whatever the caller asks of the sampler."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, shuffle=False, drop_last=drop_last)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=True)


def whole(dataset: Any, rank: int, world_size: int, batch_size: int, *, drop_last: bool) -> DataLoader[Any]:
    """Hand the choice on to both."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, shuffle=False, drop_last=drop_last)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, drop_last=drop_last)


def main() -> None:
    """Show which samples no rank gets, then judge both."""
    for build in (loader, whole):
        loaders = [build(range(10), rank, 2, 2, drop_last=False) for rank in range(2)]
        got = {i for one in loaders for batch in one for i in batch.tolist()}
        print(f"{build.__name__}: no rank gets {sorted({*range(10)} - got)}")
        contract = sc.Contract(tail_unit="batch")
        report = sc.run(build, contract=contract, profile="quick", select=["SC102"], worlds=["simulated"])
        print(", ".join(f"{one.code} {one.law.fault}" for one in report.failures) or "holds", end="\n\n")


if __name__ == "__main__":
    main()
