"""What accelerate's ``prepare`` makes of a loader, judged for every rank in one process.

Needs accelerate. The broken twin hands ``prepare`` a loader that is dealt out to the ranks already: its share
is dealt out once more, and the rest is never seen. samplercheck says of it:

    BROKEN  Leaves out some samples                                     loses data
            SC102 complete
      found     In epoch 0 no rank yielded samples 1 and 2.

        step      0
        rank 0  [0]
        rank 1  [3]
        <- missing: samples 1 and 2

      case      length=4 world_size=2 batch_size=1
      smallest  length=3 world_size=2 batch_size=1 (bl5xvmxe)
      when      always on 2 or more ranks with more than world_size * batch_size
                samples (42 of 117 small cases)
      cause     The order that a single process yields is right; the shares that
                ranks take of it are not.
                tested: with the order of a single process dealt out, 40 of 40
                hold
      fix       Deal out the order that a single process yields, padded or cut to
                a multiple of world_size: order[rank::world_size].
"""

from __future__ import annotations

from typing import Any

from accelerate.data_loader import prepare_data_loader
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc


def prepare(loader: DataLoader, rank: int, world_size: int) -> Any:
    """Do what ``Accelerator().prepare(loader)`` does on this rank of that many."""
    return prepare_data_loader(loader, num_processes=world_size, process_index=rank, put_on_device=False)


def prepared(dataset: Any, rank: int, world_size: int, batch_size: int) -> Any:
    """Build the loader as for one process and leave the rest to accelerate."""
    return prepare(DataLoader(dataset, batch_size), rank, world_size)


def prepared_twice(dataset: Any, rank: int, world_size: int, batch_size: int) -> Any:
    """Build the loader of a script that was distributed before accelerate came."""
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return prepare(DataLoader(dataset, batch_size, sampler=sampler), rank, world_size)


def main() -> None:
    """Judge both, and show what is said of the second."""
    contract = sc.Contract(tail_unit="batch", epochs="fixed")
    for build in (prepared, prepared_twice):
        laws = ["SC102", "SC104"]
        report = sc.run(build, contract=contract, profile="quick", select=laws, worlds=["simulated"])
        print(f"{build.__name__}: {', '.join(one.code for one in report.failures) or 'holds'}")
    print(report)


if __name__ == "__main__":
    main()
