"""SC901 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.experiments.few_ranks import STOPPED_BY_FEW
from samplercheck.laws.group_agrees import LAW
from samplercheck.laws.law import Scope
from samplercheck.values.record import Fault, Length
from tests.support.traces import a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

RANKS: tuple[list[Yield], ...] = ([[0, 2], [2, 0]], [[1, 3], [3, 1]])
FAULT = Fault(experiment="epochs", kind="raised", phase="next", rank=1)


def recorded(*ranks: list[Yield], **details: Any) -> Trace:
    """What ranks recorded: their epochs, and the first of these built again."""
    others = {"again": [a_record(rank[0]) for rank in ranks], **details.pop("others", {})}
    return a_trace(*ranks, others=others, **{"length": 4, "shuffle": True, **details})


def in_group(twin: Trace | None, *ranks: list[Yield], fresh: Trace | None = None, **details: Any) -> Trace:
    """What ranks of a group recorded, beside its twins."""
    twins = {name: one for name, one in (("simulated", twin), ("fresh", fresh)) if one is not None}
    return recorded(*(ranks or RANKS), twins=twins, world="gloo", **details)


def of_lengths(*values: int | None) -> dict[str, list[Record]]:
    return {"lengths": [a_record([0], lengths=[Length("before", 1, one)]) for one in values]}


def test_holds_where_both_worlds_yield_the_same() -> None:
    trace = in_group(recorded(*RANKS), fresh=recorded(*RANKS))
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_rank_step_and_indices_of_the_first_difference() -> None:
    (found,) = judged(LAW, in_group(recorded(RANKS[0], [[1, 3], [3, 0]])))
    assert found.found == "rank 1 yielded 1 in step 1 of epoch 1, and 0 in simulation"
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 1, 1, (1, 0))
    assert found.experiment == "epochs"


def test_names_three_ranks_at_most() -> None:
    ranks: list[list[Yield]] = [[[rank]] for rank in range(5)]
    other: list[list[Yield]] = [[[9 - rank]] for rank in range(5)]
    found = judged(LAW, in_group(recorded(*other, length=10), *ranks, length=10))
    assert [one.rank for one in found] == [0, 1, 2]


def test_compares_every_experiment_that_both_carried_out() -> None:
    mine = {"unplaced": [a_record([0, 2]), a_record([0, 2])], "seeds": [a_record([0]), a_record([1])]}
    theirs = {"unplaced": [a_record([0, 2]), a_record([1, 3])], "jumps": [a_record([0]), a_record([1])]}
    (found,) = judged(LAW, in_group(recorded(*RANKS, others=theirs), others=mine))
    assert (found.rank, found.experiment) == (1, "unplaced")


def test_a_pass_that_only_one_world_took_is_a_difference() -> None:
    mine = {"jumps": [a_record([0], [1]), a_record([1])]}
    theirs = {"jumps": [a_record([0]), a_record([1])]}
    (found,) = judged(LAW, in_group(recorded(*RANKS, others=theirs), others=mine))
    assert found.found == "rank 0 took 2 passes, and 1 in simulation"


def test_compares_announced_lengths() -> None:
    (found,) = judged(LAW, in_group(recorded(*RANKS, others=of_lengths(2, 2)), others=of_lengths(2, 3)))
    assert found.found == "rank 1 announces 3 steps in epoch 1, and 2 steps in simulation"
    assert (found.rank, found.epoch, found.experiment) == (1, 1, "lengths")


def test_a_length_that_only_one_world_announces_is_a_difference() -> None:
    (found,) = judged(LAW, in_group(recorded(*RANKS, others=of_lengths(2, None)), others=of_lengths(2, 2)))
    assert found.found == "rank 1 announces 2 steps in epoch 1, and no length in simulation"


def test_a_reference_is_not_compared() -> None:
    mine, theirs = {"reference": [a_record([0])] * 2}, {"reference": [a_record([1])] * 2}
    assert judged(LAW, in_group(recorded(*RANKS, others=theirs), others=mine)) == []


@pytest.mark.parametrize("experiment", [*sorted(STOPPED_BY_FEW), "elastic", "workers", "delivered"])
def test_what_ranks_that_may_wait_do_otherwise_is_not_compared(experiment: str) -> None:
    mine, theirs = {experiment: [a_record([0], [1])] * 2}, {experiment: [a_record([0])] * 2}
    assert judged(LAW, in_group(recorded(*RANKS, others=theirs), others=mine)) == []


# In step


def of_steps(*ranks: list[Yield], **notes: Any) -> dict[str, list[Record]]:
    return {"in_step": [a_record(*rank, **notes) for rank in ranks]}


def test_what_is_taken_in_step_is_compared_with_the_epochs_of_simulation() -> None:
    empty = {"in_step": [a_record(), a_record()]}  # as simulation leaves it
    assert judged(LAW, in_group(recorded(*RANKS, others=empty), others=of_steps(*RANKS))) == []
    (found,) = judged(
        LAW, in_group(recorded(*RANKS, others=empty), others=of_steps([[0, 2], [0, 2]], RANKS[1]))
    )
    assert found.found == (
        "rank 0 yielded 0 in step 0 of epoch 1, and 2 in simulation, without a collective at every step"
    )
    assert found.experiment == "in_step"


def test_far_epochs_that_simulation_goes_on_to_are_not_taken_in_step() -> None:
    ranks = tuple([*rank, rank[0]] for rank in RANKS)  # two epochs and, beyond them, a far one
    steps = {"in_step": [a_record(*rank) for rank in RANKS]}
    empty = {"in_step": [a_record(), a_record()]}
    twin = recorded(*ranks, epochs=2, others=empty)
    assert judged(LAW, in_group(twin, *ranks, epochs=2, others=steps)) == []


def test_names_three_ranks_at_most_in_step_too() -> None:
    ranks: list[list[Yield]] = [[[rank]] for rank in range(5)]
    stepped = of_steps(*[[[9]] for _ in range(5)])
    found = judged(LAW, in_group(recorded(*ranks, length=10), *ranks, others=stepped, length=10))
    assert [one.rank for one in found] == [0, 1, 2]


def test_ranks_that_were_not_even_in_step_are_left_to_sc902() -> None:
    cut = of_steps([[0]], [[1, 3]], uneven=(0, 1, (False, True)))
    assert judged(LAW, in_group(recorded(*RANKS), others=cut)) == []


# What proves nothing


def test_has_nothing_to_look_at_without_a_simulation() -> None:
    assert not LAW.sees(in_group(None))
    assert not LAW.sees(in_group(None, fresh=recorded(*RANKS)))


def test_has_nothing_to_look_at_where_simulation_failed() -> None:
    assert not LAW.sees(in_group(recorded(RANKS[0], [[0]], faults=(FAULT,))))
    assert not LAW.sees(in_group(recorded(*RANKS), faults=(FAULT,)))


def test_has_nothing_to_look_at_in_an_empty_epoch() -> None:
    assert not LAW.sees(in_group(recorded([[]], [[]], length=0), [[]], [[]], length=0))


def test_sees_a_group_that_yields_what_simulation_does_not() -> None:
    (found,) = judged(LAW, in_group(recorded([[]], length=1), [[0]], length=1))
    assert found.found == "rank 0 yielded 0 in step 0 of epoch 0, and nothing in simulation"


@pytest.mark.parametrize("undetermined", ["here", "in simulation"])
def test_what_differs_when_built_again_is_left_to_sc402(undetermined: str) -> None:
    other = {"again": [a_record([2, 0]), a_record([1, 3])]}
    mine, theirs = (other, {}) if undetermined == "here" else ({}, other)
    assert not LAW.sees(in_group(recorded([[2, 0]], [[3, 1]], others=theirs), others=mine))


def test_what_differs_in_a_fresh_process_is_left_to_sc402() -> None:
    other: tuple[list[Yield], ...] = ([[2, 0], [0, 2]], RANKS[1])
    assert judged(LAW, in_group(recorded(*other))) != []
    assert not LAW.sees(in_group(recorded(*other), fresh=recorded(*other)))


def test_applies_wherever_process_groups_take_part() -> None:
    assert LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=frozenset({"groups"})))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=frozenset({"set_epoch"})))
