"""The script as it runs: two processes, gloo, DistributedSampler, and what each of them is trained on.

``samplercheck watch`` sees the same without a line of code; here sc.watch writes it down, and sc.audit judges
it.

Without set_epoch both epochs come in one order. samplercheck says of it:

    BROKEN  Epochs have the same order                                 wrong order
            SC1104 reshuffled-epochs
      found     Epoch 1 (attempt 1) comes in the order of epoch 0 (attempt 1).

        attempt 1  rank 0  |####|####|
                   rank 1  |####|####|
        # trained on   x undone: after the checkpoint   . taken, not trained on

      case      length=64 world_size=2 batch_size=8 shuffle epochs=2 (ivpekoz6)
      look at   Whether set_epoch is called before each epoch.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import samplercheck as sc


def train(rank: int, port: int, ledger: str, *, forgets: bool) -> None:
    """Train two epochs on one rank."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    dataset = TensorDataset(torch.arange(64.0).unsqueeze(1))
    sampler: Any = DistributedSampler(dataset, shuffle=True)
    loader = sc.watch(DataLoader(dataset, batch_size=8, sampler=sampler), ledger=ledger)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    for epoch in range(2):
        if not forgets:
            sampler.set_epoch(epoch)
        for (inputs,) in loader:
            optimizer.zero_grad()
            model(inputs).sum().backward()
            optimizer.step()
    dist.destroy_process_group()


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def spawn(forgets: bool) -> None:  # noqa: FBT001  (a word of the story)
    """Train in two processes, and judge what they were trained on."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = str(Path(folder) / "ledger")
        torch.multiprocessing.spawn(_start, (free_port(), ledger, forgets), nprocs=2)  # type: ignore[attr-defined,no-untyped-call]  # public all the same
        report = sc.audit(ledger)
        words = ", ".join(f"{one.code} {one.law.name}" for one in report.failures) or "nothing is broken"
        print(f"{'without' if forgets else 'with'} set_epoch: {words}")
        if report.failures:
            print(report)


def _start(rank: int, port: int, ledger: str, forgets: bool) -> None:  # noqa: FBT001
    train(rank, port, ledger, forgets=forgets)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    spawn(forgets=True)
    spawn(forgets=False)
