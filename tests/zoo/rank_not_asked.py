"""Without arguments the world is read from the process group, and the rank is taken for 0.

Cause: `rank or 0` was left from the single-process version.
Hides at: scripts that pass the rank; one rank.
"""
import torch.distributed as dist

from tests.zoo._sound import Strided

SLUG = "rank_not_asked"
SOURCE = "our own; the class of defaults that forget the process group"
STORY = "Every rank trains on the share of rank 0 and the rest of the data is never seen."


def bug(length, shuffle, seed, drop_last, rank=None, world_size=None):
    world_size = dist.get_world_size() if world_size is None else world_size
    rank = 0 if rank is None else rank                # BUG: should be dist.get_rank()
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, shuffle, seed, drop_last, rank=None, world_size=None):
    world_size = dist.get_world_size() if world_size is None else world_size
    rank = dist.get_rank() if rank is None else rank
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC903"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2, shuffle=False, drop_last=False, seed=0)
