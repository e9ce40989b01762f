"""The order is a sound one, but not the one that torch's sampler has.

Cause: seed and epoch are mixed in the sampler's own way while torch's order is promised.
Hides at: epoch 0 with seed 0; no shuffling.
"""
from tests.zoo._sound import LikeTorch

SLUG = "own_mix_of_seed_and_epoch"
SOURCE = "our own; drop-in replacements of DistributedSampler"
STORY = "A run continued with the replacement sees another order than its first half was trained in."


class OwnMix(LikeTorch):
    def mixed(self):
        return (self.seed * 31 + self.epoch) % 2**63  # BUG: torch adds them


def bug(dataset, rank, world_size, shuffle, seed, drop_last):
    return OwnMix(len(dataset), rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(dataset, rank, world_size, shuffle, seed, drop_last):
    return LikeTorch(len(dataset), rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict(reference="torch", layout="strided")
AXES = {}
EXPECT = {"SC307"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, drop_last=False, seed=1)
