"""The rest of a resumed epoch is given by another object, which alone hears that the epoch is over.

Cause: what counts epochs is a copy, made to skip what was taken; the sampler itself stays at its number.
Hides at: runs that never restart, samplers that are told their epochs.
"""

from tests.zoo._sound import permutation

SLUG = "resumed_epoch_comes_twice"
SOURCE = "accelerate#4233: skip_first_batches"
STORY = "After each restart the rest of the epoch comes, and then the whole epoch again."


class Counting:
    """Every sample once in each pass; whole passes are counted, and one that is broken off comes again."""

    def __init__(self, length, seed):
        self.length, self.seed, self.epoch, self.taken, self.skip = length, seed, 0, 0, 0

    def __len__(self):
        return self.length

    def counts_in(self):
        return self

    def __iter__(self):
        counter = self.counts_in() if self.skip else self
        self.taken, self.skip = self.skip, 0
        for index in permutation(self.length, self.seed, self.epoch)[self.taken :]:
            self.taken += 1
            yield index
        self.taken, counter.epoch = 0, self.epoch + 1

    def state_dict(self):
        epoch, taken = self.epoch, self.taken or self.skip
        return {"epoch": epoch + 1, "taken": 0} if taken == self.length else {"epoch": epoch, "taken": taken}

    def load_state_dict(self, state):
        self.epoch, self.skip, self.taken = state["epoch"], state["taken"], 0


class CountingElsewhere(Counting):
    def counts_in(self):
        return Counting(self.length, self.seed)  # BUG: nobody asks it afterwards


def bug(length, seed):
    return CountingElsewhere(length, seed)


def sound(length, seed):
    return Counting(length, seed)


CONTRACT = dict(
    sharding="none",
    order="shuffled",
    epochs="advance",
    after_break="again",
    at_end="next",
    ambient_rng="shared",
)
AXES = {}
EXPECT = {"SC702"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
