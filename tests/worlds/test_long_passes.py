"""Long passes in simulation and in real groups: the same fingerprints, and the same names."""

from __future__ import annotations

from typing import Any

import pytest

import samplercheck as sc
from samplercheck import Case
from samplercheck.experiments import CALL, SKETCHED, STREAMED
from samplercheck.worlds import open_world
from samplercheck.worlds._long_passes import trace_case
from tests.support.job_targets import loses

CASE = Case(length=1_300_000, world_size=2, epochs=1)
CONTRACT = sc.Contract(tail="keep", order="free")
WORLDS = ["simulated", pytest.param("gloo", marks=pytest.mark.gloo)]


def sound(length, rank, world_size):
    return range(rank, length, world_size)


def binding_of(factory):
    return sc.target(factory, contract=CONTRACT).bind()


@pytest.mark.parametrize("name", WORLDS)
def test_what_differs_is_named_in_every_world(name):
    settings = {} if name == "simulated" else {"max_ranks": 2}
    with open_world(name, **settings) as world:
        trace = world.trace(binding_of(loses), CASE, (STREAMED,))
    assert trace.is_whole
    assert trace.world == name
    (epoch,) = trace.streams
    assert epoch.differences == {7: 1, 1_234_567: -1}
    assert epoch.samples == [650_000, 650_000]


@pytest.mark.gloo
def test_fingerprints_are_the_same_in_real_ranks():
    with open_world("simulated") as world:
        one = world.trace(binding_of(sound), CASE, (STREAMED,))
    with open_world("gloo", max_ranks=2) as world:
        other = world.trace(binding_of(sound), CASE, (STREAMED,))
    found = [[stream.left for stream in trace.streams[0].passes] for trace in (one, other)]
    assert found[0] == found[1]
    assert one.streams[0].is_covered


def test_the_tables_of_simulated_ranks_are_kept_as_one():
    with open_world("simulated") as world:
        trace = world.trace(binding_of(loses), CASE.but(world_size=64), (STREAMED,))
    tables = [record.streams[0].sketch for record in trace.of(SKETCHED)]
    assert tables[0] is not None
    assert tables[1:] == [None] * 63


def test_passes_are_taken_twice_only_where_something_differs():
    asked = []

    def carry(binding, case, experiments, kind):
        asked.append(tuple(experiments))
        return opened._trace(binding, case, experiments, kind)

    opened: Any = open_world("simulated")
    with opened:
        for factory in (sound, loses):
            trace_case(carry, binding_of(factory), CASE, (STREAMED,), "")
    assert asked == [(STREAMED,), (STREAMED,), (SKETCHED,)]


def test_a_function_of_a_users_own_test_is_called_whatever_the_length():
    asked = []

    def carry(binding, case, experiments, kind):
        asked.append(tuple(experiments))

    trace_case(carry, binding_of(sound), CASE.but(length=10**9), (CALL,), "")
    assert asked == [(CALL,)]
