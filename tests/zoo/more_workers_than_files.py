"""A worker without a file reads one of another's: with more workers than files samples come twice.

Cause: a share that would be empty is replaced by a file, so that no worker stands idle.
Hides at: no more workers than files.
"""
from torch.utils.data import IterableDataset, get_worker_info

SLUG = "more_workers_than_files"
SOURCE = "https://github.com/huggingface/datasets/pull/8669"
STORY = "Scores on the validation set change with the number of workers."


class Files(IterableDataset):
    def __init__(self, length, files):
        self.files = [range(length)[place::files] for place in range(files)]

    def mine(self, worker, workers):
        return self.files[worker::workers]

    def __iter__(self):
        info = get_worker_info()
        for file in self.mine(info.id, info.num_workers) if info else self.files:
            yield from file


class NoneIdle(Files):
    def mine(self, worker, workers):
        return super().mine(worker, workers) or self.files[:1]         # BUG: somebody has that file


def bug(length, files=3):
    return NoneIdle(length, files)


def sound(length, files=3):
    return Files(length, files)


CONTRACT = dict(sharding="none", order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=4)
