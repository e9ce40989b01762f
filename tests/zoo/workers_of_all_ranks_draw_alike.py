"""In a worker of a loader, a stream seeds its draws by the worker's number in place of the rank.

Cause: the seed that is right without workers is written once, and the one with workers beside it, without the rank.
Hides at: num_workers 0, one rank, and workers of one rank, which draw apart.
"""
import random

from torch.utils.data import get_worker_info

from tests.zoo.workers_draw_alike import Stream

SLUG = "workers_of_all_ranks_draw_alike"
SOURCE = "our own; replay buffers as streams, whose workers seed a generator by their id"
STORY = "With workers all ranks draw alike: each transition comes world_size times, and the batch is as much smaller."


class Apart(Stream):
    """Draws with replacement; every rank and worker has draws of its own."""

    def number(self, worker):
        return self.rank * 1_000 + worker

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        number = self.number(worker) if info else self.rank * 1_000
        draw = random.Random(int(self.epoch) * 1_000_000 + number)
        each = -(-self.length // self.world_size)
        yield from draw.choices(range(self.length), k=len(range(worker, each, workers)))


class Alike(Apart):
    def number(self, worker):
        return worker                                  # BUG: the rank is left out


def bug(length, rank, world_size):
    return Alike(length, rank, world_size)


def sound(length, rank, world_size):
    return Apart(length, rank, world_size)


CONTRACT = dict(coverage="sampled", order="shuffled")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=64, world_size=2, num_workers=2)
