"""A loader of one's own gives its workers a stream that they do not share.

Cause: __iter__ of the stream, behind a DataLoader that nobody sees, ignores get_worker_info().
Hides at: num_workers 0 or 1, and where only a DataLoader itself is run with workers.
"""
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SLUG = "own_loader_doubles_its_stream"
SOURCE = "our own; pytorch/torchtitan#291 behind the wrapper that training frameworks put around a loader"
STORY = "Validation counts everything as often as there are workers, and no loader is to be seen that does."


class Stream(IterableDataset):
    def __init__(self, length, rank, world_size):
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("bad rank or world size")
        self.ids = range(rank, length, world_size)

    def __iter__(self):
        info = get_worker_info()
        return iter(self.ids[info.id::info.num_workers] if info else self.ids)


class Doubled(Stream):
    def __iter__(self):
        return iter(self.ids)                         # BUG: same for every worker


class Moved:
    """Brings the batches of a loader to their device."""

    def __init__(self, loader):
        self.loader = loader

    def __iter__(self):
        for batch in self.loader:
            yield {"idx": batch.to("cpu")}


def bug(length, rank, world_size, num_workers):
    return Moved(DataLoader(Doubled(length, rank, world_size), num_workers=num_workers))


def sound(length, rank, world_size, num_workers):
    return Moved(DataLoader(Stream(length, rank, world_size), num_workers=num_workers))


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, num_workers=2)
