"""What was recorded under another contract answers as a run under this one would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch.distributed as dist

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.engine._probe import probe
from samplercheck.engine._search import MOST_HANGS, Search
from samplercheck.engine.contracts import ContractJudge, _sign, propose, search
from samplercheck.engine.contracts._recorded import RecordedWorld
from samplercheck.laws.selection import select_laws
from samplercheck.values.errors import UsageError
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.values.trace import Trace
    from samplercheck.worlds import HomeWorld

SIGNS = {name: one for name, one in vars(_sign).items() if isinstance(one, _sign.Sign)}
CASES = (
    Case(length=7, world_size=2, batch_size=1, shuffle=True, seed=1, epochs=3),
    Case(length=4, world_size=1, batch_size=1, epochs=2),
)


class Walks:
    """One walk over all passes, in an order of its own, with a place that can be saved."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        self.order = [(index * 3 + seed) % max(1, length) for index in range(rank, length, world_size)]
        self.place = 0

    def __iter__(self) -> Iterator[int]:
        while self.place < len(self.order):
            self.place += 1
            yield self.order[self.place - 1]
        self.place = 0

    def __len__(self) -> int:
        return len(self.order) - self.place

    def state_dict(self) -> dict[str, int]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.place = state["place"]


class Waits(Walks):
    """One whose ranks wait for each other before each epoch."""

    def __iter__(self) -> Iterator[int]:
        dist.barrier()
        yield from super().__iter__()


def shuffles(length: int, rank: int, world_size: int, seed: int) -> list[int]:
    return [(index * 5 + seed) % max(1, length) for index in range(rank, length, world_size)]


def wraps(sampler: Any, rank: int, world_size: int) -> list[int]:
    return [*sampler][rank::world_size]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    "factory", [Walks, wraps, *(pytest.param(one, marks=pytest.mark.thorough) for one in (Waits, shuffles))]
)
@pytest.mark.parametrize(
    "given",
    [
        pytest.param(Contract(), id="usual"),
        pytest.param(Contract(epochs="advance"), id="advances", marks=pytest.mark.thorough),
    ],
)
def test_a_record_answers_as_a_run_would(factory: Any, given: Contract, sign: str) -> None:
    meant = given.but(**SIGNS[sign].fields)
    for case in CASES:
        with open_world("simulated") as world:
            recorded = RecordedWorld(world)
            for contract in (given, meant):
                answered = look(recorded, factory, contract, case)
        with open_world("simulated") as world:
            expected = told(look(world, factory, meant, case))
        assert {name: told(answered).get(name) for name in expected} == expected


def repeats_often(length: int, rank: int, world_size: int) -> list[int]:
    return [*range(length)] * 40


@pytest.mark.parametrize("contracts", [("drawn", "usual"), ("usual", "drawn")])
def test_a_pass_that_is_no_end_for_one_contract_may_be_too_long_for_another(
    contracts: tuple[str, str],
) -> None:
    case = Case(length=12, epochs=2)
    meant = {"usual": Contract(), "drawn": Contract(coverage="sampled", frequencies="at_least_once")}
    with open_world("simulated") as world:
        recorded = RecordedWorld(world)
        seen = {name: look(recorded, repeats_often, meant[name], case) for name in contracts}
    assert {name: [one.kind for one in trace.faults] for name, trace in seen.items() if trace} == {
        "usual": ["endless"],
        "drawn": [],
    }


class RoundsUp:
    """Adds ranks to an odd length until that is even, which four ranks never make it."""

    def __init__(self, length: int, rank: int, world_size: int, shuffle: bool = True, seed: int = 0) -> None:
        self.length, self.rank, self.world_size = length, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        total = self.length
        while total % self.world_size:
            total += self.world_size
        return iter(range(self.rank, total, self.world_size))


def search_impatiently(factory: Any) -> tuple[RecordedWorld, ContractJudge, Any]:
    """Search for the contract of a target that hangs, with short deadlines."""
    what = sc.target(factory)
    with open_world("simulated", deadlines=Deadlines(seconds=0.1)) as world:
        recorded = RecordedWorld(world)
        seems = propose(recorded, what, may_hide=True)
        judge = ContractJudge(recorded, what)
        found = search(judge, what.contract, frozenset(what.bind().named), seems)
    return recorded, judge, found


def test_few_hangs_are_waited_for_however_many_contracts_are_compared() -> None:
    recorded, judge, found = search_impatiently(RoundsUp)
    assert {*found.verdict.failures} == {"SC002"}
    assert recorded.hangs <= MOST_HANGS
    assert judge.tried


class StopsAt(RoundsUp):
    """Never ends where it has more samples than most cases that judge briefly."""

    most = 8

    def __iter__(self) -> Iterator[int]:
        while self.length > self.most:
            pass
        return iter([index % self.length for index in range(self.rank, self.total, self.world_size)])

    @property
    def total(self) -> int:
        return -(-self.length // self.world_size) * self.world_size


class StopsFarther(StopsAt):
    """The same beyond what a look has: luck is doubted in larger cases alone."""

    most = 20


@pytest.mark.parametrize("factory", [StopsAt, StopsFarther])
def test_a_hang_beside_the_cases_that_judge_is_told(factory: type[StopsAt]) -> None:
    recorded, _, found = search_impatiently(factory)
    assert {*found.verdict.failures} == {"SC002"}
    assert recorded.hangs < 2 * MOST_HANGS


class StopsEmpty(RoundsUp):
    """Never ends without samples, and deals them out as the default contract wants; the bug loses one."""

    loses = False

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        super().__init__(length, rank, world_size)

    def __iter__(self) -> Iterator[int]:
        while not self.length:
            pass
        ids = [index % self.length for index in range(-(-self.length // self.world_size) * self.world_size)]
        return iter(ids[self.rank :: self.world_size][: -1 if self.loses and self.length > 4 else None])


class LosesOne(StopsEmpty):
    loses = True


@pytest.mark.parametrize(("factory", "broken"), [(StopsEmpty, False), (LosesOne, True)])
def test_hangs_of_empty_datasets_end_no_search_for_a_contract(
    factory: type[StopsEmpty], broken: bool
) -> None:
    recorded, judge, found = search_impatiently(factory)
    assert bool(found.verdict.failures) is broken
    assert judge.tried > 30
    assert len(recorded.hung_empty) <= MOST_HANGS


@pytest.mark.thorough
def test_a_hang_is_learnt_from_and_run_by_no_other_contract() -> None:
    case = Case(length=3, world_size=2)
    with open_world("simulated", deadlines=Deadlines(seconds=1.2)) as world:
        recorded = RecordedWorld(world)
        first = look(recorded, RoundsUp, Contract(), case)
        assert first is not None
        assert [fault.kind for fault in first.faults] == ["deadline"]
        assert world.guard.deadlines.seconds == 0.5
        for contract in (Contract(), Contract(order="shuffled"), Contract(tail="keep", layout="contiguous")):
            again = look(recorded, RoundsUp, contract, case)
            assert again is not None
            assert again.contract == contract
            assert again.faults == first.faults
        assert recorded.hangs == 1


def look(world: HomeWorld | RecordedWorld, factory: Any, contract: Contract, case: Case) -> Trace | None:
    """Return the trace of a case in the experiments that the laws of a contract want."""
    try:
        binding = sc.target(factory, contract=contract).bind()
    except UsageError:  # this target cannot be asked for it
        return None
    scope = probe(world, binding, ())
    search = Search(world, binding, scope, tuple(law for law in select_laws()[0] if law.applies(scope)))
    fitting = case if "shuffle" in binding.named else case.but(shuffle=False)
    fitting = fitting if "seed" in binding.named else fitting.but(seed=0)
    return world.trace(binding, fitting, search.experiments, scope.kind)


def told(trace: Trace | None) -> dict[str, Any]:
    """Return what ranks recorded, but for what is left out where it was seen before."""
    return {
        name: [
            ([(one.epoch, [*one.items], one.ending) for one in record.passes], [*record.lengths])
            for record in records
        ]
        for name, records in (trace.records.items() if trace else ())
        if name != "knobs"
    }
