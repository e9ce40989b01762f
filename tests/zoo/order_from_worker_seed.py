"""The order is drawn from the process's initial seed.

Cause: torch.initial_seed() is mixed in, as a worker_init_fn does; every rank was started with another one.
Hides at: one rank; ranks that were all seeded alike.
"""
import torch

from tests.zoo._sound import Strided, permutation

SLUG = "order_from_worker_seed"
SOURCE = "well-known: seeds derived from torch.initial_seed()"
STORY = "Each rank deals out an order of its own: some samples come twice in an epoch, others never."


class InitialSeed(Strided):
    def order(self):
        if not self.shuffle:
            return super().order()
        seed = self.seed + torch.initial_seed() % 997            # BUG: differs between processes
        return permutation(self.length, seed, self.epoch)


def bug(length, rank, world_size, shuffle, seed):
    return InitialSeed(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC401"}
ALSO = {"SC102", "SC103", "SC901", "SC1002"}
SMALLEST = dict(length=2, world_size=2, shuffle=True, seed=0)
