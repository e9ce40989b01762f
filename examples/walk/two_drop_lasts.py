"""The sampler's drop_last and the loader's are two: one cuts samples, the other batches.

The sampler makes the ranks even; each rank's loader then cuts its own short batch. With ten samples, two
ranks and batches of two, every rank has five samples and loses one, in every epoch, unless the order changes.

The first loader below is broken. samplercheck says of it:

    BROKEN  Leaves out some samples                                     loses data
            SC102 complete
      found     In epoch 0 no rank yielded sample 8.

        step        0      1
        rank 0  [0 2]  [4 6]
        rank 1  [1 3]  [5 7]
        <- missing: sample 8

      case      length=9 world_size=2 batch_size=2
      smallest  length=1 world_size=1 batch_size=2 (kduqpdwh)
      when      always without drop_last where a rank's share, rounded up, is no
                multiple of batch_size (43 of 234 small cases)
      cause     The last, incomplete round of batches (fewer than world_size *
                batch_size samples) is dealt out wrongly.
                tested: with length a multiple of world_size * batch_size, 40 of
                40 hold
      fix       Pad (with drop_last: cut) the samples to a multiple of world_size
                * batch_size before dealing them out.
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
        print(report if report.failures else "holds", end="\n\n")


if __name__ == "__main__":
    main()
