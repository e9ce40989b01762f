"""The state of a run that does not shuffle does not say so, and loading it makes the order of one that does.

Cause: the order is made in two places, and the second takes the default of an argument that it lacks.
Hides at: runs that shuffle, which is what is tested; a state of the beginning.
"""
from tests.zoo._resumable import Resumable
from tests.zoo._sound import permutation

SLUG = "shuffle_left_out_of_the_state"
SOURCE = "facebookresearch/fairseq#1375"
STORY = "A curriculum that was stopped goes on in a random order, and repeats and skips samples."


class Shuffles(Resumable):
    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.resumed = False

    def set_epoch(self, epoch):
        self.resumed = self.resumed and epoch == self.epoch
        super().set_epoch(epoch)

    def order(self):
        if self.resumed:
            return permutation(self.length, self.seed, self.epoch)    # BUG: whether the run shuffles is not known
        return super().order()

    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.resumed = True


def bug(length, rank, world_size, shuffle, seed):
    return Shuffles(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC702", "SC503", "SC706", "SC707", "SC501", "SC801"}
SMALLEST = dict(length=3, world_size=1)
