"""What a shuffle buffer holds at the end is cut to the remainder, which is nothing where it has just been filled.

Cause: the rest of a division is taken for what is left.
Hides at: any number of records that is no multiple of the buffer's size, and all that fit into it.
"""
import random

from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "full_buffer_lost_at_the_end"
SOURCE = "https://github.com/pytorch/rl/pull/2185 loses at an end what is still queued"
STORY = "On one dataset in a hundred the last block of a hundred records of each rank is never trained on."


class Buffered(IterableDataset):
    """Each rank and worker takes records in turn, the end filled up, and shuffles them block by block."""

    def __init__(self, length, rank, world_size, seed, buffer_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.buffer_size, self.epoch = buffer_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def records(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        for turn in range(first, -(-self.length // self.world_size), step):
            yield (self.rank + turn * self.world_size) % self.length

    def left(self, buffer, seen):
        return buffer

    def __iter__(self):
        draw = random.Random(f"{self.seed} {self.epoch} {self.rank}")
        buffer, seen = [], 0
        for seen, record in enumerate(self.records(), 1):
            if len(buffer) == self.buffer_size:
                yield from buffer
                buffer.clear()
            buffer.insert(draw.randint(0, len(buffer)), record)
        yield from self.left(buffer, seen)


class Cut(Buffered):
    def left(self, buffer, seen):
        return buffer[: seen % self.buffer_size]                       # BUG: a full one has no remainder


def bug(length, rank, world_size, seed, buffer_size=100):
    return Cut(length, rank, world_size, seed, buffer_size)


def sound(length, rank, world_size, seed, buffer_size=100):
    return Buffered(length, rank, world_size, seed, buffer_size)


CONTRACT = dict(order="shuffled", shuffles="chunks", keeps_workers=False)
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=100, world_size=1)
