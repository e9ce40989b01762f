"""SC902 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.explain.pictures.table import grid
from samplercheck.laws.finishes_in_step import LAW
from samplercheck.laws.law import Scope
from samplercheck.values.finding import Violation
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

GROUPS = frozenset({"groups"})


def in_step(
    *ranks: list[Yield], uneven: tuple[int, int, tuple[bool, ...]] | None = None, **case: Any
) -> Trace:
    """Ranks of a group that took these passes in step."""
    notes = {"uneven": uneven} if uneven else {}
    records: list[Record] = [a_record(*rank, **notes) for rank in ranks]
    case.setdefault("length", 9)
    return a_trace(*[[[0]] for _ in ranks], others={"in_step": records}, world="gloo", epochs=1, **case)


def test_holds_where_all_ranks_leave_together() -> None:
    trace = in_step([[0, 2], [2, 0]], [[1, 3], [3, 1]])
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_who_waits_where_and_for_whom() -> None:
    (found,) = judged(LAW, in_step([[0, 2]], [[1, 3, 4]], uneven=(0, 2, (False, True))))
    assert found.found == "rank 1 waits in step 2 of epoch 0 for rank 0, which has left the epoch"
    assert (found.rank, found.epoch, found.step, found.experiment) == (0, 0, 2, "in_step")
    assert "as many steps" in found.hint


def test_names_all_of_many() -> None:
    ranks: list[list[Yield]] = [[[0]], [[]], [[1]], [[2]], [[]]]
    (found,) = judged(LAW, in_step(*ranks, uneven=(3, 0, (True, False, True, True, False))))
    assert found.found == (
        "ranks 0, 2 and 3 wait in step 0 of epoch 3 for ranks 1 and 4, which have left the epoch"
    )
    assert (found.rank, found.epoch, found.step) == (1, 3, 0)


def test_the_picture_marks_the_rank_that_left() -> None:
    trace = in_step([[0, 2]], [[1, 3, 4]], uneven=(0, 2, (False, True)))
    (found,) = judged(LAW, trace)
    lines = grid(trace, found)
    assert lines[0] == "epoch 0, in step"
    assert [line for line in lines if "left the epoch" in line and "rank 0" in line]


def test_one_rank_waits_for_nobody() -> None:
    assert not LAW.sees(in_step([[0, 1]]))


def test_has_nothing_to_look_at_in_empty_epochs() -> None:
    assert not LAW.sees(in_step([[]], [[]], length=0))


def test_has_nothing_to_look_at_where_ranks_were_not_run_in_step() -> None:
    trace = a_trace([[0]], [[1]], length=2)
    assert not LAW.sees(trace)
    assert not LAW.sees(a_trace([[0]], [[1]], others={"in_step": [a_record(), a_record()]}, length=2))


def test_a_pass_that_could_not_be_read_tells_nothing_of_its_steps() -> None:
    strange = a_pass([0], strange="step 1 is 'a' (str)")
    assert not LAW.sees(in_step([strange], [[1, 3]], uneven=(0, 1, (False, True))))  # type: ignore[list-item]


@pytest.mark.parametrize(
    "contract",
    [
        Contract(),
        Contract(sharding="none"),
        Contract.endless(),
        Contract(tail="drop"),
        Contract(batches="variable"),
    ],
    ids=str,
)
def test_applies_wherever_process_groups_take_part(contract: Contract) -> None:
    assert LAW.applies(Scope(contract=contract, named=frozenset(), traits=GROUPS))
    assert not LAW.applies(Scope(contract=contract, named=frozenset()))


def test_does_not_apply_where_the_tail_is_kept() -> None:
    assert not LAW.applies(Scope(contract=Contract.evaluation(), named=frozenset(), traits=GROUPS))


def test_what_it_finds_is_certain() -> None:
    (found,) = judged(LAW, in_step([[0]], [[1, 2]], uneven=(0, 1, (False, True))))
    assert isinstance(found, Violation)
    assert (found.chance, found.advice) == (0.0, False)
