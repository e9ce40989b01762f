"""random.shuffle is given a slice of a tensor, whose elements are views: what it swaps overwrites one another.

Cause: x[i], x[j] = x[j], x[i] works for lists; for a tensor both sides are the same memory.
Hides at: one sample; a look at the length, or at whether orders differ.
"""
import random

import torch
from torch.utils.data import Sampler

SLUG = "tensor_shuffled_by_random"
SOURCE = "vocoders whose batches are shuffled in patches of similar length"
STORY = "A third of the utterances is never heard in an epoch, and others come twice."
PATCH = 4


class Patches(Sampler):
    def __init__(self, lengths):
        self.order = torch.sort(torch.tensor(lengths)).indices

    def __len__(self):
        return len(self.order)

    def shuffle(self, patch):
        order = patch.tolist()
        random.shuffle(order)
        return torch.tensor(order)

    def __iter__(self):
        patches = [self.shuffle(patch.clone()) for patch in self.order.split(PATCH)]
        return iter([index for patch in patches for index in patch.tolist()])


class InPlace(Patches):
    def shuffle(self, patch):
        random.shuffle(patch)                                     # BUG: swaps views
        return patch


def bug(lengths):
    return InPlace(lengths)


def sound(lengths):
    return Patches(lengths)


CONTRACT = dict(sharding="none", epochs="advance", order="free", ambient_rng="shared")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103", "SC504"}
SMALLEST = dict(length=2, world_size=1)
