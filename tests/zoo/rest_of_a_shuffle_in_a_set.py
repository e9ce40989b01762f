"""The shuffled order is put into a set, from which small integers come sorted.

Cause: what is left of the epoch is to be taken out of again quickly, and a set does that.
Hides at: checks that each sample comes once, and datasets whose hashes are in no order.
"""
from tests.zoo._sound import Batches, permutation

SLUG = "rest_of_a_shuffle_in_a_set"
SOURCE = "huggingface/sentence-transformers#3073"
STORY = "Batches without near duplicates are the same in all epochs, and neighbours in the file meet always."


class WithoutTwins(Batches):
    """Batches in which no two samples are alike (here: of one pair); what does not fit waits for the next."""

    def __init__(self, length, batch_size, seed):
        super().__init__(length, batch_size, shuffle=True, seed=seed)

    def rest(self, order):
        return dict.fromkeys(order)

    def share(self):
        left = self.rest(permutation(self.length, self.seed, self.epoch))
        batches = []
        while left:
            batch, seen = [], set()
            for i in left:
                if i // 2 not in seen and len(batch) < self.batch_size:
                    batch.append(i)
                    seen.add(i // 2)
            batches.append(batch)
            left = self.rest(i for i in left if i not in batch)
        return batches

    def __len__(self):
        return len(self.share())

    def __iter__(self):
        return iter(self.share())


class InASet(WithoutTwins):
    def rest(self, order):
        return set(order)                     # BUG: comes out sorted


def bug(length, batch_size, seed):
    return InASet(length, batch_size, seed)


def sound(length, batch_size, seed):
    return WithoutTwins(length, batch_size, seed)


CONTRACT = dict(sharding="none", order="shuffled", shuffles="chunks", batches="variable")
AXES = {}
EXPECT = {"SC301"}
ALSO = {"SC303", "SC306"}
SMALLEST = dict(length=5, world_size=1, batch_size=1)
