"""What an abandoned pass left is yielded by the next one.

Cause: a finally clause keeps the rest "so that nothing is lost", and the next pass begins with it.
Hides at: passes that run to their end.
"""
from tests.zoo._sound import Strided

SLUG = "rest_of_an_abandoned_pass"
SOURCE = "our own; the class of buffers that outlive a pass"
STORY = "A sanity check of two batches before training makes the first epoch two batches short."


class KeepsRest(Strided):
    rest = ()

    def __iter__(self):
        queue = list(self.rest) or self.share()
        try:
            while queue:
                yield queue.pop(0)
        finally:
            self.rest = tuple(queue)                  # BUG: a new pass should begin again


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return KeepsRest(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC503"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, shuffle=False, drop_last=False, seed=0)
