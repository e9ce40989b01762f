"""A loop of one's own with torchdata's StatefulDataLoader, whose state is part of the checkpoint."""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler
from torchdata.stateful_dataloader import StatefulDataLoader

words = argparse.ArgumentParser()
words.add_argument("folder", type=Path)
words.add_argument("--workers", type=int, default=0)
asked = words.parse_args()

world, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
if world > 1:
    dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data, trained = torch.arange(48.0), DistributedDataParallel(model) if world > 1 else model
sampler = DistributedSampler(data, world, rank) if world > 1 else None
order = {"sampler": sampler} if world > 1 else {"shuffle": True}
loader = StatefulDataLoader(data, batch_size=4, num_workers=asked.workers, **order)
path = asked.folder / f"last.{rank}.pt"
epoch = total = 0
if path.exists():
    saved = torch.load(path, weights_only=False)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    loader.load_state_dict(saved["loader"])
    torch.set_rng_state(saved["random"])
    epoch, total = saved["epoch"], saved["total"]

for number in range(epoch, 3):
    if world > 1:
        sampler.set_epoch(number)
    for batch in loader:
        trained(batch.reshape(-1, 1) / 48).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        total += 1
        if total % 4 == 0:
            saved = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": number}
            saved |= {"loader": loader.state_dict(), "random": torch.get_rng_state(), "total": total}
            torch.save(saved, path.with_suffix(".tmp"))
            if world > 1:
                dist.barrier()
            path.with_suffix(".tmp").replace(path)
            if world > 1:
                dist.barrier()
if world > 1:
    dist.destroy_process_group()
