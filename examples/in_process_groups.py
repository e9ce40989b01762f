"""Judge samplers in real processes that form a real process group, beside simulated ranks.

Run it with ``python examples/in_process_groups.py``. Simulated ranks share one process; what differs
from process to process, here the hash of a text, is seen in real ones alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator

LAWS = ["SC102", "SC104", "SC402", "SC901", "SC902"]


class Agreed(torch.utils.data.Sampler[int]):
    """The ranks take the seed of rank 0, in a collective, and deal out one shuffled order."""

    def __init__(self, dataset: Any, rank: int, world_size: int, *, seed: int = 0) -> None:
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        agreed = torch.tensor(seed)
        dist.broadcast(agreed, src=0)
        self.seed, self.epoch = int(agreed), 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def mixed(self) -> int:
        """Return what the order of this epoch is drawn with."""
        return hash((self.seed, self.epoch)) % 2**31  # numbers hash alike everywhere

    def __len__(self) -> int:
        return (self.length + self.world_size - 1) // self.world_size

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self.mixed())
        order = torch.randperm(self.length, generator=generator).tolist()
        for position in range(self.rank, len(self) * self.world_size, self.world_size):
            yield order[position % self.length]


class Hashed(Agreed):
    """Mixes seed and epoch by the hash of a text, which is another one in every process."""

    def mixed(self) -> int:
        """Return what the order of this epoch is drawn with."""
        return hash(f"{self.seed}/{self.epoch}") % 2**31


def main() -> None:
    """Judge both in both worlds and say what was found."""
    broken = {}
    for sampler in (Agreed, Hashed):
        for world in ("simulated", "gloo"):
            promise = sc.Contract(order="shuffled")
            report = sc.run(sampler, contract=promise, worlds=[world], profile="quick", select=LAWS)
            codes = [one.code for one in report.failures]
            broken[sampler, world] = codes
            print(f"{sampler.__name__} in {world}: {' '.join(codes) or 'nothing is broken'}")
    if [where for where, codes in broken.items() if codes] != [(Hashed, "gloo")]:
        raise SystemExit("The hash of a text should have been found, in processes of their own alone.")


if __name__ == "__main__":
    main()
