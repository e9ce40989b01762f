"""len() counts what a resumed epoch has left, in all later epochs as well.

Cause: what is subtracted for the resumed epoch is never set back.
Hides at: runs that are not resumed, and the resumed epoch itself.
"""
from tests.zoo._resumable import Resumable

SLUG = "length_of_what_was_left"
SOURCE = "well-known: iterators whose length is what is left of a resumed epoch (fairseq's CountingIterator)"
STORY = "Trainers that plan by len() cut every epoch after a restart short, and learning rates fall too early."


class WhatIsLeft(Resumable):
    skipped = 0

    def __len__(self):
        return super().__len__() - self.skipped // self.world_size    # BUG: also in the epochs to come

    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.skipped = state["done"]


class OfThisEpoch(WhatIsLeft):
    def set_epoch(self, epoch):
        self.skipped *= epoch == self.epoch
        super().set_epoch(epoch)


def bug(length, rank, world_size, shuffle, seed):
    return WhatIsLeft(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return OfThisEpoch(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC702"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
