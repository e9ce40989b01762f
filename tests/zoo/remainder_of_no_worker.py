"""What the workers cannot share evenly is read by none of them.

Cause: blocks of len // num_workers; the remainder belongs to nobody.
Hides at: num_workers 0 or 1; a share that the number of workers divides.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "remainder_of_no_worker"
SOURCE = "well-known: the example of torch's own documentation uses math.ceil for this reason"
STORY = "With four workers up to three samples of every rank are never seen, always the same ones."


class Blocks(IterableDataset):
    """One block of what the rank has for each worker."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.ids = range(rank, length, world_size)

    def block(self, workers):
        return -(-len(self.ids) // workers)

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(self.ids)
        size = self.block(info.num_workers)
        return iter(self.ids[info.id * size : (info.id + 1) * size])


class Floored(Blocks):
    def block(self, workers):
        return len(self.ids) // workers               # BUG: rounded down


def bug(length, rank, world_size):
    return Floored(length, rank, world_size)


def sound(length, rank, world_size):
    return Blocks(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, num_workers=2)
