"""The seed of an epoch is one byte of a digest: 256 orders, each of them fair, come again and again.

Cause: a digest, or randint(0, 1000), is meant to keep seeds apart, and has few values.
Hides at: checks of two epochs, of orders that recur by a rule, and all frequencies.
"""

import hashlib

import torch

from tests.zoo._sound import Strided

SLUG = "seed_of_one_byte"
SOURCE = "well-known: random.seed(random.randint(0, 100)) for each epoch"
STORY = "After a hundred epochs every other one repeats an order, and two runs with other seeds share most."


class ByDigest(Strided):
    def order(self):
        digest = hashlib.sha256(f"{self.seed}/{self.epoch}".encode()).digest()
        generator = torch.Generator()
        generator.manual_seed(digest[0])  # BUG: one byte
        return torch.randperm(self.length, generator=generator).tolist()


class ByWholeDigest(Strided):
    def order(self):
        digest = hashlib.sha256(f"{self.seed}/{self.epoch}".encode()).digest()
        generator = torch.Generator()
        generator.manual_seed(int.from_bytes(digest[:7], "big"))
        return torch.randperm(self.length, generator=generator).tolist()


def bug(length, rank, world_size, seed):
    return ByDigest(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return ByWholeDigest(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=26, world_size=3)
