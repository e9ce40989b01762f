"""The place in the data is the rank modulo the number of places.

Cause: rank % places, where model-parallel ranks are neighbours and rank // replicas is meant.
Hides at: no model parallelism; grids in which data-parallel ranks are neighbours.
"""
from tests.zoo._sound import Strided, check

SLUG = "replicas_dealt_in_turn"
SOURCE = "well-known: tensor-parallel ranks are consecutive, as in Megatron's default order of its grid"
STORY = "The two halves of one model compute on different batches, and the loss is noise."


def bug(length, rank, world_size, replicas):
    check(rank, world_size)
    places = world_size // replicas
    return Strided(length, rank % places, places)     # BUG: neighbours get different places


def sound(length, rank, world_size, replicas):
    check(rank, world_size)
    return Strided(length, rank // replicas, world_size // replicas)


CONTRACT = dict(replicas=2)
AXES = {}
EXPECT = {"SC404"}
ALSO = {"SC102", "SC103", "SC104", "SC302", "SC401"}
SMALLEST = dict(length=2, world_size=4)
