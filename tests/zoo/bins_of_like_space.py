"""Best-fit packing keeps its open bins by the space that is left in them, one for each.

Cause: the second bin with as much space takes the place of the first, whose samples are gone.
Hides at: most epochs of small datasets; samples of one length never have two bins open.
"""
import random

SLUG = "bins_of_like_space"
SOURCE = "hand-made: sequence packing whose open bins are a dict by free space"
STORY = "With more data, more bins are alike, and more of it is never seen; which part is another one each epoch."

BUDGET = 16


class Packed:
    """Bins of at most the budget, for one process."""

    def __init__(self, lengths, seed):
        self.lengths, self.seed, self.epoch = list(lengths), seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.bins())

    def __iter__(self):
        return iter(self.bins())

    def leave_open(self, bins, space, packed):
        bins.setdefault(space, []).append(packed)

    def bins(self):
        order = list(range(len(self.lengths)))
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
        bins = {}
        for sample in order:
            space = min((one for one in bins if bins[one] and one >= self.lengths[sample]), default=BUDGET)
            packed = bins[space].pop() if bins.get(space) and space < BUDGET else []
            self.leave_open(bins, space - self.lengths[sample], [*packed, sample])
        return [packed for likes in bins.values() for packed in likes]


class OneOfASpace(Packed):
    def leave_open(self, bins, space, packed):
        if space > 0:
            bins[space] = [packed]                    # BUG: what was open with as much space is lost
        else:
            super().leave_open(bins, space, packed)


def bug(lengths, seed):
    return OneOfASpace(lengths, seed)


def sound(lengths, seed):
    return Packed(lengths, seed)


CONTRACT = dict(
    sharding="none", tail="keep", order="free", batches="variable", batch_rule="budget(lengths,16)"
)
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=10, world_size=1)
