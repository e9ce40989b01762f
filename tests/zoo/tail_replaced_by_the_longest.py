"""What does not divide is not taken out, but replaced by the longest samples.

Cause: order[tail] = longest instead of del order[tail].
Hides at: lengths that the world size divides.
"""
from tests.zoo._sound import Strided

SLUG = "tail_replaced_by_the_longest"
SOURCE = "mlcommons/training#460"
STORY = "The longest samples are trained on more often than others, and every batch with them is padded more."


class Dropping(Strided):
    """Whole rounds; the rest of the epoch is left out."""

    def even(self, ids):
        return ids[: len(ids) // self.world_size * self.world_size]

    def __len__(self):
        return self.length // self.world_size


class Replacing(Dropping):
    def even(self, ids):
        whole = super().even(ids)
        tail = len(ids) - len(whole)
        return whole[: len(whole) - tail] + ids[len(ids) - 1 :] * min(tail, len(whole))   # BUG: not taken out


def bug(length, rank, world_size):
    return Replacing(length, rank, world_size)


def sound(length, rank, world_size):
    return Dropping(length, rank, world_size)


CONTRACT = dict(tail="drop", order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC102", "SC103"}
ALSO = {"SC401"}
SMALLEST = dict(length=5, world_size=3)
