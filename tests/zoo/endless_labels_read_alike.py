"""Every rank of an endless sampler yields the same batches of one label, step by step.

Cause: the batches are not dealt out: the rank is kept and never used.
Hides at: a single rank; and samples wait for later laps until they fill a batch, so that no lap is whole.
"""
from itertools import count, islice

from tests.zoo._sound import check, permutation

SLUG = "endless_labels_read_alike"
SOURCE = "our own; detectron2's grouping by aspect ratio around an infinite sampler without its islice"
STORY = "Eight processors train on the same batches, as one would."


class OneLabel:
    """Endless batches of one label, dealt out in turn."""

    def __init__(self, labels, batch_size, rank, world_size):
        check(rank, world_size, batch_size)
        self.labels, self.batch_size = list(labels), batch_size
        self.rank, self.world_size = rank, world_size

    def walk(self):
        waiting = {}
        for lap in count() if self.labels else ():
            for i in permutation(len(self.labels), 3, lap):
                batch = waiting.setdefault(self.labels[i], [])
                batch.append(i)
                if len(batch) == self.batch_size:
                    yield waiting.pop(self.labels[i])

    def __iter__(self):
        return islice(self.walk(), self.rank, None, self.world_size)


class Alike(OneLabel):
    def __iter__(self):
        return islice(self.walk(), 0, None, self.world_size)        # BUG: from 0 on every rank


def bug(labels, batch_size, rank, world_size):
    return Alike(labels, batch_size, rank, world_size)


def sound(labels, batch_size, rank, world_size):
    return OneLabel(labels, batch_size, rank, world_size)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2)
