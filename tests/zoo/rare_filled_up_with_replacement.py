"""Small classes are filled up by draws with replacement alone, where their samples should all come first.

Cause: as many are drawn as the largest class has, and not as many as are lacking.
Hides at: classes of one size.
"""
import random

SLUG = "rare_filled_up_with_replacement"
SOURCE = "well-known: samplers that balance classes by repeating samples of the small ones"
STORY = "In each epoch a part of the rare samples is left out, of which there are few anyhow."


class Balanced:
    """Every class as often as the largest."""

    def __init__(self, labels, seed):
        self.classes, self.seed, self.epoch = {}, seed, 0
        for index, label in enumerate(labels):
            self.classes.setdefault(label, []).append(index)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def filled(self, members, most, draw):
        return members + draw.choices(members, k=most - len(members))

    def __iter__(self):
        draw, order = random.Random(self.seed * 1_000_003 + self.epoch), []
        most = max(map(len, self.classes.values()), default=0)
        for members in self.classes.values():
            order += members if len(members) == most else self.filled(members, most, draw)
        draw.shuffle(order)
        return iter(order)


class Drawn(Balanced):
    def filled(self, members, most, draw):
        return draw.choices(members, k=most)                  # BUG: nothing makes each of them come


def bug(labels, seed):
    return Drawn(labels, seed)


def sound(labels, seed):
    return Balanced(labels, seed)


CONTRACT = dict(sharding="none", coverage="sampled", frequencies="at_least_once", order="shuffled")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=10, world_size=1)
