"""Groups of each identity are popped from lists that only the constructor fills.

Cause: the copy of the lists that __iter__ used to make was moved to __init__, to save time.
Hides at: the first epoch, and every law that counts samples, as any may come again or not at all.
"""

from collections import defaultdict

from tests.zoo._sound import permutation

SLUG = "identities_popped_once"
SOURCE = "well-known: P x K identity samplers of person re-identification without their deepcopy"
STORY = "The first epoch trains, all others are over at once, and the learning rate decays through them."
EACH = 2


class Identities:
    """Each identity in turn as two of its samples, which may be one and the same; identities are shuffled."""

    def __init__(self, labels, seed):
        self.groups, self.seed, self.passes = defaultdict(list), seed, 0
        for sample, label in enumerate(labels):
            self.groups[label].append(sample)

    def waiting(self):
        return {label: [*members] for label, members in self.groups.items()}

    def __iter__(self):
        number, self.passes = self.passes, self.passes + 1
        waiting = self.waiting()
        labels = sorted(waiting)
        for place in permutation(len(labels), self.seed, number):
            members = waiting[labels[place]]
            while members:
                first = members.pop()
                yield from (first, members[-1] if members else first)


class PoppedOnce(Identities):
    def waiting(self):
        return self.groups   # BUG: no copy


def bug(labels, seed):
    return PoppedOnce(labels, seed)


def sound(labels, seed):
    return Identities(labels, seed)


CONTRACT = dict(
    sharding="none", coverage="sampled", frequencies="unjudged", epochs="advance", order="shuffled"
)
AXES = {}
EXPECT = {"SC501"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1, epochs=48)
