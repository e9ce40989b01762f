"""A dataset smaller than the world is refused.

Cause: an assertion that every rank has a sample of its own, though padding would give it one.
Hides at: any real dataset; a smoke test on 8 GPUs with 4 samples meets it.
"""
from tests.zoo._sound import Strided

SLUG = "more_ranks_than_samples_refused"
SOURCE = "well-known: assertions on len(dataset) >= world_size in training repositories"
STORY = "Fewer samples than ranks raise an AssertionError: the smoke test on a big machine dies at start."


class NeedsOneEach(Strided):
    def share(self):
        assert self.length == 0 or self.length >= self.world_size        # BUG: padding makes this legal
        return super().share()


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return NeedsOneEach(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC001"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2, shuffle=False, drop_last=False, seed=0)
