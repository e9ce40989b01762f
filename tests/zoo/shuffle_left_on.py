"""An evaluation sampler on top of DistributedSampler, whose shuffle stays on.

Cause: shuffle=True is the default of DistributedSampler.__init__(), and nothing is passed for it.
Hides at: a single sample; metrics that do not depend on the order.
"""
from torch.utils.data import DistributedSampler

SLUG = "shuffle_left_on"
SOURCE = "our own; Lightning's DistributedSamplerWrapper in the field suite leaves it on as well"
STORY = "Predictions are written down in another order than that of the dataset."


def bug(dataset, num_replicas, rank):
    return DistributedSampler(dataset, num_replicas, rank)  # BUG: shuffle is on by default


def sound(dataset, num_replicas, rank):
    return DistributedSampler(dataset, num_replicas, rank, shuffle=False)


CONTRACT = dict(order="sequential", layout="strided")
AXES = {}
EXPECT = {"SC302"}
ALSO = set()
SMALLEST = dict(length=2)
