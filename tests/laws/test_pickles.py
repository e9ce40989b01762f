"""SC504 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.pickles import LAW
from tests.support.traces import a_pass, a_record, a_trace, drawn, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

SHARED = Contract(ambient_rng="shared")


def copied(*ranks: tuple[list[Yield], Yield], again: list[Record] | None = None, **case: object) -> Trace:
    """A trace whose ranks yield the epochs; the copy of an object in the last epoch, then the object."""
    copies = [
        a_record(a_pass(copy, epoch=len(epochs) - 1), a_pass(epochs[-1], epoch=len(epochs) - 1), pickling="")
        for epochs, copy in ranks
    ]
    twice = [a_record(a_pass(epochs[0]), a_pass(epochs[0])) for epochs, _ in ranks]
    others = {"pickled": copies, "again": again or twice}
    return a_trace(*[epochs for epochs, _ in ranks], others=others, **case)  # type: ignore[arg-type]


def test_holds_where_the_copy_yields_the_same_epoch() -> None:
    trace = copied(([[0, 1], [1, 0]], [1, 0]), ([[2, 3], [3, 2]], [3, 2]), length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_the_error_of_the_first_rank_that_cannot_be_pickled() -> None:
    error = "PicklingError: Can't pickle\n  <function <lambda>>" + "x" * 200
    records = [a_record(pickling=""), a_record(pickling=error)]
    trace = a_trace([[0]], [[1]], others={"pickled": records, "again": []}, length=2)
    (found,) = judged(LAW, trace)
    assert found.found.startswith(
        "pickling the target of rank 1 failed: PicklingError: Can't pickle <function"
    )
    assert len(found.found) <= 160
    assert (found.rank, found.experiment, found.detail) == (1, "pickled", error)
    assert "lambdas" in found.hint
    assert (found.consequence or LAW.consequence, found.fault or LAW.fault) == (
        "crashes if pickled",
        "holds something that cannot be pickled",
    )


def test_a_copy_that_asks_itself_for_what_it_has_not_yet_is_told_of_getattr() -> None:
    records = [a_record(pickling="RecursionError: maximum recursion depth exceeded")]
    (found,) = judged(LAW, a_trace([[0]], others={"pickled": records, "again": []}, length=1))
    assert found.hint.startswith("A __getattr__ that reads an attribute")


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ("TypeError: cannot pickle 'generator' object", "holds a generator, which pickle refuses"),
        ("Can't pickle local object 'f.<locals>.g'", "holds f.<locals>.g, which pickle refuses"),
        ("Can't get local object 'f.<locals>.g'", "holds f.<locals>.g, which pickle refuses"),
        ("Can't pickle local object <function f.<locals>.g>", "holds f.<locals>.g, which pickle refuses"),
        (f"TypeError: cannot pickle '{'long.' * 9}' object", ""),
    ],
)
def test_names_what_is_held_where_the_error_does_so_in_few_words(error: str, fault: str) -> None:
    trace = a_trace([[0]], others={"pickled": [a_record(pickling=error)], "again": []}, length=1)
    (found,) = judged(LAW, trace)
    assert found.fault == fault


def test_an_empty_epoch_is_pickled_too() -> None:
    trace = a_trace([[]], others={"pickled": [a_record(pickling="TypeError: no")]}, length=0)
    (found,) = judged(LAW, trace)
    assert found.found.endswith("TypeError: no")
    assert judged(LAW, copied(([[]], []), length=0)) == []


def test_finds_a_copy_that_lost_its_epoch() -> None:
    (found,) = judged(LAW, copied(([[0, 1], [1, 0]], [0, 1]), length=2, shuffle=True))
    assert (found.rank, found.epoch, found.step, found.indices) == (0, 1, 0, (1, 0))
    assert found.found == "rank 0 yielded 1 in step 0 of epoch 1, and 0 from a copy made by pickle"
    assert (found.consequence, found.fault) == ("wrong order", "a pickled copy yields something else")


def test_finds_a_copy_with_other_batches() -> None:
    (found,) = judged(LAW, copied(([[[0, 1], [2]]], [[0, 1]]), length=3, batch_size=2))
    assert (found.step, found.indices, found.consequence) == (1, (2,), "loses data")


def test_nothing_is_proved_where_a_rebuilt_target_differs() -> None:
    trace = copied(([[0, 1]], [1, 0]), again=[a_record([1, 0])], length=2)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_a_copy_is_compared_with_its_object_whatever_other_objects_yield() -> None:
    spent = [a_record([0], a_pass([]))]
    assert judged(LAW, copied(([[0], []], []), again=spent, length=1)) == []
    (found,) = judged(LAW, copied(([[0]], []), again=spent, length=1))
    assert found.indices == (0,)


def test_shared_generators_are_judged_by_members() -> None:
    assert judged(LAW, drawn(copied(([[0, 1], [1, 0]], [0, 1]), contract=SHARED, length=2))) == []
    (found,) = judged(LAW, drawn(copied(([[0, 1], [1, 0]], [0]), contract=SHARED, length=2)))
    assert found.found == "epoch 1 had 1 sample instead of 2 from a copy made by pickle"
    sampled = Contract(ambient_rng="shared", coverage="sampled")
    assert judged(LAW, drawn(copied(([[0, 1]], [1, 1]), contract=sampled, length=2))) == []


def test_a_pass_that_is_no_epoch_tells_nothing_of_another() -> None:
    """What draws too few at random is the finding of SC102, not of the copy."""
    assert judged(LAW, drawn(copied(([[0, 1], [1]], [0]), contract=SHARED, length=2))) == []
    (found,) = judged(LAW, drawn(copied(([[0, 1], [1, 0]], [0, 0]), contract=SHARED, length=2)))
    assert found.indices == (0, 1)


def test_ranks_that_share_nothing_are_compared_each_with_itself() -> None:
    alone = Contract(sharding="none")
    (found,) = judged(LAW, copied(([[0]], [0]), ([[0]], []), contract=alone, length=1))
    assert found.rank == 1


def test_has_nothing_to_look_at_where_nothing_was_pickled() -> None:
    assert not LAW.sees(a_trace([[0]], length=1))


def test_where_nothing_is_spawned_it_is_strict_that_copies_fail_or_differ() -> None:
    forked = Contract(spawn=False)
    unlike = copied(([[0, 1], [1, 0]], [0, 1]), length=2, shuffle=True, contract=forked)
    failed = [a_record(pickling="TypeError: no")]
    raised = a_trace([[0]], others={"pickled": failed, "again": []}, length=1, contract=forked)
    for trace in (unlike, raised):
        (found,) = judged(LAW, trace)
        assert found.grade == "strict"
    assert judged(LAW, copied(([[0, 1], [1, 0]], [0, 1]), length=2, shuffle=True))[0].grade == "harm"
