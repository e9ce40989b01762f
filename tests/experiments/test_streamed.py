"""Long passes: read in chunks, judged by fingerprints, which come to what whole passes come to."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Case, Outcome
from samplercheck.engine._judging import judge
from samplercheck.experiments import SKETCHED, STREAMED
from samplercheck.laws import ALL_LAWS
from samplercheck.values.owed import LONGEST_KEPT
from samplercheck.worlds import open_world
from tests.zoo.cases import worlds_of, zoo

CODES = ("SC101", "SC102", "SC103", "SC104", "SC105", "SC201")
LAWS = [law for law in ALL_LAWS if law.code in CODES]
EXACT = ("epochs", "lengths")
SIZES = [*product((2, 7, 17), (1, 3), (False, True))]
"""Lengths, worlds, and whether shuffled and with drop_last."""


def binding_of(factory, contract=None):
    return sc.target(factory, contract=contract).bind()


def trace_of(factory, contract=None, experiments=(STREAMED,), kind="", **case):
    with open_world("simulated") as world:
        one = Case(**{"length": 30, "world_size": 2, "epochs": 2, **case})
        return world.trace(binding_of(factory, contract), one, experiments, kind)


def outcomes_of(trace, scope_of=None):
    return {law.code: judge(law, trace).outcome for law in LAWS if law.code in (scope_of or CODES)}


class Contiguous:
    """Takes a block of the dataset; ``__iter__`` is what is tested."""

    def __init__(self, length, rank, world_size):
        self.begin, self.end = length * rank // world_size, length * (rank + 1) // world_size

    def __iter__(self):
        return iter(range(self.begin, self.end))

    def __len__(self):
        return self.end - self.begin


def yielding(make):
    """A sampler that yields what is made of its block, as an iterator."""

    class Yielding(Contiguous):
        def __iter__(self):
            return make(self.begin, self.end)

    def build(length, rank, world_size):
        return Yielding(length, rank, world_size)

    return build


WAYS = {
    "a range": lambda begin, end: iter(range(begin, end)),
    "a range from its end": lambda begin, end: iter(range(end - 1, begin - 1, -1)),
    "a range that has begun": lambda begin, end: after_one(iter(range(begin - 1, end))),
    "a list": lambda begin, end: iter([*range(begin, end)]),
    "a generator": lambda begin, end: (one for one in range(begin, end)),
    "an array": lambda begin, end: iter(np.arange(begin, end)),
    "an array of short integers": lambda begin, end: iter(np.arange(begin, end, dtype=np.int32)),
    "unsigned integers": lambda begin, end: iter(np.arange(begin, end, dtype=np.uint64)),
    "numpy's integers": lambda begin, end: (one for one in np.arange(begin, end)),
    "a tensor": lambda begin, end: iter(torch.arange(begin, end)),
    "a tensor as a list": lambda begin, end: iter(torch.arange(begin, end).tolist()),
    "lists of three": lambda begin, end: ([*range(at, min(at + 3, end))] for at in range(begin, end, 3)),
    "tensors of three": lambda begin, end: iter(torch.arange(begin, end).split(3)),
    "tuples": lambda begin, end: ((at,) for at in range(begin, end)),
}


def after_one(iterator):
    next(iterator)
    return iterator


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("length", [1, 30, 40_007])
def test_whatever_yields_it_all_is_covered(way: str, length: int) -> None:
    contract = sc.Contract(tail="keep", order="free")
    trace = trace_of(yielding(WAYS[way]), contract, length=length, epochs=1)
    assert trace.is_whole
    assert [epoch.is_covered for epoch in trace.streams] == [True]
    assert trace.streams[0].total == length
    assert SKETCHED not in trace.records


def test_ways_to_yield_the_same_leave_the_same() -> None:
    names = ("a range", "a list", "a generator", "an array", "a tensor", "numpy's integers")
    found = {trace_of(yielding(WAYS[name]), length=40_007, epochs=1).streams[0].left for name in names}
    assert len(found) == 1


def test_batches_leave_another_order_than_samples() -> None:
    factories = (yielding(WAYS[name]) for name in ("a list", "lists of three"))
    one, other = (trace_of(factory, epochs=1).streams[0] for factory in factories)
    assert one.left.order != other.left.order
    assert one.samples == other.samples
    assert (one.steps, other.steps) == ([15, 15], [5, 5])


STRANGE = {
    "a float": lambda begin, end: iter([*range(begin, end - 1), 0.5]),
    "a float that is whole": lambda begin, end: iter([*range(begin, end - 1), 1.0]),
    "text": lambda begin, end: iter(["1", "2"]),
    "text after numbers": lambda begin, end: iter([*range(begin, end), "1"]),
    "an array of floats": lambda begin, end: iter(np.arange(begin, end) * 1.0),
    "a batch after samples": lambda begin, end: iter([*range(begin, end), [1]]),
    "a sample after batches": lambda begin, end: iter([[1, 2], 3]),
    "nothing": lambda begin, end: iter([None]),
    "too large a number": lambda begin, end: iter([*range(begin, end), 2**70]),
    "too long a range": lambda begin, end: iter(range(2**70, 2**70 + 3)),
}


@pytest.mark.parametrize("way", STRANGE)
def test_what_is_no_index_is_found_as_in_whole_passes(way: str) -> None:
    factory = yielding(STRANGE[way])
    for experiments in ((STREAMED,), EXACT):
        outcomes = outcomes_of(trace_of(factory, experiments=experiments))
        assert outcomes["SC101"] is Outcome.BROKEN, experiments


def test_a_strange_step_has_its_number() -> None:
    factory = yielding(lambda *_: iter([*range(20_000), 20_000.5]))
    trace = trace_of(factory, length=20_001, world_size=1)
    (law,) = (law for law in LAWS if law.code == "SC101")
    assert "step 20000 is 20000.5 (float)" in judge(law, trace).violations[0].found


def test_an_index_outside_has_its_rank_and_step() -> None:
    trace = trace_of(yielding(lambda begin, end: iter([*range(begin, end - 2), -1, end])), length=40_000)
    (law,) = (law for law in LAWS if law.code == "SC101")
    found = judge(law, trace).violations[0]
    assert (found.rank, found.step, found.indices) == (0, 19_998, (-1,))
    assert found.found == "in epoch 0 rank 0 yields -1 in step 19998: the dataset has 0 to 39999"


def raise_later(begin, end):
    yield from range(begin, end)
    raise OSError("the disk is full")


def test_an_exception_has_its_step() -> None:
    trace = trace_of(yielding(raise_later), length=40_000)
    assert [(one.rank, one.phase, one.step, one.error) for one in trace.faults] == [
        (0, "next", 20_000, "OSError"),
        (1, "next", 20_000, "OSError"),
    ]
    (law,) = (law for law in ALL_LAWS if law.code == "SC001")
    assert judge(law, trace).outcome is Outcome.BROKEN


def walk_on(begin, _):
    while True:
        yield begin


def test_a_pass_without_an_end_is_stopped() -> None:
    trace = trace_of(yielding(walk_on))
    assert {fault.kind for fault in trace.faults} == {"endless"}


def test_a_loss_and_a_repetition_in_a_long_pass_are_named() -> None:
    def plant(begin, end):
        return (543_210 if one == 123_456 else one for one in range(begin, end))

    trace = trace_of(yielding(plant), length=1_000_000, world_size=8, epochs=1)
    found = {law.code: judge(law, trace) for law in LAWS}
    assert found["SC102"].violations[0].found == "in epoch 0 no rank yielded sample 123456"
    assert found["SC103"].violations[0].indices == (543_210,)
    assert found["SC104"].outcome is found["SC105"].outcome is Outcome.HOLDS


def test_too_many_to_be_named_are_told_by_number_and_place() -> None:
    def shift(begin, end):
        return (one - 100_000 if 700_000 <= one < 720_000 else one for one in range(begin, end))

    trace = trace_of(yielding(shift), length=1_000_000, world_size=4, epochs=1)
    lost, doubled = (judge(law, trace).violations[0].found for law in LAWS if law.code in ("SC102", "SC103"))
    assert "more than can be named" in lost
    assert "more than can be named" in doubled
    assert "fewer than owed" in lost
    assert "more than owed" in doubled
    size = int(lost.split("about ")[1].split(" ")[0].replace(",", ""))
    assert 0.85 * 40_000 < size < 1.15 * 40_000


def test_what_second_passes_do_not_confirm_is_not_named() -> None:
    taken = []

    def differ(begin, end):
        taken.append(begin)
        lost = 5 if len(taken) <= 2 else 7
        return (one for one in range(begin, end) if one != lost)

    trace = trace_of(yielding(differ), length=100, epochs=1)
    assert trace.streams[0].differences is None
    (law,) = (law for law in LAWS if law.code == "SC102")
    found = judge(law, trace).violations[0].found
    assert "passes taken again yield something else" in found


def test_laws_that_need_whole_passes_say_so() -> None:
    trace = trace_of(yielding(WAYS["a range"]))
    for law in ALL_LAWS:
        if not law.of_streams:
            verdict = judge(law, trace)
            assert verdict.outcome is Outcome.UNKNOWN, law.code
            assert verdict.reason.startswith("not checked at this length")


@pytest.mark.thorough
def test_the_length_decides_which_passes_are_kept() -> None:
    factory, both = yielding(WAYS["a range"]), ("epochs", "again")
    long = trace_of(factory, length=LONGEST_KEPT + 1, experiments=both, epochs=1)
    kept = trace_of(factory, length=LONGEST_KEPT, experiments=both, epochs=1)
    assert (tuple(long.records), tuple(kept.records)) == ((STREAMED,), both)


CONTRACTS = [{}, {"repeats": 3, "tail": "keep"}, {"sharding": "none"}, {"replicas": 2}]


@pytest.mark.parametrize("fields", CONTRACTS, ids=str)
def test_contracts_are_held_to_as_in_whole_passes(fields: dict) -> None:
    contract = sc.Contract(**fields)

    class Dealt:
        def __init__(self, length, rank, world_size, replicas=1):
            self.items = [*range(length)] * contract.repeats
            if contract.sharding == "ranks":
                place, places = rank // contract.replicas, world_size // contract.replicas
                self.items = self.items[place::places]

        def __iter__(self):
            return iter(self.items)

    for length in (0, 1, 4, 9, 20):
        both = [
            outcomes_of(trace_of(Dealt, contract, names, length=length, world_size=4))
            for names in ((STREAMED,), EXACT)
        ]
        assert both[0] == both[1], length


def compare(module, part, world):
    """Compare the verdicts of both kinds of passes in many cases; return how many could be."""
    contract = sc.Contract(**module.CONTRACT)
    binding = sc.target(getattr(module, part), contract=contract, axes=module.AXES).bind()
    options = {name: next(iter(values)) for name, values in (module.AXES or {}).items()}
    compared = 0
    for length, ranks, both in SIZES:
        case = Case(
            length=length,
            world_size=ranks * binding.contract.replicas,
            shuffle=both,
            drop_last=both,
            batch_size=2,
            epochs=2,
            options=options,
        )
        exact = world.trace(binding, case, EXACT)
        streamed = world.trace(binding, case, (STREAMED,), exact.kind)
        if exact.faults or streamed.faults or exact.not_carried or exact.deadlock:
            continue
        for law in LAWS:
            known, found = judge(law, exact).outcome, judge(law, streamed)
            if found.outcome is Outcome.UNKNOWN:  # fingerprints tell nothing of such a contract
                assert "not checked at this length" in found.reason or "more samples than" in found.reason
                continue
            compared += 1
            assert found.outcome is known, (module.SLUG, law.code, case.token, found)
    return compared


SLOW = {"token_budget_infinite_loop"}
UNDETERMINED = {"SC401", "SC402", "SC403"}
"""What breaks these may yield something else whenever it is asked, in one way of reading or the other."""


@pytest.mark.thorough
@pytest.mark.parametrize("part", ["bug", "sound"])
def test_fingerprints_come_to_what_whole_passes_come_to(part: str) -> None:
    compared = 0
    for module in zoo():
        broken = {*module.EXPECT, *module.ALSO}
        if worlds_of(module) != ("simulated",) or module.SLUG in SLOW or UNDETERMINED & broken:
            continue
        with open_world("simulated") as world:
            compared += compare(module, part, world)
    assert compared > 3_000


def test_a_sampler_of_torch_is_covered() -> None:
    for length, ranks, drop_last in product((1_000, 1_001), (2, 3, 8), (False, True)):
        case = {"length": length, "world_size": ranks, "drop_last": drop_last, "shuffle": True}
        trace = trace_of(DistributedSampler, **case)
        assert set(outcomes_of(trace).values()) == {Outcome.HOLDS}
