"""The saved place counts on from a pass that was given up before.

Cause: the counter is set back when the epoch changes, and not when a pass begins.
Hides at: runs that read nothing before the first epoch; every later epoch.
"""
from tests.zoo._resumable import Resumable

SLUG = "counts_an_abandoned_pass"
SOURCE = "lhotse-speech/lhotse#854 (#785)"
STORY = "A script looks at a few batches before it trains; runs resumed in the first epoch skip as many."


class CountsOn(Resumable):
    def __iter__(self):
        return self.go()

    def run(self, mine, start):
        for sample in mine:
            self.done += self.world_size              # BUG: what another pass of this epoch has counted is in it
            yield sample


def bug(length, rank, world_size):
    return CountsOn(length, rank, world_size)


def sound(length, rank, world_size):
    return Resumable(length, rank, world_size)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
