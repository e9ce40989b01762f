"""SC503 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.abandon_safely import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_pass, a_record, a_trace, drawn, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

SHARED = Contract(ambient_rng="shared")
ADVANCE = Contract(epochs="advance")


def given_up(*ranks: tuple[Yield, Yield, Yield], again: list[Record] | None = None, **case: object) -> Trace:
    """A trace whose ranks yield the first of three, give up after the second, and then yield the third."""
    epochs = [a_record(whole) for whole, _, _ in ranks]
    left = [a_record(a_pass(part, ending="abandoned"), a_pass(after)) for _, part, after in ranks]
    others = {"abandoned": left, "again": again or [a_record(whole) for whole, _, _ in ranks]}
    return a_trace(*epochs, others=others, **case)  # type: ignore[arg-type]


def test_holds_where_the_next_pass_is_whole() -> None:
    trace = given_up(([1, 0], [1], [1, 0]), ([2, 3], [2], [2, 3]), length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_finds_a_pass_that_goes_on_in_the_middle() -> None:
    (found,) = judged(LAW, given_up(([0, 1], [0], [0, 1]), ([2, 3], [2], [3]), length=4))
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 0, 0, (2, 3))
    assert found.found == "rank 1 yielded 2 in step 0 of epoch 0, and 3 after a break out of an epoch"
    assert found.experiment == "abandoned"


def test_finds_batches_that_go_on_in_the_middle() -> None:
    (found,) = judged(LAW, given_up(([[0, 1], [2, 3]], [[0, 1]], [[2, 3]]), length=4, batch_size=2))
    assert (found.step, found.indices) == (0, (0, 1, 2, 3))


def test_a_next_epoch_must_be_whole_in_whatever_order() -> None:
    assert judged(LAW, given_up(([0, 1], [0], [1, 0]), contract=ADVANCE, length=2)) == []
    (found,) = judged(LAW, given_up(([0, 1], [0], [1]), contract=ADVANCE, length=2))
    assert found.found == "epoch 0 had 1 sample instead of 2 after a break out of an epoch"


def advancing(*epochs: Yield, after: Yield, given_up: tuple[Yield, ...]) -> Trace:
    """A trace of one rank whose passes are new epochs: some are given up, and then a whole one is taken."""
    left = [a_pass(part, ending="abandoned") for part in given_up]
    record = a_record(*epochs)
    others = {"abandoned": [a_record(*left, a_pass(after, epoch=len(left)))], "again": [record]}
    return a_trace(record, others=others, contract=ADVANCE, shuffle=True, length=len(after))


def test_finds_that_passes_that_were_given_up_come_again() -> None:
    (found,) = judged(LAW, advancing([1, 0, 2], [2, 0, 1], after=[1, 0, 2], given_up=([1], [1], [1])))
    assert found.found == "the pass after a break is epoch 0 once more: 1, 0, 2"
    assert (found.chance, found.experiment) == (0.125, "abandoned")


def test_a_next_epoch_that_is_another_one_holds() -> None:
    assert judged(LAW, advancing([1, 0, 2], [2, 0, 1], after=[2, 0, 1], given_up=([1],))) == []
    assert judged(LAW, advancing([1, 0, 2], [2, 0, 1], after=[1, 0, 2], given_up=([1], [2]))) == []
    assert judged(LAW, advancing([1, 0, 2], [1, 0, 2], after=[1, 0, 2], given_up=([1],))) == []  # SC301


def test_epochs_that_begin_alike_by_design_and_are_alike_now_and_then_are_no_old_ones() -> None:
    longest_first, breaks = [[1, 0, 2], [1, 2, 0], [1, 2, 0]], ([1], [1], [1])
    assert judged(LAW, advancing(*longest_first, after=[1, 0, 2], given_up=breaks)) == []
    known = advancing(*longest_first, [1, 2, 0], after=[1, 0, 2], given_up=breaks)
    assert len(judged(LAW, known)) == 1


def test_nothing_is_proved_where_a_rebuilt_target_differs() -> None:
    assert not LAW.sees(given_up(([0, 1], [0], [1, 0]), again=[a_record([1, 0])], length=2))


def test_nothing_is_proved_where_the_process_generators_were_used() -> None:
    trace = given_up(([0, 1], [0], [1, 0]), length=2)
    trace.of("epochs")[0].notes["moved"] = (("iterating", "torch"),)
    assert not LAW.sees(trace)


def test_shared_generators_are_judged_by_members_in_one_place_alone() -> None:
    assert judged(LAW, drawn(given_up(([0, 1], [0], [1, 0]), contract=SHARED, length=2))) == []
    (found,) = judged(LAW, drawn(given_up(([0, 1], [0], [1]), contract=SHARED, length=2)))
    assert found.rank == 0
    assert not LAW.sees(drawn(given_up(([0, 1], [0], [1]), ([2, 3], [2], [3]), contract=SHARED, length=4)))


def test_has_nothing_to_look_at_where_nothing_was_given_up() -> None:
    assert not LAW.sees(given_up(([], [], []), length=0))
    assert not LAW.sees(a_trace([[0]], length=1))


def test_sees_more_ranks_than_samples_and_ranks_that_share_nothing() -> None:
    keep = Contract.evaluation()
    assert judged(LAW, given_up(([0], [0], [0]), ([], [], []), contract=keep, length=1)) == []
    alone = Contract(sharding="none")
    (found,) = judged(LAW, given_up(([0, 1], [0], [0, 1]), ([0, 1], [0], [1]), contract=alone, length=2))
    assert found.rank == 1


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        (Contract(), True),
        (ADVANCE, True),
        (Contract(endless=True, epochs="fixed"), True),
        (Contract.single_process(), True),
        (Contract.weighted(), False),
        (Contract(epochs="advance", batches="variable"), False),
    ],
)
def test_applies_where_the_contract_says_what_comes_after(contract: Contract, expected: bool) -> None:
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is expected


AGAIN = Contract(epochs="advance", after_break="again")
REST = Contract(epochs="advance", after_break="rest")


def test_a_pass_that_was_given_up_may_be_promised_to_come_again() -> None:
    whole = [[0, 1, 2, 3], [3, 1, 0, 2]]
    trace = advancing(*whole, after=whole[0], given_up=([0],))
    assert [found.evidence.kind for found in judged(LAW, trace)] == ["begins again"]
    trace.contract = AGAIN
    assert judged(LAW, trace) == []


def test_another_pass_breaks_what_is_promised_to_come_again_unless_the_process_draws_it() -> None:
    broken = ([0, 1, 2, 3], [0], [3, 1, 0, 2])
    (found,) = judged(LAW, given_up(broken, contract=AGAIN, length=4))
    assert (found.step, found.indices, found.experiment) == (0, (0, 3), "abandoned")
    shared = AGAIN.but(ambient_rng="shared")
    assert judged(LAW, drawn(given_up(broken, contract=shared, length=4))) == []


@pytest.mark.parametrize(("epochs", "second", "found"), [(48, [1, 0], 0), (48, [0, 1], 1), (2, [1, 0], 1)])
def test_where_whole_passes_come_before_a_break_they_may_have_changed_the_next_one(
    epochs: int, second: list[int], found: int
) -> None:
    again = [a_record([0, 1], second)]
    assert len(judged(LAW, given_up(([0, 1], [0], [1, 0]), again=again, length=2, epochs=epochs))) == found


@pytest.mark.parametrize(("rest", "found"), [([1, 2], 0), ([1, 2, 0], 0), ([2], 1), ([0, 1, 2], 1)])
def test_a_pass_may_be_promised_to_go_on_where_the_last_one_stopped(rest: list[int], found: int) -> None:
    seen = judged(LAW, given_up(([0, 1, 2], [0], rest), contract=REST, length=3))
    assert len(seen) == found
    assert all(one.step == 1 for one in seen)


@pytest.mark.parametrize(
    ("epochs", "rest", "found"),
    [("either", [1, 0], 0), ("either", [1, 2], 0), ("either", [2, 1], 1), ("advance", [1, 2], 1)],
)
def test_where_no_set_epoch_came_it_may_be_the_epoch_before_that_is_gone_on_with(
    epochs: str, rest: list[int], found: int
) -> None:
    left = a_record(a_pass([0], epoch=1, ending="abandoned"), a_pass(rest, epoch=1))
    both = a_record([0, 1, 2], [0, 1, 0])
    contract = Contract(epochs=epochs, after_break="rest")
    trace = a_trace(both, others={"abandoned": [left], "again": [both]}, contract=contract, length=3)
    assert len(judged(LAW, trace)) == found
