"""Batches of similar length are put together once; each epoch shuffles nothing but their order.

Cause: sorting by length is dear, so it is done in the constructor.
Hides at: checks of how often a sample comes where: its batch comes anywhere, and what is made by length may.
"""
from tests.zoo._sound import GlobalBatches, permutation

SLUG = "buckets_filled_once"
SOURCE = "well-known: bucket batch samplers that shuffle a list of finished batches"
STORY = "A sentence always meets the same neighbours, so in-batch negatives and batch statistics never vary."
RUN = 2


class ByLength(GlobalBatches):
    """Shuffled, sorted by length in runs of a few batches, cut, and shuffled batch by batch."""

    def __init__(self, lengths, batch_size, rank, world_size, seed):
        super().__init__(len(lengths), batch_size, rank, world_size, shuffle=True, seed=seed)
        self.lengths = list(lengths)

    def batches(self):
        order, size = self.order(), RUN * self.batch_size
        runs = [sorted(order[at:at + size], key=self.lengths.__getitem__) for at in range(0, len(order), size)]
        return self.cut(self.even([i for run in runs for i in run]))

    def share(self):
        batches = self.batches()
        mixed = [batches[i] for i in permutation(len(batches), self.seed, self.epoch)]
        return mixed[self.rank :: self.world_size]


class FilledOnce(ByLength):
    def batches(self):
        order = sorted(range(self.length), key=self.lengths.__getitem__)   # BUG: the same in every epoch
        return self.cut(self.even(order))


def bug(lengths, batch_size, rank, world_size, seed):
    return FilledOnce(lengths, batch_size, rank, world_size, seed)


def sound(lengths, batch_size, rank, world_size, seed):
    return ByLength(lengths, batch_size, rank, world_size, seed)


CONTRACT = dict(tail_unit="batch", order="shuffled")
AXES = {}
EXPECT = {"SC306"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, batch_size=2)
