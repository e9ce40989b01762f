"""A stream of samples, each with its name, its text and its tokens, is not split over workers.

Cause: __iter__ ignores get_worker_info().
Hides at: num_workers 0 or 1; samples that are more than an index, which no checker of indices reads.
"""
import torch
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "every_worker_reads_every_file"
SOURCE = "huggingface/datasets#7470; streams of texts have samples with names"
STORY = "Every text arrives num_workers times, and an epoch takes as long as num_workers epochs."


class Texts(IterableDataset):
    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.files = range(rank, length, world_size)

    def mine(self, worker, workers):
        return self.files[worker::workers]

    def __iter__(self):
        info = get_worker_info()
        for index in self.mine(info.id, info.num_workers) if info else self.files:
            yield {"idx": index, "text": f"doc {index}", "tokens": torch.tensor([101, index, 102])}


class ReadByAll(Texts):
    def mine(self, worker, workers):
        return self.files                             # BUG: same for every worker


def bug(length, rank, world_size):
    return ReadByAll(length, rank, world_size)


def sound(length, rank, world_size):
    return Texts(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = {"SC801"}
SMALLEST = dict(length=1, world_size=1, num_workers=2)
