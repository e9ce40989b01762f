"""The state counts optimizer steps of two batches each: a batch behind the last whole step comes again.

Cause: checkpoints are written at optimizer steps, so that nobody saves between two of their batches.
Hides at: stops after an even number of batches.
"""

from tests.zoo._resumable import Resumable

SLUG = "micro_batches_of_a_step_forgotten"
SOURCE = "well-known: resuming by global_step * accumulation, where the loop has gone on"
STORY = "Gradients of a batch that was counted are taken twice, on every rank, once for each restart."
STEP = 2


class Accumulating(Resumable):
    def __init__(self, length, rank, world_size, batch_size, seed):
        super().__init__(length, rank, world_size, shuffle=True, drop_last=True, seed=seed)
        self.batch_size = batch_size

    def left(self, start):
        """Whole batches of this rank from a number of batches on."""
        order, size = self.order(), self.batch_size * self.world_size
        rounds = [order[at : at + size] for at in range(0, len(order) // size * size, size)]
        return [one[self.rank :: self.world_size] for one in rounds[start:]]

    def run(self, mine, start):
        for number, batch in enumerate(mine, 1):
            self.done = start + number
            yield batch

    def __len__(self):
        return self.length // (self.batch_size * self.world_size)


class ByStep(Accumulating):
    def state_dict(self):
        return {"epoch": self.epoch, "done": self.done // STEP * STEP}  # BUG: whole steps alone


def bug(length, rank, world_size, batch_size, seed):
    return ByStep(length, rank, world_size, batch_size, seed)


def sound(length, rank, world_size, batch_size, seed):
    return Accumulating(length, rank, world_size, batch_size, seed)


CONTRACT = dict(order="shuffled", tail="drop", tail_unit="batch")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703"}
SMALLEST = dict(length=1, world_size=1)
