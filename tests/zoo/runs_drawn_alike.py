"""Chunks of one class are drawn by drawing a stretch of it first, however many chunks that holds.

Cause: all stretches of a class are equally likely, and so the chunks of a long one seldom come.
Hides at: stretches of one length, and a class that lies in one piece.
"""

import itertools
import random

SLUG = "runs_drawn_alike"
SOURCE = "annbatch#273: ClassSampler"
STORY = "Cells of a class that lie in one long stretch are seen ten times less often than its stragglers."


class Chunks:
    """Pairs of neighbours of one class, with replacement: classes alike, and in a class all pairs alike."""

    def __init__(self, labels, seed):
        self.number, self.seed, self.epoch, self.runs = len(labels) // 2, seed, 0, {}
        starts = [place for place, label in enumerate(labels) if not place or labels[place - 1] != label]
        for start, end in itertools.pairwise([*starts, len(labels)]):
            if end - start > 1:
                self.runs.setdefault(labels[start], []).append(range(start, end - 1))

    def set_epoch(self, epoch):
        self.epoch = epoch

    def choose(self, draw, runs):
        return draw.choice([start for run in runs for start in run])

    def __iter__(self):
        draw = random.Random(f"{self.seed}/{self.epoch}")
        for _ in range(self.number if self.runs else 0):
            start = self.choose(draw, self.runs[draw.choice(sorted(self.runs))])
            yield from (start, start + 1)


class ByRuns(Chunks):
    def choose(self, draw, runs):
        return draw.choice(draw.choice(runs))  # BUG: however long the run is


def frequencies(length, features):
    labels = features.labels
    starts = [i for i in range(length - 1) if labels[i] == labels[i + 1]]
    shares = [0.0] * length
    for start in starts:
        alike = sum(labels[other] == labels[start] for other in starts)
        shares[start] += 1 / alike
        shares[start + 1] += 1 / alike
    return shares


def bug(labels, seed):
    return ByRuns(labels, seed)


def sound(labels, seed):
    return Chunks(labels, seed)


CONTRACT = dict(
    sharding="none", coverage="sampled", frequencies=frequencies, order="shuffled", shuffles="chunks"
)
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1)
