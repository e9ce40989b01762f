"""What counts consumed samples divides them by the dataset's length, though each epoch drops its last ones.

Cause: consumed samples are those that were taken, and the epoch is worked out as if all were.
Hides at: lengths that fill whole rounds of batches, and in the first epoch of each job.
"""
from tests.zoo._sound import permutation

SLUG = "counted_in_whole_datasets"
SOURCE = "well-known: samplers for pre-training that are built with consumed_samples"
STORY = "The second epoch is empty: it begins where the first one has ended, in the part that is dropped."


class Counted:
    """Goes on where so many samples of all ranks were consumed; a pass ends with the epoch."""

    def __init__(self, dataset, batch_size, rank, world_size, seed, consumed, laps_of):
        self.length, self.batch_size, self.rank, self.seed = len(dataset), batch_size, rank, seed
        self.round = batch_size * world_size
        self.taken = self.length // self.round * self.round
        self.consumed, self.lap = consumed, self.length if laps_of == "dataset" else self.taken

    def __iter__(self):
        if not self.taken:
            return
        epoch, place = divmod(self.consumed, self.lap)
        order = permutation(self.length, self.seed, epoch)
        for start in range(place // self.round * self.round, self.taken, self.round):
            self.consumed += self.round
            first = start + self.rank * self.batch_size
            yield order[first : first + self.batch_size]


def bug(dataset, batch_size, rank, world_size, seed, consumed):
    return Counted(dataset, batch_size, rank, world_size, seed, consumed, "dataset")   # BUG: some are dropped


def sound(dataset, batch_size, rank, world_size, seed, consumed):
    return Counted(dataset, batch_size, rank, world_size, seed, consumed, "epoch")


CONTRACT = dict(
    resume="consumed", epochs="advance", after_break="rest", order="shuffled", tail="drop", tail_unit="batch"
)
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=3, world_size=1, batch_size=2)
