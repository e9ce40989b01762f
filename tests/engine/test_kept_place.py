"""Targets that ask for their place once in a process: sound in training, beyond what a run here can tell."""

from __future__ import annotations

import random
import threading
from functools import cache, partial

import pytest
import torch.distributed as dist

import samplercheck as sc
from samplercheck.engine import as_carried_out, carry_out
from samplercheck.engine._kept_place import InTurn, refuse_kept_place, take_in_turn
from samplercheck.engine.plan import Plan
from samplercheck.errors import TargetError
from samplercheck.worlds.processes.lifetime import copies_are_safe
from samplercheck.worlds.processes.spare import SpareProcess
from tests.engine.test_own_cases import ran
from tests.zoo._sound import evened


@cache
def place():
    return dist.get_rank(), dist.get_world_size()


class Asks:
    """Asks for its place whenever it is built."""

    def __init__(self, length):
        self.length, (self.rank, self.world_size) = length, self.place()

    def place(self):
        return dist.get_rank(), dist.get_world_size()

    def __iter__(self):
        return iter(evened(list(range(self.length)), self.world_size)[self.rank :: self.world_size])


class AsksOnce(Asks):
    kept = None

    def place(self):
        if AsksOnce.kept is None:
            AsksOnce.kept = super().place()
        return AsksOnce.kept


class AsksByCache(Asks):
    def place(self):
        return place()


class NeverAsks(Asks):
    """A fault, and none of keeping: in any process every rank takes itself for the first."""

    def place(self):
        return 0, 1


class ToldOrAsks(Asks):
    def __init__(self, length, rank=None, world_size=None):
        super().__init__(length)
        self.rank = self.rank if rank is None else rank
        self.world_size = self.world_size if world_size is None else world_size

    place = AsksByCache.place


def forget():
    AsksOnce.kept = None
    place.cache_clear()


def refused(target, **fields):
    binding = sc.target(target, contract=sc.Contract(**fields)).bind()
    forget()
    refuse_kept_place(binding, (), lambda asked: (forget(), take_in_turn(binding, asked))[1])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("target", "what"),
    [(AsksOnce, "the class attribute AsksOnce.kept"), (AsksByCache, r"the cache of place\(\)")],
)
def test_what_keeps_the_first_place_of_its_process_is_refused(target, what):
    with pytest.raises(TargetError, match=f"once in a process and keeps the answer .*{what}"):
        refused(target)


@pytest.mark.thorough
def test_what_asks_each_time_or_never_is_not():
    refused(Asks)
    refused(NeverAsks)


def test_what_is_told_its_place_or_shares_nothing_is_not_asked():
    refused(ToldOrAsks)
    refused(AsksOnce, sharding="none")


@pytest.mark.thorough
def test_a_run_refuses_it_in_this_process_too_and_a_function_that_forgets_helps():
    def build(length):
        forget()
        return AsksOnce(length)

    forget()
    if threading.active_count() == 1:
        with pytest.raises(TargetError, match="keeps the answer"):
            ran(AsksOnce, select=["SC102"])
    report, _, _ = ran(build, select=["SC102", "SC103"], contract=None)
    assert report.outcome is sc.Outcome.HOLDS


@pytest.mark.thorough
def test_of_ranks_that_are_run_in_turn_the_later_may_be_told_by_the_earlier():
    binding = sc.target(AsksOnce).bind()
    case = sc.Case(length=4, world_size=2, epochs=1)
    forget()
    (last, first), kept = take_in_turn(binding, InTurn(case=case, ranks=(1, 0)))
    assert (last == first, kept) == (True, ("the class attribute AsksOnce.kept",))
    forget()
    (alone,), _ = take_in_turn(binding, InTurn(case=case, ranks=(0,)))
    assert alone != last


@pytest.mark.skipif(not copies_are_safe(), reason="processes are not copied here")
@pytest.mark.parametrize("asks", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_whether_a_place_is_found_is_left_open_where_it_is_kept(asks):
    """Where no copy can be asked nothing is known of it."""
    forget()
    plan = Plan(target=ToldOrAsks, profile="quick", select=["SC903"], worlds=("simulated",))
    with SpareProcess(as_carried_out(plan, carry_out)) as spare:
        (result,) = carry_out(plan, ask=spare.ask if asks else None).results
    assert result.outcome is (sc.Outcome.NOT_APPLICABLE if asks else sc.Outcome.BROKEN)
    if asks:
        assert "it asks once in a process" in result.reason


class ShuffledByItsPlace(ToldOrAsks):
    """Sound: told its rank, or it asks once in a process."""

    def __init__(self, length, seed, rank=None, world_size=None):
        super().__init__(length, rank, world_size)
        self.seed = seed

    def __iter__(self):
        order = random.Random(self.seed).sample(range(self.length), self.length)
        return iter(evened(order, self.world_size)[self.rank :: self.world_size])


@pytest.mark.thorough
@pytest.mark.skipif(not copies_are_safe(), reason="processes are not copied here")
def test_real_groups_alone_say_whether_a_kept_place_is_found():
    found = partial(sc.run, ShuffledByItsPlace, contract=sc.Contract(order="shuffled", epochs="fixed"))
    only = {"profile": "standard", "select": ["SC901", "SC903"], "isolate": True}
    asked = found(**only, worlds=["simulated", "gloo"])
    assert {one.code: one.outcome.value for one in asked.results} == {"SC901": "holds", "SC903": "holds"}
    alone = found(**only, worlds=["simulated"])
    assert "not_applicable" in {one.outcome.value for one in alone.results if one.code == "SC903"}
    assert any("SC903" in line for line in alone.not_tried)
