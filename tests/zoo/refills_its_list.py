"""One list is filled again for every batch.

Cause: batch.clear() saves an allocation, and a reader of each batch at once sees nothing of it.
Hides at: loaders without workers, and whatever copies a batch before it asks for the next one.
"""
from tests.zoo._sound import Batches

SLUG = "refills_its_list"
SOURCE = "our own; index lists travel to workers by a queue that pickles them later"
STORY = "With num_workers=2 some batches come twice and others never; with num_workers=0 all is well."


class Filled(Batches):
    def refill(self, batch):
        return []

    def __iter__(self):
        batch = []
        for part in self.share():
            batch = self.refill(batch)
            batch += part
            yield batch


class Refilled(Filled):
    def refill(self, batch):
        batch.clear()                                 # BUG: it has been handed out
        return batch


def bug(length, batch_size, rank, world_size, shuffle, seed):
    return Refilled(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return Filled(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, batch_size=1, num_workers=1, shuffle=True, seed=0)
