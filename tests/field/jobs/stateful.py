"""A loop of one's own with torchdata's StatefulDataLoader, whose state is part of the checkpoint."""

import argparse
from pathlib import Path

import torch
from torchdata.stateful_dataloader import StatefulDataLoader

words = argparse.ArgumentParser()
words.add_argument("folder", type=Path)
words.add_argument("--workers", type=int, default=0)
asked = words.parse_args()

torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = StatefulDataLoader(torch.arange(48.0), batch_size=4, shuffle=True, num_workers=asked.workers)
path = asked.folder / "last.pt"
epoch = total = 0
if path.exists():
    saved = torch.load(path, weights_only=False)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    loader.load_state_dict(saved["loader"])
    torch.set_rng_state(saved["random"])
    epoch, total = saved["epoch"], saved["total"]

for number in range(epoch, 3):
    for batch in loader:
        model(batch.reshape(-1, 1) / 48).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        total += 1
        if total % 4 == 0:
            saved = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": number}
            saved |= {"loader": loader.state_dict(), "random": torch.get_rng_state(), "total": total}
            torch.save(saved, path.with_suffix(".tmp"))
            path.with_suffix(".tmp").replace(path)
