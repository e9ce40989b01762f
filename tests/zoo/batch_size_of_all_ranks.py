"""Each rank takes its part of a batch of batch_size, which is divided among them: a step has one batch in all.

Cause: code of a time when one process fed all GPUs, where batch_size was that of all of them together.
Hides at: one rank; and where the script passes batch_size * world_size, it is right.
"""

from tests.zoo._sound import Strided, evened

SLUG = "batch_size_of_all_ranks"
SOURCE = "DistributedBatchSampler of Megatron-LM's first versions and of what has copied it (GLM, modelscope)"
STORY = "Training takes as many steps as one GPU would, and with more ranks than samples in a batch some get none."


class Divided(Strided):
    def __init__(self, length, rank, world_size, batch_size, seed, size):
        super().__init__(length, rank, world_size, shuffle=True, seed=seed)
        self.size, self.batch_size = size, batch_size

    def __iter__(self):
        order = evened(self.order(), self.size)
        for start in range(0, len(order), self.size):
            batch = order[start : start + self.size]
            yield batch[
                self.rank * self.size // self.world_size : (self.rank + 1) * self.size // self.world_size
            ]

    def __len__(self):
        return -(-self.length // self.size)


def bug(length, rank, world_size, batch_size, seed):
    return Divided(length, rank, world_size, batch_size, seed, batch_size)  # BUG: that of one rank


def sound(length, rank, world_size, batch_size, seed):
    return Divided(length, rank, world_size, batch_size, seed, batch_size * world_size)


CONTRACT = dict(order="shuffled", tail="pad", tail_unit="batch")
AXES = {}
EXPECT = {"SC602"}
ALSO = {"SC104", "SC105", "SC601", "SC603"}
SMALLEST = dict(length=1, world_size=2)
