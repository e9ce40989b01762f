"""A sample above the budget is a batch of its own, and takes the place of the batch that was being filled.

Cause: the batch so far is replaced, and not yielded before.
Hides at: samples that all fit the budget of 512 tokens.
"""
from tests.zoo._sound import permutation

SLUG = "long_sample_empties_the_batch"
SOURCE = "well-known: packing by tokens, found in a review of 2026"
STORY = "Whatever shares an unfinished batch with the rare long sample is not trained on in that epoch."


class Packs:
    """Batches of at most so many tokens; ranks are filled up with whole batches."""

    def __init__(self, dataset, lengths, rank, world_size, seed, max_tokens=512):
        self.lengths, self.rank, self.world_size, self.seed, self.epoch = lengths, rank, world_size, seed, 0
        self.max_tokens = max_tokens

    def set_epoch(self, epoch):
        self.epoch = epoch

    def keep(self, batch):
        return [batch] if batch else []

    def packs(self):
        found, batch = [], []
        for one in permutation(len(self.lengths), self.seed, self.epoch):
            if self.lengths[one] > self.max_tokens:
                found += [*self.keep(batch), [one]]
                batch = []
            elif sum(self.lengths[other] for other in batch) + self.lengths[one] > self.max_tokens:
                found.append(batch)
                batch = [one]
            else:
                batch.append(one)
        return [*found, batch] if batch else found

    def __iter__(self):
        packs = self.packs()
        total = -(-len(packs) // self.world_size) * self.world_size
        return iter([packs[i % len(packs)] for i in range(self.rank, total, self.world_size)])


class Empties(Packs):
    def keep(self, batch):
        return []   # BUG: what was gathered for a batch is gone


def bug(dataset, lengths, rank, world_size, seed, max_tokens=512):
    return Empties(dataset, lengths, rank, world_size, seed, max_tokens)


def sound(dataset, lengths, rank, world_size, seed, max_tokens=512):
    return Packs(dataset, lengths, rank, world_size, seed, max_tokens)


CONTRACT = dict(order="shuffled", shuffles="chunks", batches="variable", tail_unit="batch", tail="pad")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1)
