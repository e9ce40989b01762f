"""For each law of training jobs a job that breaks it: ``.ci/samples`` prints what an audit says of it.

Ranks of which nothing but the samples matters are processes without a group; the others are real jobs.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc
from samplercheck.training.drills import Drill, carry_out
from samplercheck.training.drills.kills import Kill
from tests.training.jobs import run_killed

LENGTH, BATCH = 20, 4
PLAIN = str(Path(__file__).with_name("plain_job.py"))
KILLED = {"SC1101": "epoch-set-back", "SC1102": "epoch-set-back", "SC1103": "offset-in-later-epochs"}
CODES = (*KILLED, "SC1104", "SC1105", "SC1106", "SC1107", "SC1108")


class Short(DistributedSampler):
    """The last rank gets fewer: a batch of two, or one sample."""

    def __init__(self, *words, left_out, **named):
        super().__init__(*words, **named)
        self.left_out = left_out if self.rank == self.num_replicas - 1 else 0

    def __iter__(self):
        return iter(list(super().__iter__())[self.left_out :])

    def __len__(self):
        return super().__len__() - self.left_out


def train(rank, folder, code):
    """Train two epochs as one of two ranks; what is wrong in it is what the law is about."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "SAMPLERCHECK_ATTEMPT": "first"}
    left_out = {"SC1105": 2, "SC1106": 1}.get(code, 0)
    sampler = Short(range(LENGTH), 2, rank, left_out=left_out)
    data = torch.arange(float(LENGTH))
    loader = sc.watch(DataLoader(data, batch_size=BATCH, sampler=sampler), folder, name="train")
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(2):
        if code != "SC1104" and (code != "SC1107" or rank == 0):
            sampler.set_epoch(epoch)
        for batch in loader:
            model(batch.reshape(-1, 1) / LENGTH).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()


def report_of(code, folder):
    """Return the report on a job that breaks this law, among others."""
    if code in KILLED:
        return run_killed(folder, "--fault", KILLED[code], "--exact", die=[17])
    if code == "SC1108":
        words = (sys.executable, PLAIN, "{dir}", "--fault", "again")
        return carry_out(Drill(words=words, at=(Kill.parse("16"),), promise="same-order"), lambda _: None)
    ranks = [
        multiprocessing.get_context("spawn").Process(target=train, args=(rank, str(folder), code))
        for rank in range(2)
    ]
    for one in ranks:
        one.start()
    for one in ranks:
        one.join()
    return sc.audit(folder)
