"""So many samples of each class, or all where a class has fewer: after such a class all others get as few.

Cause: the number that is cut to the class at hand is the one that all classes share.
Hides at: classes that come with the rarest last, and classes that have enough.
"""

import random

SLUG = "quota_stays_reduced"
SOURCE = "setfit#230: sample_dataset"
STORY = "One rare class among twenty, and a model is trained on two samples of each instead of eight."


class Quota:
    """Up to three samples of each class in an epoch, drawn again in each, none twice."""

    EACH = 3

    def __init__(self, labels, seed):
        self.labels, self.seed, self.epoch = [int(label) for label in labels], seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def next_quota(self, quota, available):
        return self.EACH

    def __iter__(self):
        draw, quota, chosen = random.Random(f"{self.seed}/{self.epoch}"), self.EACH, []
        for label in sorted(set(self.labels)):
            members = [index for index, one in enumerate(self.labels) if one == label]
            chosen += draw.sample(members, min(quota, len(members)))
            quota = self.next_quota(quota, len(members))
        draw.shuffle(chosen)
        return iter(chosen)


class Shrinking(Quota):
    def next_quota(self, quota, available):
        return min(quota, available)  # BUG: what one class lacks is taken from all after it


def frequencies(length, features):
    counts = [sum(other == one for other in features.labels) for one in features.labels]
    return [min(Quota.EACH, number) / number for number in counts]


def bug(labels, seed):
    return Shrinking(labels, seed)


def sound(labels, seed):
    return Quota(labels, seed)


CONTRACT = dict(sharding="none", coverage="subset", frequencies=frequencies, order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1)
