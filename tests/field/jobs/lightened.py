"""Lightning's Trainer, which goes on from its last checkpoint, with a plain or a stateful loader."""

import argparse
import os
from pathlib import Path

import torch
from pytorch_lightning import LightningModule, Trainer, seed_everything
from pytorch_lightning.callbacks import ModelCheckpoint
from torch.utils.data import DataLoader

words = argparse.ArgumentParser()
words.add_argument("folder", type=Path)
words.add_argument("--workers", type=int, default=0)
words.add_argument("--stateful", action="store_true")
asked = words.parse_args()


class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(1, 1)

    def training_step(self, batch):
        return self.line(batch.reshape(-1, 1) / 48).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


world = int(os.environ.get("WORLD_SIZE", "1"))
seed_everything(0)
data = torch.arange(48.0)
if asked.stateful:
    from torchdata.stateful_dataloader import StatefulDataLoader

    loader = StatefulDataLoader(data, batch_size=4, shuffle=True, num_workers=asked.workers)
else:
    loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=asked.workers)
saver = ModelCheckpoint(asked.folder, filename="last-{step}", every_n_train_steps=4, save_top_k=-1)
quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
trainer = Trainer(max_epochs=3, accelerator="cpu", devices=world, callbacks=[saver], **quiet)
saved = sorted(asked.folder.glob("*.ckpt"), key=lambda one: one.stat().st_mtime)
trainer.fit(Model(), loader, ckpt_path=str(saved[-1]) if saved else None)
