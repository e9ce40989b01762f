"""The state counts samples, and a resumed pass skips as many full batches as they would fill.

Cause: done // batch_size, where a batch at the end of each label is short.
Hides at: labels whose counts batch_size divides, and stops in front of the first short batch.
"""
import random

from tests.zoo._sound import check

SLUG = "short_batches_counted_as_full"
SOURCE = "hand-made: batches of one label, resumed by a count of samples as Megatron's and NeMo's are"
STORY = "Each resume trains again on a batch for every few short ones that the run had seen."


class OneLabelABatch:
    """Batches of one label each, for one process; the state counts what was yielded."""

    def __init__(self, labels, batch_size, seed):
        check(batch_size=batch_size)
        self.labels, self.size, self.seed = list(labels), batch_size, seed
        self.epoch = self.done = self.skip = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.done = self.skip = 0
        self.epoch = epoch

    def batches(self):
        rng, piles = random.Random(f"{self.seed} {self.epoch}"), {}
        for sample in rng.sample(range(len(self.labels)), len(self.labels)):
            piles.setdefault(self.labels[sample], []).append(sample)
        size = self.size
        batches = [pile[at : at + size] for pile in piles.values() for at in range(0, len(pile), size)]
        rng.shuffle(batches)
        return batches

    def counted(self, batch):
        return 1

    def behind(self, batches, done):
        return batches[done:]

    def __len__(self):
        return len(self.batches())

    def __iter__(self):
        self.done, self.skip = self.skip, 0
        for batch in self.behind(self.batches(), self.done):
            self.done += self.counted(batch)
            yield batch

    def state_dict(self):
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state):
        self.epoch, self.done, self.skip = state["epoch"], state["done"], state["done"]


class BySamples(OneLabelABatch):
    def counted(self, batch):
        return len(batch)

    def behind(self, batches, done):
        return batches[done // self.size :]           # BUG: short batches are batches, too


def bug(labels, batch_size, seed):
    return BySamples(labels, batch_size, seed)


def sound(labels, batch_size, seed):
    return OneLabelABatch(labels, batch_size, seed)


CONTRACT = dict(sharding="none", tail="keep", tail_unit="group", order="free", batch_rule="homogeneous(labels)")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC707", "SC702"}
SMALLEST = dict(length=1, world_size=1, batch_size=2)
