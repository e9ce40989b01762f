"""All worlds record the same of a case: the simulation stands for real groups because it agrees with them.

A new world is one more name in ``REAL`` and inherits the suite.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

import samplercheck as sc
from samplercheck.experiments import EXPERIMENTS
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.worlds import open_world
from tests.sound.samplers import SOUND
from tests.support.tiers import thin_out
from tests.zoo.cases import NEVER_TWICE, zoo

REAL = [
    pytest.param("gloo", marks=pytest.mark.gloo),
    pytest.param("nccl", marks=pytest.mark.nccl),
]
WIDEST = 3
CASES = [1, pytest.param(3, marks=pytest.mark.slow)]
FEWER = "asks less where all ranks must act alike, as they must in a real group"
ELSEWHERE = {
    "in_step": "needs a real group",
    "elastic": "changes the size of the world, in simulation",
    "foreign": "changes the size of the world, in simulation",
    "resumed": FEWER,
    "resumed_again": FEWER,
    "saved": FEWER,
}
HANGS = {"token_budget_infinite_loop"}


def zoo_targets(part: str) -> list[Any]:
    return [
        pytest.param(getattr(one, part), one.CONTRACT, one.AXES, id=f"{one.SLUG}-{part}")
        for one in zoo()
        if one.SLUG not in NEVER_TWICE | HANGS
    ]


TARGETS = [pytest.param(factory, promise, axes, id=name) for name, factory, promise, axes in SOUND]


@pytest.fixture(scope="module", params=REAL)
def real(request):
    with open_world(request.param) as world:
        if world.unavailable:
            pytest.skip(world.unavailable)
        yield world


@pytest.fixture(scope="module")
def simulated():
    with open_world("simulated") as world:
        yield world


def some_cases(binding, axes, widest, number):
    """So many cases from all over the small scope."""
    scope = scope_of(binding, find_profile("quick"), combinations(axes, 0))
    fitting = [case for case in scope.cases() if case.world_size <= widest and case.length]
    return list(islice(fitting, len(fitting) // number // 2, None, max(1, len(fitting) // number)))[:number]


def told(trace, without=frozenset()):
    """Everything that a trace says of what the target did; simulation counts a collective's own messages."""
    if not trace.is_whole:
        faults = [(fault.rank, fault.kind, fault.phase, fault.error) for fault in trace.faults]
        return faults or trace.deadlock or trace.not_carried
    return {
        (name, rank): (
            [
                (one.epoch, list(one.items), one.sizes and list(one.sizes), one.ending, one.strange)
                for one in record.passes
            ],
            record.lengths,
            {
                **{note: value for note, value in record.notes.items() if note not in without},
                "collectives": bool(record.notes.get("collectives")),
            },
        )
        for name, records in trace.records.items()
        for rank, record in enumerate(records)
    }


def unknown_in(trace):
    """What a process cannot say of its first case: who drew while the target imported a module there."""
    is_known = all("moved" in record.notes for record in trace.records.get("epochs", ()))
    return frozenset() if is_known else frozenset({"moved"})


@pytest.mark.parametrize(("factory", "promise", "axes"), thin_out(TARGETS + zoo_targets("bug")))
@pytest.mark.parametrize("number", CASES)
def test_a_real_group_records_what_the_simulation_records(factory, promise, axes, number, real, simulated):
    binding = sc.target(factory, name="target", contract=sc.Contract(**promise), axes=axes).bind()
    names = tuple(name for name in EXPERIMENTS if name not in ELSEWHERE)
    cases = some_cases(binding, axes, min(WIDEST, real.most_ranks), number)
    if not cases and real.most_ranks < WIDEST:
        pytest.skip(f"no case of this target has {real.most_ranks} ranks")
    assert cases
    for case in cases:
        found = real.trace(binding, case, names)
        expected = simulated.trace(binding, case, names, spare="none")
        without = unknown_in(found) | unknown_in(expected)
        assert told(found, without) == told(expected, without), case.token
