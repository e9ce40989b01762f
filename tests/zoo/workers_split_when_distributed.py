"""Workers share a stream out only where there are several ranks.

Cause: the step counts the workers in the branch for distributed training alone.
Hides at: several ranks; no workers; a single sample.
"""
from torch.utils.data import get_worker_info

from tests.zoo.rank_plus_worker import Split

SLUG = "workers_split_when_distributed"
SOURCE = "well-known: streams that were only ever tried with several ranks (see huggingface/datasets#3423)"
STORY = "On one GPU with two workers nearly all samples come twice."


class Branched(Split):
    def __iter__(self):
        if self.world_size > 1:
            return super().__iter__()
        info = get_worker_info()
        return iter(range(info.id if info else 0, self.length))     # BUG: the step is not the workers' number


def bug(length, rank, world_size):
    return Branched(length, rank, world_size)


def sound(length, rank, world_size):
    return Split(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, num_workers=2)
