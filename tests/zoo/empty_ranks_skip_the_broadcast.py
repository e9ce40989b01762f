"""A rank without samples does not take part when the ranks agree on the size of the dataset.

Cause: an early return in front of a collective.
Hides at: as many samples as ranks.
"""
import torch.distributed as dist

from tests.zoo._sound import Uneven

SLUG = "empty_ranks_skip_the_broadcast"
SOURCE = "our own; the class of collectives under a condition that differs between ranks"
STORY = "The evaluation of a tiny test set hangs until the process group times out."


class Agreed(Uneven):
    """All ranks believe what rank 0 counted."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        if self.takes_part():
            counted = [length]
            dist.broadcast_object_list(counted, src=0)
            self.length = counted[0]

    def takes_part(self):
        return True


class LeavesEarly(Agreed):
    def takes_part(self):
        return len(self) > 0 or self.length == 0      # BUG: the others wait for this rank


def bug(length, rank, world_size):
    return LeavesEarly(length, rank, world_size)


def sound(length, rank, world_size):
    return Agreed(length, rank, world_size)


CONTRACT = dict(tail="keep")
AXES = {}
EXPECT = {"SC904"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2)
