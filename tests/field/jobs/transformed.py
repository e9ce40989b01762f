"""transformers' Trainer, which goes on from its last checkpoint."""

import argparse
import os
import sys
from pathlib import Path

import torch

sys.modules["deepspeed"] = None  # which transformers imports where it is installed
from transformers import Trainer, TrainingArguments  # noqa: E402
from transformers.trainer_utils import get_last_checkpoint  # noqa: E402

words = argparse.ArgumentParser()
words.add_argument("folder", type=Path)
words.add_argument("--workers", type=int, default=0)
asked = words.parse_args()
os.environ["WANDB_DISABLED"] = "true"


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(1, 1)

    def forward(self, x, labels=None):
        predicted = self.line(x)
        return {"loss": (predicted - labels).square().mean(), "logits": predicted}


data = [{"x": torch.tensor([one / 48]), "labels": torch.tensor([one % 7.0])} for one in range(48)]
how = TrainingArguments(
    output_dir=str(asked.folder / "out"),
    per_device_train_batch_size=4,
    num_train_epochs=3,
    save_steps=4,
    seed=1,
    use_cpu=True,
    report_to=[],
    disable_tqdm=True,
    dataloader_num_workers=asked.workers,
)
(asked.folder / "out").mkdir(exist_ok=True)
trainer = Trainer(model=Model(), args=how, train_dataset=data)
trainer.train(resume_from_checkpoint=get_last_checkpoint(str(asked.folder / "out")))
