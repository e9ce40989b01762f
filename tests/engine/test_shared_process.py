"""What ranks hand on through the process that they share here, and never in training, is no fault."""

from __future__ import annotations

from random import Random

import pytest

import samplercheck as sc
from samplercheck.engine import as_carried_out, carry_out
from samplercheck.engine.plan import Plan
from samplercheck.worlds.processes.lifetime import copies_are_safe
from samplercheck.worlds.processes.spare import SpareProcess
from tests.zoo._sound import evened

pytestmark = pytest.mark.skipif(not copies_are_safe(), reason="processes are not copied here")
PROMISE = sc.Contract(epochs="advance", order="shuffled")
MOST_KEPT = 64
GENERATORS = {"of the process": Random(7)}


class OfTheProcess:
    """Each pass draws the next order from one generator, which each rank has in its own process."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size = length, rank, world_size

    def share(self, order):
        return evened(order, self.world_size)[self.rank :: self.world_size]

    def __iter__(self):
        order = list(range(self.length))
        GENERATORS["of the process"].shuffle(order)
        return iter(self.share(order))


class LosesTheTailToo(OfTheProcess):
    def share(self, order):
        return order[self.rank : self.length // self.world_size * self.world_size : self.world_size]


def outcomes(target, *, asks=True, promise=PROMISE):
    plan = Plan(
        target=sc.target(target, contract=promise), profile="quick", worlds=("simulated",), max_cases=0
    )
    with SpareProcess(as_carried_out(plan, carry_out)) as spare:
        report = carry_out(plan, ask=spare.ask if asks else None)
    return {one.code: one for one in report.results}


ORDERS = {}


class WithoutTheSeed:
    """Orders are kept in the process by length and epoch, so that what has another seed gets them, too."""

    def __init__(self, length, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed, self.epoch = length, rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        if len(ORDERS) > MOST_KEPT:
            ORDERS.clear()
        own = Random(f"{self.seed} {self.epoch}").sample(range(self.length), self.length)
        order = ORDERS.setdefault((self.length, self.epoch), own)
        return iter(evened(order, self.world_size)[self.rank :: self.world_size])


@pytest.mark.thorough
def test_what_ranks_in_processes_of_their_own_keep_is_left_open():
    laws = outcomes(OfTheProcess)
    assert laws["SC402"].outcome is sc.Outcome.BROKEN
    for code in ("SC102", "SC103"):
        assert laws[code].outcome is sc.Outcome.UNKNOWN
        assert "only where ranks share a process" in laws[code].reason


@pytest.mark.thorough
def test_what_an_object_of_another_seed_has_left_there_is_left_open():
    laws = outcomes(WithoutTheSeed, promise=sc.Contract(order="shuffled"))
    assert laws["SC303"].outcome is sc.Outcome.BROKEN
    for code in ("SC102", "SC103"):
        assert laws[code].outcome is sc.Outcome.UNKNOWN
        assert laws[code].reason.endswith("meet what the target keeps there (SC303)")


@pytest.mark.thorough
def test_what_they_break_there_as_well_is_broken():
    laws = outcomes(LosesTheTailToo)
    assert {laws[code].outcome for code in ("SC102", "SC105")} == {sc.Outcome.BROKEN}


@pytest.mark.thorough
def test_where_nobody_can_be_asked_it_is_broken():
    assert outcomes(OfTheProcess, asks=False)["SC102"].outcome is sc.Outcome.BROKEN
