"""A dataset begins where the one before it ends, if that were the first.

Cause: the offset is the length of one dataset, not the sum of all before.
Hides at: one dataset, or two.
"""

SLUG = "third_dataset_begins_too_early"
SOURCE = "well-known: batches of one dataset each, of several that are concatenated"
STORY = "With a third dataset its samples are never seen, and those of another come twice."


class OneAfterTheOther:
    """Batches of the samples of one dataset each."""

    def __init__(self, datasets, batch_size):
        self.sizes, self.batch_size = [len(one) for one in datasets], batch_size

    def start(self, number):
        return sum(self.sizes[:number])

    def __iter__(self):
        for number, size in enumerate(self.sizes):
            start = self.start(number)
            for first in range(start, start + size, self.batch_size):
                yield list(range(first, min(first + self.batch_size, start + size)))


class BehindOne(OneAfterTheOther):
    def start(self, number):
        return self.sizes[number - 1] if number else 0      # BUG: behind the one before alone


def bug(datasets, batch_size):
    return BehindOne(datasets, batch_size)


def sound(datasets, batch_size):
    return OneAfterTheOther(datasets, batch_size)


CONTRACT = dict(sharding="none", batches="variable", order="free")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103", "SC105"}
SMALLEST = dict(length=5, world_size=1)
