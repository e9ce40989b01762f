"""Lightning writes down what it trains on, and says at the end whether that was in order.

Needs pytorch-lightning; writes the ledgers to the directory ``ledger``. The broken twin,
``lightning_callback.py reseeded``, seeds everything when an epoch begins, and with it the
shuffling. samplercheck says of it:

    BROKEN  Epochs have the same order                                 wrong order
            SC1104 reshuffled-epochs
      found     Epoch 2 (attempt 1) comes in the order of epoch 1 (attempt 1).

        attempt 1  rank 0  |############|############|############|
        # trained on   x undone: after the checkpoint   . taken, not trained on

      case      length=48 world_size=1 batch_size=4 shuffle (aiv4iocj)
      look at   Whether set_epoch is called before each epoch.
"""

from __future__ import annotations

import sys

import torch
from pytorch_lightning import Callback, LightningModule, Trainer, seed_everything
from torch.utils.data import DataLoader

import samplercheck as sc


class Ledger(Callback):
    """Keeps a ledger of each loader that the trainer builds or is given, and judges it when it is done."""

    def __init__(self, ledger: str) -> None:
        self.ledger = ledger
        sc.watch(DataLoader, ledger, exact=True)

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Print what the ledgers of all ranks say."""
        trainer.strategy.barrier()
        if trainer.is_global_zero:
            print(sc.audit(self.ledger))


class Reseeds(Callback):
    """Makes every epoch alike, which was not meant."""

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Seed the generator that also shuffles."""
        seed_everything(0)


class Line(LightningModule):
    """A model of two numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(1, 1)

    def training_step(self, batch: torch.Tensor) -> torch.Tensor:
        """Return the loss of a batch."""
        return self.line(batch.reshape(-1, 1) / 48).square().mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the optimizer."""
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    seed_everything(0)
    callbacks = [Ledger("ledger"), *([Reseeds()] if sys.argv[1:] == ["reseeded"] else [])]
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    trainer = Trainer(max_epochs=3, accelerator="cpu", devices=1, callbacks=callbacks, **quiet)
    trainer.fit(Line(), DataLoader(torch.arange(48.0), batch_size=4, shuffle=True))
