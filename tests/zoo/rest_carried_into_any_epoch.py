"""What fills no batch is kept for the next pass, so that nothing is dropped; whichever epoch that pass is.

Cause: the rest is kept on the object when a pass ends, and not made from the epochs before.
Hides at: lengths that divide, and first passes.
"""
from tests.zoo._sound import Strided

SLUG = "rest_carried_into_any_epoch"
SOURCE = "own: loaders that carry the samples of a last, short batch over to the next epoch"
STORY = "An epoch that is begun again, or resumed, has other batches; some samples come twice in it."


class Carrying(Strided):
    def __init__(self, length, rank, world_size, batch_size, seed):
        super().__init__(length, rank, world_size, shuffle=True, drop_last=True, seed=seed)
        self.batch_size, self.rest = batch_size, []

    def __iter__(self):
        order, size = self.before() + self.order(), self.batch_size * self.world_size
        whole = len(order) // size * size
        self.rest = order[whole:]
        for start in range(0, whole, size):
            yield order[start : start + size][self.rank :: self.world_size]

    def before(self):
        return self.rest                                              # BUG: of whatever pass was last

    def __len__(self):
        raise TypeError("not known before the pass")


class Dropping(Carrying):
    def before(self):
        return []


def bug(length, rank, world_size, batch_size, seed):
    return Carrying(length, rank, world_size, batch_size, seed)


def sound(length, rank, world_size, batch_size, seed):
    return Dropping(length, rank, world_size, batch_size, seed)


CONTRACT = dict(order="shuffled", tail="drop", tail_unit="batch")
AXES = {}
EXPECT = {"SC304", "SC501"}
ALSO = {"SC102", "SC103", "SC104", "SC105", "SC106", "SC502", "SC503", "SC1002"}
SMALLEST = dict(length=1, world_size=1, batch_size=2)
