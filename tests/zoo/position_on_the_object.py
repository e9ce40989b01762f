"""Two passes that are open at once share one position.

Cause: the position is an attribute of the sampler; every pass sets it back when it starts.
Hides at: one pass at a time.
"""
from tests.zoo._sound import Strided

SLUG = "position_on_the_object"
SOURCE = "our own; the class of iterators whose state lives on the iterable"
STORY = "zip(loader, loader), or a validation pass within an epoch, skips samples in both."


class OnePosition(Strided):
    def __iter__(self):
        share = self.share()
        self.position = 0                             # BUG: belongs to the iterator
        while self.position < len(share):
            yield share[self.position]
            self.position += 1


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return OnePosition(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC502"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=False, drop_last=False, seed=0)
