"""len() is that of the shard a rank began with, and shards move on by one rank in each epoch.

Cause: the pass follows set_epoch, and __len__ does not.
Hides at: epoch 0; lengths that world_size divides, where all shards have one size.
"""
from tests.zoo._sound import check

SLUG = "len_of_its_first_shard"
SOURCE = "our own; shards that rotate over the GPUs, as DALI's readers do unless stick_to_shard is set"
STORY = "The schedule is right in epoch 0, and from then on a step too long on some ranks, too short on others."


class Rotating:
    """A contiguous shard for each rank, another one in each epoch."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def shard(self):
        return (self.rank + self.epoch) % self.world_size

    def borders(self, shard):
        return (self.length * one // self.world_size for one in (shard, shard + 1))

    def __len__(self):
        return len(range(*self.borders(self.shard())))

    def __iter__(self):
        return iter(range(*self.borders(self.shard())))


class OfTheFirst(Rotating):
    def __len__(self):
        return len(range(*self.borders(self.rank)))   # BUG: not of self.shard()


def bug(length, rank, world_size):
    return OfTheFirst(length, rank, world_size)


def sound(length, rank, world_size):
    return Rotating(length, rank, world_size)


CONTRACT = dict(tail="keep", order="free")
AXES = {}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2)
