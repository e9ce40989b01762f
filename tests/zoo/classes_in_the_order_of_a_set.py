"""Classes are gone through in the order of set(labels), which with texts differs from process to process.

Cause: labels that are the names of classes; numbers come out of a set alike everywhere.
Hides at: numbers as labels; any single process; ranks started by fork.
"""
import torch
from torch.utils.data import Sampler

SLUG = "classes_in_the_order_of_a_set"
SOURCE = "our own; the class of class-wise samplers over folders whose names are the labels"
WORLDS = ("gloo",)
STORY = "Each rank deals out another order, so that some samples come twice in an epoch and others not at all."


class ByClass(Sampler):
    def in_order(self, labels):
        return sorted(labels)

    def __init__(self, labels, rank, world_size, seed=0):
        self.labels, self.rank, self.world_size = labels, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-(len(self.labels) - self.rank) // self.world_size)

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        members = {label: [] for label in self.labels}
        for index, label in enumerate(self.labels):
            members[label].append(index)
        order = []
        for label in self.in_order(set(self.labels)):
            mine = members[label]
            order += [mine[i] for i in torch.randperm(len(mine), generator=generator).tolist()]
        return iter(order[self.rank::self.world_size])


class BySet(ByClass):
    def in_order(self, labels):
        return labels                                         # BUG: for texts an order of hashes


def bug(labels, rank, world_size, seed):
    return BySet(labels, rank, world_size, seed)


def sound(labels, rank, world_size, seed):
    return ByClass(labels, rank, world_size, seed)


CONTRACT = dict(order="free", tail="keep")
AXES = {}
EXPECT = {"SC402"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
