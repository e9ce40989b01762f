"""Each label is cut to pairs, by // 2 where // 2 * 2 is meant: half of it never comes.

Cause: one number stands for pairs where it is computed, and for samples where it is used.
Hides at: any check of what is in a batch.
"""
from collections import defaultdict

from tests.zoo._sound import Batches, permutation

SLUG = "half_of_each_label"
SOURCE = "huggingface/sentence-transformers#2788"
STORY = "Half of every label is never trained on, and it is always the same half."


class ByLabel(Batches):
    """Label after label, in another order in each epoch, cut into batches."""

    def __init__(self, labels, batch_size, seed):
        super().__init__(len(labels), batch_size, shuffle=True, seed=seed)
        self.labels = list(labels)

    def kept(self, number):
        return number

    def share(self):
        groups = defaultdict(list)
        for i, label in enumerate(self.labels):
            groups[label].append(i)
        whole = [group[: self.kept(len(group))] for group in groups.values()]
        mixed = permutation(len(whole), self.seed, self.epoch)
        return self.cut([i for at in mixed for i in whole[at]])

    def __len__(self):
        return len(self.share())


class InPairs(ByLabel):
    def kept(self, number):
        return number // 2                    # BUG: so many pairs, and half as many samples


def bug(labels, batch_size, seed):
    return InPairs(labels, batch_size, seed)


def sound(labels, batch_size, seed):
    return ByLabel(labels, batch_size, seed)


CONTRACT = dict(sharding="none", shuffles="chunks", order="free")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=1, world_size=1)
