"""An order that is promised to stay is drawn from the process's generator in every pass.

Cause: the permutation moved from __init__ to __iter__.
Hides at: one epoch; one sample; every pass by itself is complete.
"""
import torch

from tests.zoo._sound import Strided

SLUG = "draws_a_fixed_order_anew"
SOURCE = "our own; the class of fixed orders that a script's seed makes"
STORY = "A validation subset that should be shown in one order forever is shown in another one each time."


class OneOrder(Strided):
    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.drawn = torch.randperm(length).tolist()

    def order(self):
        return self.drawn


class NewOrders(OneOrder):
    def order(self):
        return torch.randperm(self.length).tolist()   # BUG: a new order forevery pass


def bug(length, rank, world_size):
    return NewOrders(length, rank, world_size)


def sound(length, rank, world_size):
    return OneOrder(length, rank, world_size)


CONTRACT = dict(order="shuffled", epochs="fixed", ambient_rng="shared")
AXES = {}
EXPECT = {"SC501"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2)
