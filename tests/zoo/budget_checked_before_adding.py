"""The budget is checked before a sample is added, not with it.

Cause: a batch is closed once it is over the budget, and not before.
Hides at: samples that add up to the budget exactly.
"""
from samplercheck.values.batch_rules import budget as within
from tests.zoo.oversized_sample_vanishes import Budget

SLUG = "budget_checked_before_adding"
SOURCE = "our own; batching by token budget"
STORY = "A batch has up to one sample more than fits, and now and then a step runs out of memory."


class Late(Budget):
    def batches(self):
        found, used = [], self.budget
        for i in self.ids():
            if used >= self.budget:                   # BUG: the sample's own length is not counted
                found.append([])
                used = 0
            found[-1].append(i)
            used += self.lengths[i]
        return found


def bug(lengths, budget):
    return Late(lengths, budget)


def sound(lengths, budget):
    return Budget(lengths, budget)


CONTRACT = dict(
    sharding="none", batches="variable", order="sequential", epochs="fixed", batch_rule=within("lengths", "budget")
)
AXES = {"budget": [3, 6]}
EXPECT = {"SC604"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, budget=3)
