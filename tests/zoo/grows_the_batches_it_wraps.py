"""A wrapper completes short batches in the lists of the batch sampler that it wraps.

Cause: batch += ... where the list belongs to somebody else.
Hides at: a batch sampler that makes new lists for every pass, as torch's own does.
"""
from tests.zoo._dealing import DealingBatches
from tests.zoo._sound import evened

SLUG = "grows_the_batches_it_wraps"
SOURCE = "our own; the class of huggingface/accelerate#776, whose shards complete the last batch by +="
STORY = "The batch sampler of a trainer that caches its batches yields larger ones from the second epoch on."


class Completed(DealingBatches):
    """The last batch is completed from the front of the epoch, and so is the last round of batches."""

    def batches(self):
        batches, size = list(self.inner), self.inner.batch_size
        order = [sample for batch in batches for sample in batch]
        more = evened(order, self.world_size * size)[len(order) :]
        if batches and len(batches[-1]) < size:
            missing = size - len(batches[-1])
            batches[-1] = self.completed(batches[-1], more[:missing])
            more = more[missing:]
        return batches + [more[start : start + size] for start in range(0, len(more), size)]

    def completed(self, batch, more):
        return batch + more


class InPlace(Completed):
    def completed(self, batch, more):
        batch += more                                 # BUG: the list is not ours
        return batch


def bug(batch_sampler, rank, world_size):
    return InPlace(batch_sampler, rank, world_size)


def sound(batch_sampler, rank, world_size):
    return Completed(batch_sampler, rank, world_size)


CONTRACT = dict(tail="pad", tail_unit="batch")
AXES = {}
EXPECT = {"SC505"}
ALSO = {"SC202", "SC501", "SC502", "SC503"}
SMALLEST = dict(length=1, world_size=1, batch_size=2)
