"""Batches of one label are shuffled, and the samples in them are not: the rest of each label is always the same.

Cause: the members of a label are cut into batches before anything is shuffled.
Hides at: labels whose samples fill whole batches.
"""
from tests.zoo._sound import permutation

SLUG = "rest_of_a_label_left_in_order"
SOURCE = "well-known: samplers for retrieval and metric learning with one label in a batch"
STORY = "The last samples of each label are dropped in every epoch, and never trained on."


class OneLabel:
    """Full batches of one label each, in random order."""

    def __init__(self, labels, batch_size, seed):
        self.members, self.batch_size, self.seed, self.epoch = {}, batch_size, seed, 0
        for index, label in enumerate(labels):
            self.members.setdefault(label, []).append(index)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def mixed(self, members):
        return [members[place] for place in permutation(len(members), self.seed, self.epoch)]

    def __iter__(self):
        size, batches = self.batch_size, []
        for members in map(self.mixed, self.members.values()):
            batches += [members[start : start + size] for start in range(0, len(members) - size + 1, size)]
        return (batches[place] for place in permutation(len(batches), self.seed, self.epoch))


class InOrder(OneLabel):
    def mixed(self, members):
        return members                                                # BUG: what is left over never changes


def bug(labels, batch_size, seed):
    return InOrder(labels, batch_size, seed)


def sound(labels, batch_size, seed):
    return OneLabel(labels, batch_size, seed)


CONTRACT = dict(sharding="none", tail="drop", tail_unit="group", order="shuffled")
AXES = {}
EXPECT = {"SC106"}
ALSO = {"SC306"}
SMALLEST = dict(length=3, world_size=1, batch_size=2)
