"""Judge samplers in real processes that form a real process group (gloo), not in simulation.

Simulated ranks share one process, so what differs from process to process stays unseen there: here,
the hash of a text. Run it from anywhere: ``python in_process_groups.py``.
"""

import torch
import torch.distributed as dist

import samplercheck as sc


class Agreeing:
    """The ranks agree on a seed when the sampler is built, by a real broadcast, and deal out one order."""

    def __init__(self, dataset, rank, world_size, seed=0):
        self.length = len(dataset)
        self.rank, self.world_size = rank, world_size
        self.epoch = 0
        agreed = torch.tensor(seed)
        dist.broadcast(agreed, src=0)
        self.seed = int(agreed)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def mixed(self):
        return self.seed + self.epoch

    def __len__(self):
        return -(-self.length // self.world_size)

    def __iter__(self):
        order = torch.randperm(self.length, generator=torch.Generator().manual_seed(self.mixed())).tolist()
        short = len(self) * self.world_size - self.length
        padded = order + [order[place % self.length] for place in range(short)]
        return iter(padded[self.rank :: self.world_size])


class Hashed(Agreeing):
    """The hash of a text is another one in every process, unless PYTHONHASHSEED is set."""

    def mixed(self):
        return hash(f"{self.seed}/{self.epoch}") % 2**31


if __name__ == "__main__":
    for sampler in (Agreeing, Hashed):
        for world in ("simulated", "gloo"):
            report = sc.run(sampler, contract=sc.Contract(order="shuffled"), worlds=[world], profile="quick")
            broken = ", ".join(failure.code for failure in report.failures) or "nothing broken"
            print(f"{sampler.__name__} in {world}: {broken}")
