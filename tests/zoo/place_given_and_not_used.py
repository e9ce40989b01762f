"""The factory is given the place in the data, and its sampler asks for the place of the process.

Cause: the sampler was made before model parallelism came, and nobody hands the two new arguments on.
Hides at: no model parallelism, where both places are one.
"""
import torch.distributed as dist

from tests.zoo._sound import Strided, check

SLUG = "place_given_and_not_used"
SOURCE = "microsoft/DeepSpeed#216"
STORY = "Ranks that hold two halves of one model are dealt different samples, and train on their mixture."


def bug(length, data_parallel_rank, data_parallel_size):
    check(data_parallel_rank, data_parallel_size)
    return Strided(length, dist.get_rank(), dist.get_world_size())    # BUG: the place of the process


def sound(length, data_parallel_rank, data_parallel_size):
    return Strided(length, data_parallel_rank, data_parallel_size)


CONTRACT = dict(replicas=2)
AXES = {}
EXPECT = {"SC404"}
ALSO = {"SC102", "SC103", "SC104", "SC105", "SC302", "SC401"}
SMALLEST = dict(length=2, world_size=2)
