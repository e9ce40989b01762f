"""What is left is the dataset without the samples that this rank has seen.

Cause: every rank saves the indices that it has processed itself, and nobody gathers them.
Hides at: one rank.
"""
from tests.zoo._resumable import Resumable

SLUG = "only_its_own_samples_are_done"
SOURCE = "horovod/horovod#2297: processed indices must be brought together over all ranks"
STORY = "After a restart each rank trains again on what the other ranks had done, and the ranks overlap."


class Alone(Resumable):
    def left(self, start):
        seen = super().left(0)[: start // self.world_size]
        rest = [sample for sample in self.order() if sample not in seen]   # BUG: others have seen some, too
        return self.even(rest)[self.rank :: self.world_size]


def bug(length, rank, world_size):
    return Alone(length, rank, world_size)


def sound(length, rank, world_size):
    return Resumable(length, rank, world_size)


CONTRACT = dict(resume="state_dict", elastic=True)
AXES = {}
EXPECT = {"SC701", "SC705"}
ALSO = {"SC703", "SC704"}
SMALLEST = dict(length=3, world_size=2, stop=1)
