"""A loader's state is the position of its sampler.

Cause: the sampler counts the indices that it hands out, and workers ask for them ahead of time.
Hides at: num_workers=0.
"""
from torch.utils.data import DataLoader, SequentialSampler

SLUG = "counts_what_the_sampler_drew"
SOURCE = "our own; the plain case of state_ahead_by_prefetch"
STORY = "A resumed run skips what workers had ready and nobody had trained on."


class Rest(SequentialSampler):
    """What is left behind the first samples, once; then everything."""

    start = drawn = 0

    def __iter__(self):
        self.drawn, self.start = self.start, 0
        for place in range(self.drawn, len(self.data_source)):
            self.drawn += 1
            yield place


class Delivered(DataLoader):
    """Its state is the number of samples that were taken from it."""

    done = 0

    def __iter__(self):
        self.done = self.sampler.start
        for sample in super().__iter__():
            self.done += 1
            yield sample

    def state_dict(self):
        return {"done": self.done}

    def load_state_dict(self, state):
        self.sampler.start = self.sampler.drawn = self.done = state["done"]


class Drawn(Delivered):
    def state_dict(self):
        return {"done": self.sampler.drawn}           # BUG: drawn is not delivered


def bug(dataset, num_workers):
    return Drawn(dataset, batch_size=None, sampler=Rest(dataset), num_workers=num_workers)


def sound(dataset, num_workers):
    return Delivered(dataset, batch_size=None, sampler=Rest(dataset), num_workers=num_workers)


CONTRACT = dict(sharding="none", order="sequential", epochs="fixed", resume="state_dict")
AXES = {}
EXPECT = {"SC804"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, num_workers=1, stop=1)
