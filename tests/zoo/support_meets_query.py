"""An episode draws support and query of each class one after the other, and not from what is left.

Cause: two draws from the same list.
Hides at: classes of which one draw leaves a single sample, and all frequencies.
"""
import random

SLUG = "support_meets_query"
SOURCE = "the class of episode samplers for few-shot learning; written for this project"
STORY = "Accuracy was high where classes were small: the query had been in the support."


class Episodes:
    """Two classes an episode, of each a sample to learn from and two to be asked."""

    def __init__(self, labels, seed):
        kinds = {one: [i for i, label in enumerate(labels) if label == one] for one in sorted(set(labels))}
        self.kinds = [kind for kind in kinds.values() if len(kind) >= 3]
        self.length, self.seed, self.epoch = len(labels), seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.length // 3 if len(self.kinds) > 1 else 0

    def __iter__(self):
        rng = random.Random(f"{self.seed} {self.epoch}")
        for _ in range(len(self)):
            yield [sample for kind in rng.sample(self.kinds, 2) for sample in self.draw(rng, kind)]

    def draw(self, rng, kind):
        return rng.sample(kind, 1 + 2)


class DrawsTwice(Episodes):
    def draw(self, rng, kind):
        return rng.sample(kind, 1) + rng.sample(kind, 2)              # BUG: the second may take the first


def bug(labels, seed):
    return DrawsTwice(labels, seed)


def sound(labels, seed):
    return Episodes(labels, seed)


CONTRACT = dict(
    sharding="none", coverage="sampled", frequencies="unjudged", epochs="set_epoch", batch_rule="distinct()"
)
AXES = {}
EXPECT = {"SC604"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, batch_size=6)
