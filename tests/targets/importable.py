"""Factories that can be imported, for the tests of parcels."""

from __future__ import annotations


def share(rank, world_size, length):
    return range(rank, length, world_size)


def shifted(start, rank, world_size, length):
    return [start + item for item in share(rank, world_size, length)]


class Share:
    """A class, and, with a start of its own, an instance with a bound method."""

    def __init__(self, rank=0, world_size=1, length=0, start=0):
        self.start = start
        self.items = share(rank, world_size, length)

    def __iter__(self):
        return iter(self.items)

    def build(self, rank, world_size, length):
        return shifted(self.start, rank, world_size, length)
