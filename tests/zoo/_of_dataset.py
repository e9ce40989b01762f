"""Sound samplers over a dataset, which some of the zoo's files break in one place each.

Imported by files of ``tests/zoo`` alone; needs torch and the standard library.
"""
import math

import torch
from torch.utils.data import Sampler

from tests.zoo._sound import check


def permute(n, seed):
    g = torch.Generator()
    g.manual_seed(int(seed))
    return torch.randperm(n, generator=g).tolist()


class Dealt(Sampler):
    """A sound distributed sampler; the bug overrides one piece of it."""

    def __init__(self, dataset, rank=0, world_size=1, shuffle=True, seed=0, drop_last=False):
        self.check(rank, world_size)
        self.n, self.rank, self.world = len(dataset), rank, world_size
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0

    def check(self, rank, world_size):
        check(rank, world_size)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def order(self):
        return permute(self.n, self.seed + self.epoch) if self.shuffle else list(range(self.n))

    def even(self, ids, multiple=None):
        m = multiple or self.world
        if self.drop_last or not ids:
            return ids[: len(ids) // m * m]
        short = -len(ids) % m
        return ids + (ids * math.ceil(short / len(ids)))[:short]

    def mine(self, ids):
        return ids[self.rank::self.world]

    def __len__(self):
        return self.n // self.world if self.drop_last else math.ceil(self.n / self.world)

    def __iter__(self):
        return iter(self.mine(self.even(self.order())))


class GlobalBatches(Dealt):
    """Whole global batches (world * batch_size samples), padded up or dropped, dealt out batch by batch."""

    def __init__(self, dataset, batch_size, *a, **kw):
        check(batch_size=batch_size)
        super().__init__(dataset, *a, **kw)
        self.batch_size = batch_size

    def cut(self, ids):
        return [ids[i:i + self.batch_size] for i in range(0, len(ids), self.batch_size)]

    def plan(self):
        return self.cut(self.even(self.order(), self.world * self.batch_size))

    def __len__(self):
        whole = self.world * self.batch_size
        return self.n // whole if self.drop_last else math.ceil(self.n / whole)

    def __iter__(self):
        return iter(self.mine(self.plan()))


class Resumable(Sampler):
    """Sound: remembers how many samples of the epoch all ranks together have done, so any world can go on."""

    def __init__(self, dataset, rank=0, world_size=1, shuffle=False, seed=0):
        check(rank, world_size)
        self.n, self.rank, self.world, self.shuffle, self.seed = len(dataset), rank, world_size, shuffle, seed
        self.epoch = self._start = self._done = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.epoch, self._start, self._done = epoch, 0, 0

    def order(self):
        return permute(self.n, self.seed + self.epoch) if self.shuffle else list(range(self.n))

    def left(self, start):
        """This rank's samples when `start` samples of the epoch are done; padded from the epoch's head."""
        order = self.order()
        rest = order[start:]
        if rest:
            short = -len(rest) % self.world
            rest = rest + (order * math.ceil(short / len(order)))[:short]
        return rest[self.rank::self.world]

    def __iter__(self):
        self._done = self._start
        return self.go()

    def go(self):
        start, self._start = self._start, 0           # at the first next(): DataLoader calls iter() twice
        yield from self.run(self.left(start), start)

    def run(self, mine, start):
        for k, i in enumerate(mine, 1):
            self._done = start + k * self.world
            yield i

    def state_dict(self):
        return {"epoch": self.epoch, "done": self._done}

    def load_state_dict(self, state):
        self.epoch = state["epoch"]
        self._start = self._done = state["done"]
