"""transformers' Trainer writes down what it trains on, and says at the end whether that was in order.

Needs transformers and accelerate; writes the ledgers to the directory ``ledger``. The broken twin,
``transformers_callback.py repeats``, has a sampler of its own, to which the Trainer says the epoch in vain.
samplercheck says of it:

    BROKEN  Epochs have the same order                                 wrong order
            SC1104 reshuffled-epochs
      found     Epoch 1 (attempt 1) comes in the order of epoch 0 (attempt 1).

        attempt 1  rank 0  |############|############|############|
        # trained on   x undone: after the checkpoint   . taken, not trained on

      case      length=48 world_size=1 batch_size=4 shuffle (aiv4iocj)
      look at   Whether set_epoch is called before each epoch.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils.data import DataLoader, DistributedSampler
from transformers import Trainer, TrainerCallback, TrainingArguments

import samplercheck as sc


class Ledger(TrainerCallback):
    """Keeps a ledger of each loader that the trainer builds, and judges it when the training is done."""

    def __init__(self, ledger: str) -> None:
        self.ledger = ledger
        sc.watch(DataLoader, ledger, exact=True)

    def on_train_end(self, args: TrainingArguments, state: Any, control: Any, **_: Any) -> None:
        """Print what the ledgers of all ranks say."""
        if state.is_world_process_zero:
            print(sc.audit(self.ledger))


class KeepsTheEpoch(DistributedSampler):
    """Takes the call and does nothing."""

    def set_epoch(self, epoch: int) -> None:
        """Forget the epoch."""


class Repeats(Trainer):
    """Trains with that sampler."""

    def _get_train_sampler(self, train_dataset: Any = None) -> DistributedSampler:
        return KeepsTheEpoch(train_dataset or self.train_dataset, num_replicas=1, rank=0)


class Line(torch.nn.Module):
    """A model of two numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(1, 1)

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        """Return the loss of a batch."""
        predicted = self.line(x)
        return {"loss": (predicted - labels).square().mean(), "logits": predicted}


if __name__ == "__main__":
    data = [{"x": torch.tensor([one / 48]), "labels": torch.tensor([one % 7.0])} for one in range(48)]
    how = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=4,
        num_train_epochs=3,
        save_strategy="no",
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
    )
    kind = Repeats if sys.argv[1:] == ["repeats"] else Trainer
    kind(model=Line(), args=how, train_dataset=data, callbacks=[Ledger("ledger")]).train()
