"""A small training script, with torch alone: it trains, saves checkpoints, goes on from them; and its faults.

Run as a process of its own, under torchrun or by ``jobs``: ``script.py FOLDER [--fault NAME] ...``. It goes
on by steps that are skipped (``--way skip``) or by the state of its sampler (``--way state``).
"""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler, RandomSampler, Sampler

BATCH, SEED = 4, 3
FAULTS = (
    "epoch-set-back",
    "offset-in-later-epochs",
    "loader-not-saved",
    "state-of-rank-0",
    "counted-by-sampler",
    "order-from-global-rng",
    "batch-in-flight",
    "other-world",
)


class Numbers(Dataset):
    """Sample ``i`` is the number ``i``, as an input and as what is to be predicted."""

    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.tensor([float(index) / self.length]), torch.tensor([float(index % 7)])


class Share(Sampler):
    """A rank's share of a shuffled epoch, from a place on that a state says."""

    def __init__(self, length, world, rank):
        self.length, self.world, self.rank = length, world, rank
        self.epoch = self.begin = self.handed = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.length // self.world

    def __iter__(self):
        generator = torch.Generator().manual_seed(SEED + self.epoch)
        order = torch.randperm(self.length, generator=generator).tolist()[self.rank :: self.world]
        self.handed, self.begin = self.begin, 0
        for index in order[self.handed :]:
            self.handed += 1
            yield index

    def state_dict(self):
        return {"rank": self.rank, "handed": self.handed}

    def load_state_dict(self, state):
        self.rank, self.begin = state["rank"], state["handed"]


class Script:
    """One run of the script in one rank."""

    def __init__(self, words):
        self.words, self.fault = words, words.fault
        self.world, self.rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
        if self.world > 1:
            place = os.environ.get("RENDEZVOUS", "env://")
            dist.init_process_group("gloo", init_method=place, rank=self.rank, world_size=self.world)
        self.file = words.folder / "checkpoint.pt"
        self.epoch = self.done = self.total = 0
        self.resumed_at = None

    def build(self):
        words = self.words
        torch.manual_seed(0)
        self.model = torch.nn.Linear(1, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)
        data = Numbers(words.length)
        self.sampler: RandomSampler | DistributedSampler | Share
        if self.fault == "order-from-global-rng":
            self.sampler = RandomSampler(data)
        elif words.way == "skip":
            self.sampler = DistributedSampler(data, self.world, self.rank, seed=SEED)
        else:
            self.sampler = Share(words.length, self.world, self.rank)
        self.loader = DataLoader(data, batch_size=BATCH, sampler=self.sampler, num_workers=words.workers)
        if not words.bare:
            import samplercheck as sc

            self.loader = sc.watch(self.loader, words.folder / "ledger", exact=words.exact, name="train")

    def resume(self):
        if not self.file.exists():
            return
        saved = torch.load(self.file)
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.epoch, self.done, self.total = saved["epoch"], saved["done"], saved["total"]
        self.resumed_at = self.epoch
        if self.fault == "loader-not-saved":
            self.done = 0
        elif saved["world"] != self.world and self.fault != "other-world":
            self.done = self.done * saved["world"] // self.world
        if self.words.way == "state":
            own = 0 if self.fault == "state-of-rank-0" else self.rank
            state = {"rank": own, "handed": self.done * BATCH}
            if self.fault == "counted-by-sampler":
                state["handed"] = saved["handed"]
            self.sampler.load_state_dict(state)
            self.done = 0

    def save(self, epoch, done):
        if self.total % self.words.every or self.rank:
            return
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "world": self.world,
        }
        state["handed"] = getattr(self.sampler, "handed", 0)
        torch.save(
            {**state, "epoch": epoch, "done": done, "total": self.total}, self.file.with_suffix(".tmp")
        )
        self.file.with_suffix(".tmp").replace(self.file)

    def train(self):
        model = torch.nn.parallel.DistributedDataParallel(self.model) if self.world > 1 else self.model
        for epoch in range(self.epoch, self.words.epochs):
            if hasattr(self.sampler, "set_epoch"):
                back = self.resumed_at if self.fault == "epoch-set-back" and self.resumed_at else 0
                self.sampler.set_epoch(epoch - back)
            begun = self.resumed_steps(epoch)
            for step, batch in enumerate(self.loader, begun):
                if step - begun >= self.done:
                    self.step(model, batch, epoch, step)
            if self.fault != "offset-in-later-epochs":
                self.done = 0

    def resumed_steps(self, epoch):
        """Return how many steps of an epoch a state says were taken."""
        return getattr(self.sampler, "begin", 0) // BATCH if epoch == self.epoch else 0

    def step(self, model, batch, epoch, step):
        inputs, wanted = batch
        self.total += 1
        if self.fault == "batch-in-flight":
            self.save(epoch, step + 1)
        ((model(inputs) - wanted) ** 2).mean().backward()
        if (step + 1) % self.words.accumulate == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()
        if self.fault != "batch-in-flight":
            self.save(epoch, step + 1)
        if self.total == self.words.die:
            if self.world > 1:
                dist.barrier()
            os.kill(os.getpid(), signal.SIGKILL)


def main(arguments=None):
    words = argparse.ArgumentParser()
    words.add_argument("folder", type=Path)
    words.add_argument("--fault", default="", choices=("", *FAULTS))
    words.add_argument("--way", default="skip", choices=("skip", "state"))
    words.add_argument("--die", type=int, default=-1, help="the step of the job after which it is killed")
    words.add_argument("--every", type=int, default=3, help="steps between checkpoints")
    words.add_argument("--epochs", type=int, default=3)
    words.add_argument("--length", type=int, default=48)
    words.add_argument("--workers", type=int, default=0)
    words.add_argument("--accumulate", type=int, default=1)
    words.add_argument("--exact", action="store_true")
    words.add_argument("--bare", action="store_true", help="without sc.watch")
    script = Script(words.parse_args(arguments))
    script.build()
    script.resume()
    script.train()
    if script.world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
