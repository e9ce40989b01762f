"""Sessions in this process forget what they import, and torch can be imported once: it is, before them."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.pytesting import items
from samplercheck.search import large


def strided(length, rank, world_size):
    return [index % length for index in range(rank, -(-length // world_size) * world_size, world_size)]


@pytest.fixture(scope="session", autouse=True)
def loaded():
    """Import whatever a run in simulated ranks imports."""
    assert callable(items.parametrize)
    assert callable(items.add_configured)
    assert callable(large.draw_large_cases)
    assert sc.run(strided, profile="quick", worlds=["simulated"], select=["SC104"]).ok
