"""A job without torch that writes what a watched one writes, so that a drill of it takes seconds: for tests.

``plain_job.py FOLDER [--fault NAME]``: 3 epochs of 8 steps, a checkpoint each 3 steps in FOLDER.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from samplercheck.training import stops
from samplercheck.training.job import key_of, name_host, name_launch, place_of_rank
from samplercheck.training.ledger_file import BACKWARD, TRAINED, Header, Kind, LedgerWriter

LENGTH, BATCH, EPOCHS, EVERY = 32, 4, 3, 3
STEPS = LENGTH // BATCH


class Job:
    def __init__(self, words):
        self.words, self.fault = words, words.fault
        self.file = words.folder / "checkpoint.json"
        folder = Path(os.environ["SAMPLERCHECK_LEDGER"])
        key, job = key_of(folder, make=True)
        rank, world = place_of_rank()
        header = Header(
            job=job,
            loader="train",
            launch=name_launch(),
            rank=rank,
            world=world,
            started=time.time_ns(),
            host=name_host(),
            pid=os.getpid(),
            parent=os.getppid(),
            ids="sampler",
            exact=True,
            length=LENGTH,
            batch_size=BATCH,
            drop_last=False,
            shuffled=True,
            coverage="once",
            sampler="RandomSampler",
            workers=0,
            version="0",
        )
        self.writer = LedgerWriter(folder / f"train.{header.started:x}.{header.pid}.ledger", header, key)
        self.total, self.weights = 0, 1

    def resume(self):
        if not self.file.exists():
            return 0, 0, None
        if self.fault == "crash":
            sys.exit("no such key: optimizer")
        if self.fault == "hang":
            time.sleep(60)
        saved = json.loads(self.file.read_text())
        self.total, self.weights = saved["total"], saved["weights"]
        return saved["epoch"], saved["done"], saved["order"]

    def draw(self, epoch):
        draws = random.Random() if self.fault == "unseeded" else random.Random(epoch)
        return draws.sample(range(LENGTH), LENGTH)

    def train(self):
        begin, done, order = self.resume()
        for turn, epoch in enumerate(range(begin, EPOCHS), 1):
            order = order or self.draw(epoch)
            self.writer.add(Kind.TURN, turn, STEPS - done, word=epoch + 1)
            for at, step in enumerate(range(done, STEPS)):
                if stops.STOP:
                    stops.STOP.hear_batch(self.writer.flush)
                wrong = self.fault == "again" and begin and epoch == begin
                self.step(turn, at, order[(step - done if wrong else step) * BATCH :][:BATCH])
                self.save(epoch, step + 1, order)
            self.writer.add(Kind.END, turn, STEPS - done)
            done, order = 0, None
        self.writer.close()

    def step(self, turn, at, ids):
        if self.total == 0 or at == 0:
            self.writer.add(Kind.START, turn, at, weights=b"%d" % self.weights)
        self.total += 1
        self.weights = hash((self.weights, *ids)) % 2**63 or 1
        self.writer.add_batch(turn, at, np.array(ids).tobytes(), TRAINED | BACKWARD, b"%d" % self.weights)
        if stops.STOP:
            stops.STOP.hear_step(self.writer.flush)

    def save(self, epoch, done, order):
        if self.fault == "never" or self.total % EVERY:
            return
        self.writer.add(Kind.SAVE, 0, 0, weights=b"%d" % self.weights)
        self.writer.flush()
        if done == STEPS:
            epoch, done, order = epoch + 1, 0, None
        saved = {"total": self.total, "weights": self.weights, "epoch": epoch, "done": done, "order": order}
        self.file.with_suffix(".tmp").write_text(json.dumps(saved))
        self.file.with_suffix(".tmp").replace(self.file)


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("folder", type=Path)
    asked.add_argument("--fault", default="")
    words = asked.parse_args()
    if words.fault == "children":
        print(subprocess.Popen(["sleep", "300"], start_new_session=True).pid, flush=True)
    Job(words).train()
