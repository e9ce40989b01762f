"""A short last batch is yielded as two.

Cause: the tail is halved "so that no batch is much smaller than its neighbours".
Hides at: shares that the batch size divides, or leaves one sample of.
"""
from tests.zoo._sound import Batches, LikeTorch

SLUG = "short_tail_in_two_batches"
SOURCE = "our own; drop-in replacements of DistributedSampler with a BatchSampler"
STORY = "An epoch has one step more than with torch's samplers, so schedules that count steps are off."


class TorchBatches(LikeTorch, Batches):
    """BatchSampler over DistributedSampler, in one object."""


class Halves(TorchBatches):
    def cut(self, ids):
        batches = super().cut(ids)
        short = batches[-1:] if batches and 1 < len(batches[-1]) < self.batch_size else []
        for tail in short:
            batches[-1:] = [tail[:1], tail[1:]]       # BUG: torch yields one short batch
        return batches

    def __len__(self):
        return len(self.share())


def bug(length, batch_size, rank, world_size, shuffle, seed):
    return Halves(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return TorchBatches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(reference="torch")
AXES = {}
EXPECT = {"SC203"}
ALSO = {"SC601"}
SMALLEST = dict(length=2, world_size=1, batch_size=3, shuffle=False, seed=0)
