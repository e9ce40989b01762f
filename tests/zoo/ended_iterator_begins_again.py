"""An iterator that has said it is over begins the epoch again when it is asked once more.

Cause: the place is set back where StopIteration is raised, and nothing else says that the pass is over.
Hides at: for loops, and DataLoaders without workers, which stop asking.
"""
from tests.zoo._sound import Strided, check

SLUG = "ended_iterator_begins_again"
SOURCE = "our own; hand-written iterators that keep their place on the sampler so that it can be saved"
STORY = "With workers the first batches of each epoch come twice, as many as were being fetched ahead."


class Walk:
    def __init__(self, sampler):
        self.sampler, self.is_over = sampler, False

    def __iter__(self):
        return self

    def end(self):
        self.is_over = True

    def __next__(self):
        sampler, mine = self.sampler, self.sampler.share()
        if self.is_over or sampler.place >= len(mine):
            if not self.is_over:
                sampler.place = 0
            self.end()
            raise StopIteration
        sampler.place += 1
        return mine[sampler.place - 1]


class BeginsAgain(Walk):
    def end(self):
        pass                                                        # BUG: nothing says that it is over


class Walked(Strided):
    walk = Walk

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        super().__init__(length, rank, world_size)
        self.place = 0

    def __iter__(self):
        return self.walk(self)

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


class WalkedAgain(Walked):
    walk = BeginsAgain


def bug(length, rank, world_size):
    return WalkedAgain(length, rank, world_size)


def sound(length, rank, world_size):
    return Walked(length, rank, world_size)


CONTRACT = dict(order="sequential", epochs="fixed", resume="state_dict", after_break="rest")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=1, stop=1)
