"""Buckets of similar length stand on the object, and a break out of the loop leaves samples in them.

Cause: what does not fill a batch is kept for later on purpose; nobody empties it where a pass begins.
Hides at: whole epochs, at whose ends the buckets are empty; checks by counts, as the next pass is as long.
"""
from samplercheck import Contract
from tests.zoo._sound import permutation

SLUG = "buckets_left_after_a_break"
SOURCE = "well-known: bucket batch samplers of one process that keep open batches in attributes"
STORY = "After an early stop the next epoch trains on samples of the last one, and others wait."
EDGE = 4


class ByBucket:
    """Batches of short and of long samples, in one process; what is left over comes last."""

    def __init__(self, lengths, batch_size, seed):
        self.lengths, self.batch_size, self.seed, self.epoch = list(lengths), batch_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def open_buckets(self):
        return [], []

    def __iter__(self):
        buckets = self.open_buckets()
        for i in permutation(len(self.lengths), self.seed, self.epoch):
            bucket = buckets[self.lengths[i] >= EDGE]
            bucket.append(i)
            if len(bucket) == self.batch_size:
                batch = bucket[:]
                bucket.clear()
                yield batch
        for bucket in filter(None, buckets):
            batch = bucket[:]
            bucket.clear()
            yield batch


class Leftover(ByBucket):
    def __init__(self, lengths, batch_size, seed):
        super().__init__(lengths, batch_size, seed)
        self.buckets = [], []

    def open_buckets(self):
        return self.buckets   # BUG: what the last pass left is still there


def bug(lengths, batch_size, seed):
    return Leftover(lengths, batch_size, seed)


def sound(lengths, batch_size, seed):
    return ByBucket(lengths, batch_size, seed)


CONTRACT = Contract.single_process(epochs="set_epoch", order="shuffled", batches="variable").changes()
AXES = {}
EXPECT = {"SC503"}
ALSO = {"SC502"}
SMALLEST = dict(length=4, world_size=1, batch_size=2)
