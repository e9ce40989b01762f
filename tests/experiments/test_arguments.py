"""Arguments that are left out: what reckons with its place needs it, whatever the default of that is."""

from __future__ import annotations

import math

import samplercheck as sc
from samplercheck.worlds import open_world


class Reckons:
    """Has None for a default, as torch's samplers do, and never asks the group what it stands for."""

    def __init__(self, length, rank=None, world_size=None):
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self):
        each = math.ceil(self.length / self.world_size)
        return iter([place % self.length for place in range(self.rank * each, (self.rank + 1) * each)])


class ReckonsLater(Reckons):
    """The same, but behind its first sample."""

    def __iter__(self):
        if self.length:
            yield self.rank or 0
        yield from [*super().__iter__()][1:]


class RaisesOtherwise(Reckons):
    """What it raises is about something else."""

    def __iter__(self):
        if self.world_size is None:
            raise KeyError("place")
        return super().__iter__()


def faults(factory):
    binding = sc.target(factory).bind()
    with open_world("simulated") as world:
        trace = world.trace(binding, sc.Case(length=4, world_size=2), ("epochs", "unplaced"))
    return {fault.error for fault in trace.faults}


def test_who_reckons_with_none_needs_its_place_and_breaks_nothing():
    assert faults(Reckons) == set()


def test_what_is_raised_behind_a_sample_or_otherwise_is_a_fault():
    assert faults(ReckonsLater) == {"TypeError"}
    assert faults(RaisesOtherwise) == {"KeyError"}
