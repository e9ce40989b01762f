"""The factory takes the epoch, and does not pass it on to the sampler that it makes.

Cause: an argument that came when the factory was split off, and reaches one of two callers.
Hides at: any single epoch, and training of one epoch.
"""
from tests.zoo._sound import Strided

SLUG = "epoch_taken_and_left"
SOURCE = "facebookresearch/ClassyVision#118"
STORY = "Every epoch has the order of the first, though each time a new loader is built for it."


class Plain:
    """The samples of one epoch: built again for the next one."""

    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __iter__(self):
        return iter(self.samples)


def bug(length, rank, world_size, seed, epoch):
    return Plain(Strided(length, rank, world_size, shuffle=True, seed=seed))    # BUG: epoch ends here


def sound(length, rank, world_size, seed, epoch):
    samples = Strided(length, rank, world_size, shuffle=True, seed=seed)
    samples.set_epoch(epoch)
    return Plain(samples)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC301"}
ALSO = {"SC305"}
SMALLEST = dict(length=5, world_size=1)
