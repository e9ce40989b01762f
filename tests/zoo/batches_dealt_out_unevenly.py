"""Whole batches are dealt out to the ranks, and nobody counts them first.

Cause: batches[rank::world_size] without a look at what does not divide.
Hides at: a number of batches that the world size divides.
"""
from tests.zoo._dealing import DealingBatches

SLUG = "batches_dealt_out_unevenly"
SOURCE = "huggingface/accelerate#684, huggingface/accelerate#776: what even_batches is for"
STORY = "One rank has a batch more than the others and waits for them in its last step."


class Whole(DealingBatches):
    """What does not make a whole round is dropped."""

    def batches(self):
        batches = list(self.inner)
        return batches[: len(batches) // self.world_size * self.world_size]


def bug(batch_sampler, rank, world_size):
    return DealingBatches(batch_sampler, rank, world_size)   # BUG: the last round is not whole


def sound(batch_sampler, rank, world_size):
    return Whole(batch_sampler, rank, world_size)


CONTRACT = dict(coverage="subset", tail="drop", order="sequential", batches="variable")
AXES = {}
EXPECT = {"SC104"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2, batch_size=1)
