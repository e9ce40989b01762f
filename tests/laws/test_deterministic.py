"""SC402 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import samplercheck as sc
from samplercheck import Contract
from samplercheck.laws.deterministic import LAW
from samplercheck.values.record import Fault
from tests.support.traces import a_pass, a_record, a_trace, drawn, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

RANKS: tuple[list[Yield], ...] = ([[0, 2], [2, 0]], [[1, 3], [3, 1]])


def test_holds_where_a_second_object_yields_the_same() -> None:
    trace = a_trace(*RANKS, others={"again": [a_record([0, 2]), a_record([1, 3])]}, length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_rank_step_and_indices_of_the_first_difference() -> None:
    trace = a_trace(*RANKS, others={"again": [a_record([0, 2]), a_record([1, 0])]}, length=4, shuffle=True)
    (found,) = judged(LAW, trace)
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 0, 1, (3, 0))
    assert found.found == "rank 1 yielded 3 in step 1 of epoch 0, and 0 when built again"
    assert found.experiment == "again"
    assert "(seed, epoch)" in found.hint
    assert "a set of objects" in found.hint  # whose hashes are addresses: no hash seed makes these alike


def test_sees_an_empty_pass_that_was_not_empty_before() -> None:
    trace = a_trace([[0]], others={"again": [a_record([])]}, length=1)
    (found,) = judged(LAW, trace)
    assert (found.step, found.indices) == (0, (0,))
    assert "and nothing when built again" in found.found


def test_compares_the_second_pass_too_where_each_pass_is_an_epoch() -> None:
    again = {"again": [a_record([0, 1], [0, 1])]}
    trace = a_trace([[0, 1], [1, 0]], others=again, contract=Contract(epochs="advance"), length=2)
    (found,) = judged(LAW, trace)
    assert (found.epoch, found.step, found.indices) == (1, 0, (1, 0))


def test_leaves_the_second_pass_to_other_laws_where_it_is_the_same_epoch() -> None:
    trace = a_trace([[0, 1], [1, 0]], others={"again": [a_record([0, 1], [])]}, length=2)
    assert judged(LAW, trace) == []


def test_can_do_with_one_epoch_where_each_pass_is_an_epoch() -> None:
    again = {"again": [a_record([0, 1], [1, 0])]}
    trace = a_trace([[0, 1]], others=again, contract=Contract(epochs="advance"), length=2)
    assert judged(LAW, trace) == []


def beside_others(lengths: list[Yield], jumps: list[Yield], *, contract: Contract | None = None) -> Trace:
    """A trace of two ranks that yield alike when built again, and their first epochs in other experiments."""
    others = {
        "again": [a_record([0, 2]), a_record([1, 3])],
        "lengths": [a_record(one) for one in lengths],
        "jumps": [a_record(a_pass([9], epoch=1), a_pass(one)) for one in jumps] or [a_record(), a_record()],
    }
    return a_trace(*RANKS, others=others, length=4, shuffle=True, contract=contract)


def test_what_moves_global_generators_is_compared_in_other_experiments_too() -> None:
    held = drawn(beside_others([[0, 2], [1, 3]], [[0, 2], [1, 3]]))
    assert judged(LAW, held) == []
    (found,) = judged(LAW, drawn(beside_others([[0, 2], [3, 1]], [[0, 2], [1, 3]])))
    assert (found.rank, found.experiment) == (1, "lengths")
    other = beside_others([[0, 2], [1, 3]], [[2, 0], [1, 3]])
    (found,) = judged(LAW, drawn(other))
    assert (found.rank, found.experiment) == (0, "jumps")
    assert judged(LAW, beside_others([[0, 2], [1, 3]], [[2, 0], [1, 3]])) == []
    shared = Contract(ambient_rng="shared")
    assert judged(LAW, drawn(beside_others([[0, 2], [1, 3]], [[2, 0], [1, 3]], contract=shared))) == []


def test_experiments_in_which_not_all_ranks_took_the_first_epoch_are_left_out() -> None:
    assert judged(LAW, drawn(beside_others([[0, 2]], []))) == []
    (found,) = judged(LAW, drawn(beside_others([[0, 2], [3, 1]], [])))
    assert found.experiment == "lengths"


class DrawsForNothing:
    """Moves torch's global generator in each pass, and is in the dataset's order all the same."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.share = range(rank, length, world_size)

    def __iter__(self) -> Iterator[int]:
        torch.rand(1)
        return iter(self.share)


@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("epochs", ["fixed", "advance", "set_epoch"])
def test_what_moves_global_generators_and_has_no_set_epoch_is_judged_by_a_run(epochs: str) -> None:
    contract = Contract(epochs=epochs, order="sequential", tail="keep")
    target = sc.target(DrawsForNothing, contract=contract)
    report = sc.run(target, profile="quick", worlds=["simulated"], select=["SC402"], isolate=False)
    assert [one.outcome.value for one in report.results if one.code == "SC402"] == ["holds"]


def test_batches_that_are_cut_differently_differ() -> None:
    again = {"again": [a_record([[0, 1], [2]])]}
    trace = a_trace([[[0], [1, 2]]], others=again, length=3, batch_size=2)
    (found,) = judged(LAW, trace)
    assert found.step == 0
    assert "yielded [0] in step 0 of epoch 0, and [0, 1] when built again" in found.found


def test_reports_three_ranks_at_most() -> None:
    ranks: list[list[Yield]] = [[[rank]] for rank in range(8)]
    trace = a_trace(*ranks, others={"again": [a_record([9]) for _ in ranks]}, length=8)
    assert [found.rank for found in judged(LAW, trace)] == [0, 1, 2]


def test_ranks_that_share_nothing_are_compared_each_with_itself() -> None:
    again = {"again": [a_record([0, 1]), a_record([1, 0])]}
    trace = a_trace([[0, 1]], [[0, 1]], others=again, contract=Contract(sharding="none"), length=2)
    (found,) = judged(LAW, trace)
    assert found.rank == 1


def test_has_nothing_to_look_at_in_an_empty_epoch() -> None:
    trace = a_trace([[]], [[]], others={"again": [a_record([]), a_record([])]}, length=0)
    assert not LAW.sees(trace)


def test_sees_more_ranks_than_samples() -> None:
    again = {"again": [a_record([0]), a_record([]), a_record([])]}
    trace = a_trace([[0]], [[]], [[]], others=again, contract=Contract.evaluation(), length=1)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_long_passes_are_compared_without_lists() -> None:
    long = list(range(5_000))
    other = [*long[:4_000], 7, *long[4_001:]]
    trace = a_trace([long], others={"again": [a_record(other)]}, length=5_000)
    (found,) = judged(LAW, trace)
    assert (found.step, found.indices) == (4_000, (4_000, 7))


# In fresh processes


def beside_fresh(fresh: Trace | None, *, again: tuple[Yield, ...] = ([0, 2], [1, 3])) -> Trace:
    """Two ranks in a process group, built again, and what fresh processes recorded of the same case."""
    return a_trace(
        *RANKS,
        others={"again": [a_record(one) for one in again]},
        twins={} if fresh is None else {"fresh": fresh},
        world="gloo",
        length=4,
        shuffle=True,
    )


def test_holds_where_fresh_processes_yield_the_same() -> None:
    again = {"again": [a_record([0, 2]), a_record([1, 3])]}
    trace = beside_fresh(a_trace(*RANKS, others=again, length=4, shuffle=True))
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_what_a_fresh_process_yields_instead() -> None:
    (found,) = judged(LAW, beside_fresh(a_trace(RANKS[0], [[1, 3], [1, 3]], length=4, shuffle=True)))
    assert found.found == (
        "rank 1 yielded 3 in step 0 of epoch 1, and 1 in a fresh process with another hash seed"
    )
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 1, 0, (3, 1))
    assert found.experiment == "epochs"
    assert "hash" in found.hint
    assert found.event == "after a restart, and on other ranks"
    assert found.fault == "each process, so each rank, has another order"
    assert found.consequence == "loses data"  # each rank is another process
    alone = beside_fresh(a_trace(RANKS[0], [[1, 3], [1, 3]], length=4, shuffle=True))
    alone.contract = Contract(coverage="sampled", order="free")
    assert [one.consequence for one in judged(LAW, alone)] == [""]


def test_compares_a_second_object_of_fresh_processes_with_a_second_one_here() -> None:
    again = {"again": [a_record([0, 2]), a_record([3, 1])]}
    (found,) = judged(LAW, beside_fresh(a_trace(*RANKS, others=again, length=4, shuffle=True)))
    assert (found.rank, found.experiment) == (1, "again")
    assert found.found.endswith("and 3 in a fresh process with another hash seed")


def test_a_second_object_that_differs_here_is_told_instead() -> None:
    trace = beside_fresh(a_trace([[2, 0]], [[3, 1]], length=4), again=([0, 2], [3, 1]))
    (found,) = judged(LAW, trace)
    assert found.found == "rank 1 yielded 1 in step 0 of epoch 0, and 3 when built again"


def test_a_pass_that_is_missing_in_a_fresh_process_is_told() -> None:
    (found,) = judged(LAW, beside_fresh(a_trace(RANKS[0], [[1, 3]], length=4, epochs=2)))
    assert found.found == "rank 1 took 2 passes, and 1 in a fresh process with another hash seed"


def test_sees_a_fresh_process_that_yields_something_where_nothing_was_yielded() -> None:
    again = {"again": [a_record([])]}
    trace = a_trace([[]], others=again, twins={"fresh": a_trace([[0]], length=1)}, world="gloo", length=1)
    (found,) = judged(LAW, trace)
    assert "yielded nothing in step 0 of epoch 0, and 0 in a fresh process" in found.found


def test_an_error_in_a_fresh_process_alone_is_told() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="next", rank=1, epoch=0, error="KeyError")
    (found,) = judged(LAW, beside_fresh(a_trace(RANKS[0], [[0]], faults=(fault,), length=4)))
    assert found.found == "rank 1 raised KeyError in a fresh process with another hash seed"
    assert (found.rank, found.epoch, found.experiment) == (1, 0, "epochs")


@pytest.mark.parametrize("kind", ["deadline", "crashed"])
def test_a_fresh_process_that_was_lost_proves_nothing(kind: str) -> None:
    fault = Fault(experiment="epochs", kind=kind, phase="next", rank=1)
    assert judged(LAW, beside_fresh(a_trace(RANKS[0], [[0]], faults=(fault,), length=4))) == []


def test_another_twin_is_none_of_its_business() -> None:
    twins = {"simulated": a_trace([[2, 0]], [[3, 1]], length=4)}
    again = {"again": [a_record([0, 2]), a_record([1, 3])]}
    assert judged(LAW, a_trace(*RANKS, others=again, twins=twins, world="gloo", length=4)) == []
