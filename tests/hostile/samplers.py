"""Hostile samplers: sound, but in one place (``Sound.is_here``) they do what no sampler should.

Run by ``tests/test_hostile.py``, in process where that can work, and on the command line.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DistributedSampler


class Sound(DistributedSampler):
    """Deals out in order; subclasses misbehave in one step of one rank of one case."""

    def __init__(self, dataset, num_replicas, rank):
        super().__init__(dataset, num_replicas, rank, shuffle=False)

    @property
    def is_here(self):
        return (len(self.dataset), self.num_replicas, self.rank, self.epoch) == (3, 2, 1, 1)

    def __iter__(self):
        for step, index in enumerate(super().__iter__()):
            if step == 1 and self.is_here:
                yield from self.misbehave(index)
            else:
                yield index

    def misbehave(self, index):
        self.do()
        yield index

    def do(self):
        """Do something bad between two steps."""


class LoopsForEver(Sound):
    def do(self):
        while True:
            pass


class SleepsForEver(Sound):
    def do(self):
        time.sleep(1_000)


class YieldsForEver(Sound):
    def misbehave(self, index):
        while True:
            yield index


class RaisesOnOneRank(Sound):
    def do(self):
        raise RuntimeError("rank 1 alone")


class YieldsStrings(Sound):
    def misbehave(self, index):
        yield str(index)


class RaisesSystemExit(Sound):
    def do(self):
        sys.exit("enough")


class RaisesKeyboardInterrupt(Sound):
    def do(self):
        raise KeyboardInterrupt


class StealsTheAlarm(Sound):
    def do(self):
        signal.signal(signal.SIGALRM, lambda *_: None)
        while True:
            pass


class SwallowsEverything(Sound):
    def do(self):
        while True:
            try:
                while True:
                    time.sleep(0.001)
            except BaseException:  # noqa: BLE001  (that is the point)
                pass


class CrashesTheInterpreter(Sound):
    def do(self):
        ctypes.string_at(0)


class EndsTheProcess(Sound):
    def do(self):
        os._exit(3)


class KillsItself(Sound):
    def do(self):
        os.kill(os.getpid(), signal.SIGKILL)


class HoldsTheInterpreter(Sound):
    def do(self):
        ctypes.PyDLL(None).sleep(1_000)


class ReseedsEverything(Sound):
    def __iter__(self):
        random.seed(1)
        np.random.seed(1)
        torch.manual_seed(1)
        return super().__iter__()


class RefillsOneList:
    """A batch sampler that yields one list object, filled again for each batch."""

    def __init__(self, dataset, num_replicas, rank, batch_size):
        if batch_size < 1:
            raise ValueError(batch_size)
        self.inner = Sound(dataset, num_replicas, rank)
        self.batch_size = batch_size

    def __iter__(self):
        batch = []
        for index in self.inner:
            if len(batch) == self.batch_size:
                batch.clear()
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
        if 0 < len(batch) < self.batch_size:
            yield batch

    def __len__(self):
        return (len(self.inner) + self.batch_size - 1) // self.batch_size

    def set_epoch(self, epoch):
        self.inner.set_epoch(epoch)


class MovesAround(Sound):
    def do(self):
        os.chdir(tempfile.gettempdir())
        os.environ["HOSTILE"] = "1"
        os.environ["RANK"] = "77"
        os.environ.pop("PATH", None)


class FloodsStdout(Sound):
    def __iter__(self):
        if len(self.dataset) == 3 and self.num_replicas == 2:
            print("x" * 2**20)
        return super().__iter__()


class ClosesStdout(Sound):
    def do(self):
        sys.stdout.close()


class LeavesThread(Sound):
    def do(self):
        threading.Thread(target=time.sleep, args=(1_000,), daemon=True).start()


class StartsProcess(Sound):
    def do(self):
        sleeping = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1_000)"])
        with Path(os.environ["HOSTILE_NOTES"]).open("a") as notes:
            notes.write(f"{sleeping.pid}\n")


class ComesBackTwice(Sound):
    def do(self):
        os.fork()
