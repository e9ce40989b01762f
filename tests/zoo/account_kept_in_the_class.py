"""What has been seen is noted in the class, so that a second sampler leaves out what the first has used.

Cause: the account is one dictionary for the process, by a name that is the same for all samplers.
Hides at: one object in a process, and passes that are finished: an end empties the account.
"""

import random

SLUG = "account_kept_in_the_class"
SOURCE = "bghira/SimpleTuner: StateTracker (from memory)"
STORY = "After a look at the first batches the training sampler leaves them out of its epoch."


class Unseen:
    """Batches of the samples of an epoch that were not given yet; a finished pass begins the next one."""

    def __init__(self, length, batch_size, seed):
        self.length, self.batch_size, self.seed, self.epoch = length, batch_size, seed, 0
        self.seen = self.account()

    def account(self):
        return set()

    def __iter__(self):
        order = random.Random(f"{self.seed}/{self.epoch}").sample(range(self.length), self.length)
        left = [index for index in order if index not in self.seen]
        for start in range(0, len(left), self.batch_size):
            batch = left[start : start + self.batch_size]
            self.seen.update(batch)
            yield batch
        self.seen.clear()
        self.epoch += 1


class Tracked(Unseen):
    accounts = {}

    def account(self):
        return self.accounts.setdefault("default", set())  # BUG: one account for all samplers of the process


def bug(length, batch_size, seed):
    return Tracked(length, batch_size, seed)


def sound(length, batch_size, seed):
    return Unseen(length, batch_size, seed)


CONTRACT = dict(sharding="none", order="shuffled", epochs="advance", after_break="rest")
AXES = {}
EXPECT = {"SC502"}
ALSO = {"SC801"}
SMALLEST = dict(length=7, world_size=1)
