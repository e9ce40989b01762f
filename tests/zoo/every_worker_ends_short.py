"""Each worker makes batches of its own part of the stream, and ends with a short one.

Cause: the loader makes the batches, and torch makes those of a stream in the workers.
Hides at: num_workers 0 or 1; parts that the batch size divides.
"""
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "every_worker_ends_short"
SOURCE = "well-known: torch's documentation of batch_size and drop_last for iterable-style datasets"
STORY = "With eight workers eight steps of each epoch weigh few samples as much as others weigh a whole batch."


class Samples(IterableDataset):
    """The samples of one rank, dealt to its workers in turn."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.ids = list(range(rank, length, world_size))

    def __iter__(self):
        info = get_worker_info()
        return iter(self.ids[info.id :: info.num_workers] if info else self.ids)


class Whole(Samples):
    """Their batches, dealt to its workers in turn."""

    def __init__(self, length, batch_size, rank, world_size):
        check(batch_size=batch_size)
        super().__init__(length, rank, world_size)
        self.ids = [self.ids[at : at + batch_size] for at in range(0, len(self.ids), batch_size)]


def bug(length, batch_size, rank, world_size, num_workers):
    stream = Samples(length, rank, world_size)
    return DataLoader(stream, batch_size, num_workers=num_workers)    # BUG: each worker has a last batch


def sound(length, batch_size, rank, world_size, num_workers):
    stream = Whole(length, batch_size, rank, world_size)
    return DataLoader(stream, batch_size=None, num_workers=num_workers)


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, batch_size=4, num_workers=2)
