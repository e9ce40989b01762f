"""The reader's training job, for the commands that pages show: saves each 4 steps and goes on from there.

Called as a page does: with a number of epochs, or with the place of its checkpoints, or with nothing.
"""

import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader

word = sys.argv[1] if len(sys.argv) > 1 else "2"
epochs, place = (int(word), Path()) if word.isdecimal() else (2, Path(word))
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
order = torch.Generator()
loader = DataLoader(torch.arange(80.0).reshape(-1, 1), batch_size=8, shuffle=True, generator=order)
saved = place / "last.pt"
first = done = steps = 0
if saved.exists():
    state = torch.load(saved)
    model.load_state_dict(state["model"])
    first, done, steps = state["epoch"], state["done"], state["steps"]
for epoch in range(first, epochs):
    order.manual_seed(epoch)
    for number, batch in enumerate(loader):
        if epoch == first and number < done:
            continue
        optimizer.zero_grad()
        (model(batch / 80) - batch / 40).square().mean().backward()
        optimizer.step()
        steps += 1
        if steps % 4 == 0:
            at = {"epoch": epoch, "done": number + 1, "steps": steps}
            torch.save({"model": model.state_dict(), **at}, saved)
