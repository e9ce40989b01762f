"""A loop with accelerate, which goes on by ``skip_first_batches`` as its documentation shows."""

import argparse
from pathlib import Path

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

words = argparse.ArgumentParser()
words.add_argument("folder", type=Path)
words.add_argument("--workers", type=int, default=0)
words.add_argument("--seedable", action="store_true", help="order from seed and epoch")
asked = words.parse_args()

set_seed(0)
how = DataLoaderConfiguration(use_seedable_sampler=asked.seedable)
accelerator = Accelerator(cpu=True, dataloader_config=how)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.arange(48.0))
loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=asked.workers)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
begin = skip = 0
saved = sorted(asked.folder.glob("step_*"), key=lambda one: int(one.name[5:]))
saved = [one for one in saved if (one / "whole").exists()]
if saved:
    accelerator.load_state(str(saved[-1]))
    begin, skip = divmod(int(saved[-1].name[5:]), len(loader))

total = begin * len(loader) + skip
for epoch in range(begin, 3):
    model.train()
    if asked.seedable:
        loader.set_epoch(epoch)
    rest = accelerator.skip_first_batches(loader, skip) if epoch == begin and skip else loader
    for (batch,) in rest:
        accelerator.backward(model(batch.reshape(-1, 1) / 48).square().mean())
        optimizer.step()
        optimizer.zero_grad()
        total += 1
        if total % 4 == 0:
            accelerator.save_state(str(asked.folder / f"step_{total}"))
            accelerator.wait_for_everyone()
            (asked.folder / f"step_{total}" / "whole").touch()
