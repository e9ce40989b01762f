"""SC501 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.reiterates import LAW
from tests.support.traces import a_pass, a_record, a_trace, drawn, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace

SHARED = Contract(ambient_rng="shared")
FIXED = Contract(epochs="fixed")


def an_object(*records: Record, contract: Contract | None = None, **case: object) -> Trace:
    """A trace in which every rank took the first epoch twice."""
    epochs = [a_record(record.passes[0]) for record in records]
    return a_trace(*epochs, others={"again": list(records)}, contract=contract, **case)  # type: ignore[arg-type]


def twice(first: list[int], second: list[int]) -> Record:
    """Two passes of the first epoch."""
    return a_record(a_pass(first), a_pass(second))


def test_holds_where_the_second_pass_is_the_first() -> None:
    trace = an_object(twice([1, 0], [1, 0]), twice([2, 3], [2, 3]), length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_finds_a_second_pass_that_is_empty() -> None:
    (found,) = judged(LAW, an_object(twice([0], []), length=1))
    assert (found.rank, found.epoch, found.step, found.indices) == (0, 0, 0, (0,))
    assert found.found == "rank 0 yielded 0 in step 0 of epoch 0, and nothing in the second pass"
    assert found.experiment == "again"
    assert "__iter__" in found.hint


DRAWN_ON = Contract(coverage="sampled", frequencies="unjudged", epochs="advance", sharding="none")


@pytest.mark.parametrize(("later", "found"), [([], 1), ([3], 0)])
def test_of_many_draws_the_first_is_not_the_only_one_with_samples(later: list[int], found: int) -> None:
    assert LAW.applies(Scope(contract=DRAWN_ON, named=frozenset()))
    passes = [[3, 1], *[[]] * 46, later]
    seen = judged(LAW, a_trace(passes, length=4, epochs=48, contract=DRAWN_ON))
    assert [one.fault for one in seen] == ["passes behind the first are empty"] * found
    assert not LAW.sees(a_trace(passes[:3], length=4, epochs=3, contract=DRAWN_ON))
    assert not LAW.applies(
        Scope(contract=DRAWN_ON.but(coverage="once", frequencies="weights"), named=frozenset())
    )


@pytest.mark.parametrize(("third", "found"), [([1, 0], []), ([0, 1], ["third"]), ([], ["third"]), (None, [])])
def test_finds_a_third_pass_that_differs(third: list[int] | None, found: list[str]) -> None:
    later = [] if third is None else [a_pass(third)]
    trace = an_object(a_record(a_pass([1, 0]), a_pass([1, 0]), *later), length=2, shuffle=True)
    trace.of("again")[0].passes[0].epoch = 1  # so that there is something to compare
    assert [one.found.split()[-2] for one in judged(LAW, trace)] == found


def test_finds_a_second_pass_that_is_longer() -> None:
    (found,) = judged(LAW, an_object(twice([], [0]), length=1))
    assert (found.step, found.indices) == (0, (0,))


def test_finds_a_second_pass_in_another_order() -> None:
    (found,) = judged(LAW, an_object(twice([0, 1, 2], [0, 2, 1]), length=3, shuffle=True))
    assert (found.step, found.indices) == (1, (1, 2))


def test_the_same_samples_in_another_order_are_not_called_lost() -> None:
    moved = judged(LAW, an_object(twice([0, 1], [2, 1]), twice([2, 3], [0, 3]), length=4, shuffle=True))
    assert [one.consequence for one in moved] == ["wrong order", "wrong order"]
    (lost,) = judged(LAW, an_object(twice([0, 1], [1]), twice([2, 3], [2, 3]), length=4, shuffle=True))
    assert lost.consequence == ""  # the law's own: data is lost


def test_compares_the_first_passes_of_what_never_ends() -> None:
    endless = Contract(endless=True, epochs="fixed")
    record = a_record(a_pass([0, 1, 0], ending="capped"), a_pass([1, 0, 1], ending="capped"))
    (found,) = judged(LAW, an_object(record, contract=endless, length=2))
    assert found.indices == (0, 1)


def test_what_never_ends_may_draw_on_and_is_told_of_one_walk_where_it_goes_on() -> None:
    endless = Contract(endless=True, epochs="fixed")
    record = a_record(a_pass([0, 1, 0], ending="capped"), a_pass([1, 0, 1], ending="capped"))
    drawing = an_object(record, contract=endless.but(sharding="none", ambient_rng="shared"), length=2)
    assert len(judged(LAW, drawing)) == 1
    assert judged(LAW, drawn(drawing)) == []
    walk = a_trace(record, others={"again": [record]}, contract=endless, length=2)
    assert [one.evidence.argument for one in judged(LAW, walk)] == ['after_break="rest"']
    dry = a_record(a_pass([0, 1, 0], ending="capped"), a_pass([]))  # what yields nothing more does not go on
    spent = a_trace(dry, others={"again": [dry]}, contract=endless, length=2)
    assert [one.evidence.argument for one in judged(LAW, spent)] == [""]


@pytest.mark.parametrize(("back", "meant"), [([0, 1, 2], 'epochs="either"'), ([2, 0, 1], "")])
def test_a_pass_that_goes_on_is_meant_only_where_set_epoch_leads_back(back: list[int], meant: str) -> None:
    usual = a_record(a_pass([0, 1, 2]), a_pass([1, 2, 0], epoch=1))
    again = a_record(a_pass([0, 1, 2]), a_pass([1, 2, 0]))
    jumps = a_record(a_pass([1, 2, 0], epoch=1), a_pass(back), has_set_epoch=True)
    trace = a_trace(usual, others={"again": [again], "jumps": [jumps]}, length=3)
    assert [one.evidence.argument for one in judged(LAW, trace)] == [meant]


def test_shared_generators_may_reorder_a_second_pass() -> None:
    trace = drawn(
        an_object(twice([0, 1], [3, 0]), twice([2, 3], [2, 1]), contract=SHARED, length=4, shuffle=True)
    )
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_shared_generators_may_not_lose_samples() -> None:
    (found,) = judged(
        LAW, drawn(an_object(twice([0, 1], [1, 0]), twice([2, 3], [2, 0]), contract=SHARED, length=4))
    )
    assert (found.rank, found.epoch, found.indices) == (None, 0, (0, 3))
    assert found.found == "epoch 0 had samples 0 and 3 too often or not at all in the second pass"


def test_shared_generators_may_choose_what_is_padded_but_not_how_much() -> None:
    padded = drawn(an_object(twice([0, 1], [2, 0]), twice([2, 0], [1, 1]), contract=SHARED, length=3))
    assert judged(LAW, padded) == []
    (found,) = judged(
        LAW, drawn(an_object(twice([0, 1], [2]), twice([2, 0], [1]), contract=SHARED, length=3))
    )
    assert found.found == "epoch 0 had 2 samples instead of 4 in the second pass"


def test_each_rank_is_a_share_of_its_own_where_nothing_is_shared() -> None:
    alone = Contract(ambient_rng="shared", sharding="none")
    (found,) = judged(
        LAW, drawn(an_object(twice([0, 1], [1, 0]), twice([0, 1], [1, 1]), contract=alone, length=2))
    )
    assert (found.rank, found.indices) == (1, (0, 1))


def test_compares_members_of_long_passes() -> None:
    long = list(range(500))
    held = drawn(an_object(twice(long, long[::-1]), contract=SHARED, length=500))
    assert judged(LAW, held) == []
    (found,) = judged(LAW, drawn(an_object(twice(long, [*long[:-1], 3]), contract=SHARED, length=500)))
    assert found.indices == (3, 499)


def test_a_rank_whose_second_pass_is_empty_is_told_so_whatever_others_yield() -> None:
    trace = an_object(twice([0, 1], []), twice([2, 3], [2, 3]), length=4)
    assert [one.fault for one in judged(LAW, trace)] == ["a second pass of an epoch is empty"]
    trace = an_object(twice([0, 1], [0]), twice([2, 3], []), length=4)
    assert [one.fault for one in judged(LAW, trace)][:1] == [""]


def test_has_nothing_to_look_at_in_two_empty_passes_or_without_a_second() -> None:
    assert not LAW.sees(an_object(twice([], []), length=0))
    assert not LAW.sees(an_object(a_record([0]), length=1))
    sampled = Contract(coverage="sampled", ambient_rng="shared", order="free")
    assert not LAW.sees(drawn(an_object(twice([0], [1]), contract=sampled, length=2)))


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        (Contract(), True),
        (Contract(epochs="fixed", endless=True), True),
        (Contract(epochs="fixed", endless=True, after_break="rest"), False),
        (Contract(epochs="fixed", endless=True, sharding="none", ambient_rng="shared"), False),
        (Contract(epochs="fixed", ambient_rng="shared"), True),
        (Contract(epochs="fixed", after_break="rest"), True),
        (SHARED, True),
        (Contract(epochs="advance"), False),
        (Contract(ambient_rng="shared", coverage="sampled"), False),
        (Contract(ambient_rng="shared", batches="variable"), False),
    ],
)
def test_applies_where_an_epoch_can_be_taken_twice(contract: Contract, expected: bool) -> None:
    moving = Scope(contract=contract, named=frozenset(), traits=frozenset({"moves torch"}))
    assert LAW.applies(moving) is expected


def test_what_may_draw_on_shared_generators_and_does_not_repeats_to_the_index() -> None:
    trace = an_object(twice([0, 1], [1, 0]), contract=SHARED, length=2)
    (found,) = judged(LAW, trace)
    assert found.found == "rank 0 yielded 0 in step 0 of epoch 0, and 1 in the second pass"
    trace.of("epochs")[0].notes["loads"] = True
    assert judged(LAW, trace) == []  # a DataLoader always draws, for itself or for its sampler
    sampled = SHARED.but(coverage="sampled")
    assert LAW.applies(Scope(contract=sampled, named=frozenset()))
    assert not LAW.applies(Scope(contract=sampled, named=frozenset(), traits=frozenset({"loader"})))


def test_a_fixed_order_is_one_order_whoever_drew_it() -> None:
    fixed = Contract(ambient_rng="shared", epochs="fixed", order="shuffled")
    assert judged(LAW, an_object(twice([1, 0], [1, 0]), contract=fixed, length=2)) == []
    (found,) = judged(LAW, an_object(twice([1, 0], [0, 1]), contract=fixed, length=2))
    assert found.found == "rank 0 yielded 1 in step 0 of epoch 0, and 0 in the second pass"
    assert LAW.applies(Scope(contract=fixed.but(coverage="sampled"), named=frozenset()))


@pytest.mark.parametrize(
    ("first", "second", "harm"),
    [
        ([0, 1, 2, 3], [3, 1, 2, 0], "wrong order"),
        ([3, 3, 1, 3], [1, 3, 0, 1], "not reproducible"),
        ([0, 1, 2, 3], [0, 1, 2, 2], ""),
        ([3, 3, 1, 3], [1, 3, 0], ""),
    ],
    ids=["another order", "other draws", "a sample lost", "fewer draws"],
)
def test_what_another_pass_does_is_told_by_what_it_loses(
    first: list[int], second: list[int], harm: str
) -> None:
    (found,) = judged(LAW, an_object(twice(first, second), length=4))
    assert found.consequence == harm


@pytest.mark.parametrize(("built_again", "unlike"), [([0, 1, 2], False), ([1, 2, 0], True)])
def test_what_is_unlike_in_each_object_too_need_not_be_changed_by_a_pass(
    built_again: list[int], unlike: bool
) -> None:
    other = twice(built_again, [2, 1, 0])
    trace = a_trace(a_record(a_pass([0, 1, 2])), others={"again": [other]}, contract=FIXED, length=3)
    (found,) = judged(LAW, trace)
    assert found.evidence.supposes == (("SC402",) if unlike else ())
    assert found.consequence == ("not reproducible" if unlike else "wrong order")
    assert ("uses up" in found.hint) is not unlike


def test_draws_that_hold_no_sample_twice_lose_nothing_either() -> None:
    drawn = an_object(twice([0, 1, 2, 3], [0, 1, 2, 2]), contract=Contract(coverage="sampled"), length=4)
    assert [one.consequence for one in judged(LAW, drawn)] == ["not reproducible"]
