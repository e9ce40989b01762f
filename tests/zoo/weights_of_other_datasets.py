"""Datasets are sorted by their size before they are mixed, and their weights stay where they were.

Cause: two lists that belong together are sorted, or dealt out, one without the other.
Hides at: one dataset; datasets that are in that order already; weights that are alike.
"""
import random

from tests.zoo._sound import Strided

SLUG = "weights_of_other_datasets"
SOURCE = "blends of corpora in pretraining: weights come from one configuration file, paths from another"
STORY = "Of two corpora the small one is drawn as often as the large one should be, and soon known by heart."


class Mixed(Strided):
    """Draws a dataset by weight, and then any of its samples; ``ordered`` is how the datasets are sorted."""

    def __init__(self, datasets, weights, rank, world_size, ordered):
        super().__init__(sum(map(len, datasets)), rank, world_size)
        firsts = [sum(map(len, datasets[:at])) for at in range(len(datasets))]
        parts = [range(first, first + len(one)) for first, one in zip(firsts, datasets, strict=True)]
        self.weighted = [*zip(sorted(parts, key=len) if ordered else parts, weights, strict=True)]  # BUG

    def share(self):
        draw = random.Random(self.epoch)
        filled = {part: weight for part, weight in self.weighted if part}
        parts = draw.choices([*filled], [*filled.values()], k=len(self) * self.world_size) if filled else []
        return [draw.choice(part) for part in parts][self.rank :: self.world_size]


def bug(datasets, weights, rank, world_size):
    return Mixed(datasets, weights, rank, world_size, ordered=True)


def sound(datasets, weights, rank, world_size):
    return Mixed(datasets, weights, rank, world_size, ordered=False)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=2)
