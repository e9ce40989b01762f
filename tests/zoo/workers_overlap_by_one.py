"""The chunks of a rank's workers overlap by one sample.

Cause: the end of a chunk is taken for its last sample, and one is added.
Hides at: num_workers 0 or 1; anyone who takes the samples too many for padding.
"""
import math

from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "workers_overlap_by_one"
SOURCE = "well-known: slice ends that are taken for the last index"
STORY = "The first sample of nearly every worker comes twice in every epoch; more workers, more of them."


class Chunks(IterableDataset):
    """The rank's padded share, cut into one chunk for each worker."""

    more = 0

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        total = math.ceil(length / world_size) * world_size
        self.ids = [k % length for k in range(rank, total, world_size)]

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(self.ids)
        size = math.ceil(len(self.ids) / info.num_workers)
        start = info.id * size
        return iter(self.ids[start : start + size + self.more])


class Overlapping(Chunks):
    more = 1                                          # BUG: the end of a slice is not in it


def bug(length, rank, world_size):
    return Overlapping(length, rank, world_size)


def sound(length, rank, world_size):
    return Chunks(length, rank, world_size)


CONTRACT = dict(tail="pad", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, num_workers=2)
