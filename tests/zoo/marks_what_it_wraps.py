"""A wrapper writes its own settings on the sampler that it wraps.

Cause: "so that the trainer finds them", the rank is set on the inner sampler.
Hides at: an inner sampler that nobody else uses.
"""
from tests.zoo._dealing import Dealing

SLUG = "marks_what_it_wraps"
SOURCE = "our own; trainers that re-create or patch the user's sampler"
STORY = "The user's own sampler, used again for validation, believes that it is sharded."


class Marks(Dealing):
    def __init__(self, inner, rank, world_size):
        super().__init__(inner, rank, world_size)
        inner.rank = rank                             # BUG: it belongs to somebody else


def bug(sampler, rank, world_size):
    return Marks(sampler, rank, world_size)


def sound(sampler, rank, world_size):
    return Dealing(sampler, rank, world_size)


CONTRACT = dict(tail="keep", layout="strided")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
