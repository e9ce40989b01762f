"""What a resumed run skips is skipped when iter() is called, of batches that are the same in every pass.

Cause: __iter__ is no generator, and what it skips is forgotten with the iterator that is thrown away.
Hides at: num_workers=0; samplers that are told an epoch before they skip again.
"""
from tests.zoo._sound import check

SLUG = "skip_spent_in_one_order"
SOURCE = "cosmos-rl#621: a wrapper that skips the samples of the steps before a restart"
STORY = "A job that reads its data in order begins at the first batch again after a restart, if it has workers."


class GoesOn:
    """Batches in the order of the dataset; the first pass leaves out what was consumed."""

    def __init__(self, length, batch_size, done):
        check(0, 1, batch_size)
        self.batches = [[*range(length)][start : start + batch_size] for start in range(0, length, batch_size)]
        self.done = done

    def __iter__(self):
        done, self.done = self.done, 0
        yield from self.batches[done:]


class GoesOnAtOnce(GoesOn):
    def __iter__(self):
        done, self.done = self.done, 0
        return iter(self.batches[done:])                          # BUG: forgotten before the first next()


def done_of(length, batch_size, consumed):
    return -(-(consumed % length) // batch_size) if length else 0


def bug(length, batch_size, consumed):
    return GoesOnAtOnce(length, batch_size, done_of(length, batch_size, consumed))


def sound(length, batch_size, consumed):
    return GoesOn(length, batch_size, done_of(length, batch_size, consumed))


CONTRACT = dict(sharding="none", epochs="fixed", order="sequential", resume="consumed")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=1)
