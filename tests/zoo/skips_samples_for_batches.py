"""A resumed batch sampler skips as many samples as batches were yielded.

Cause: one counter, two units.
Hides at: a batch size of 1; a run that is stopped before its first batch.
"""
from tests.zoo._sound import Batches

SLUG = "skips_samples_for_batches"
SOURCE = "well-known: skip counts of trainers that are taken for sample counts"
STORY = "After a restart most of what was trained on comes again, batch for batch."


class Counted(Batches):
    """Remembers how many batches of the epoch it has yielded."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.start = self.done = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.epoch, self.start, self.done = epoch, 0, 0

    def rest(self, start):
        return self.share()[start:]

    def __iter__(self):
        start, self.start = self.start, 0
        for number, batch in enumerate(self.rest(start), 1):
            self.done = start + number
            yield batch

    def state_dict(self):
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state):
        self.epoch = state["epoch"]
        self.start = self.done = state["done"]


class Samples(Counted):
    def rest(self, start):
        mine = [sample for batch in self.share() for sample in batch]
        return self.cut(mine[start:])                 # BUG: start counts batches


def bug(length, batch_size, rank, world_size):
    return Samples(length, batch_size, rank, world_size)


def sound(length, batch_size, rank, world_size):
    return Counted(length, batch_size, rank, world_size)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC704"}
SMALLEST = dict(length=2, world_size=1, batch_size=2, stop=1)
