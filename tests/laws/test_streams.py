"""The laws of coverage, of passes that are too long to be kept: by fingerprints and tables of what is off."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws import complete, disjoint, in_range, minimal_padding, terminates
from samplercheck.laws.law import UndecidedError
from samplercheck.values.fingerprint import FingerprintTaker
from samplercheck.values.record import Record
from samplercheck.values.sketch import Sketch
from samplercheck.values.stream import SKETCHED, STREAMED, Stream, keys_of
from tests.support.traces import a_trace

KEEP, PAD, DROP = (Contract(tail=tail) for tail in ("keep", "pad", "drop"))
NAMED, TOLD_APART, UNTOLD = "named", "told apart", "untold"


def long(*offs, contract=KEEP, length=5, total=None, tables=NAMED, world_size=2, **details):
    """A trace of long epochs: by how much which samples came more often than owed, epoch by epoch.

    ``tables`` says whether a second pass named them, named others, or was not taken.
    """
    trace = a_trace(*[[]] * world_size, contract=contract, length=length, **details)
    first, second = ([Record([], notes={}) for _ in range(world_size)] for _ in range(2))
    for number, off in enumerate(offs):
        keys, whole = keys_of(trace.case), length * contract.repeats + sum(off.values())
        taker, table = FingerprintTaker(keys), Sketch(keys, length)
        taker.leave(off)
        table.leave(off if tables == NAMED else {sample: 2 * often for sample, often in off.items()})
        for rank in range(world_size):
            samples = (whole if total is None else total) if rank == 0 else 0
            left = {"left": taker.fingerprint} if rank == 0 else {}
            first[rank].streams.append(Stream(number, samples, samples, **left))
            if tables != UNTOLD:
                second[rank].streams.append(Stream(number, sketch=Sketch(keys, length) if rank else table))
    others = {STREAMED: first, SKETCHED: second}
    return a_trace(*[[]] * world_size, contract=contract, length=length, others=others, **details)


def losses(*offs, **details):
    return list(complete.LAW.judge(long(*offs, **details)))


def repetitions(*offs, **details):
    return list(disjoint.LAW.judge(long(*offs, **details)))


def test_what_is_owed_and_comes_holds():
    assert losses({}, {}) == repetitions({}, {}) == []
    assert losses({1: 1}) == repetitions({1: -1}) == []


def test_a_sample_that_is_lost_is_named_in_its_epoch():
    (found,) = losses({}, {3: -1, 1: -1, 4: 2}, {0: -1})
    assert found.found == "in epoch 1 no rank yielded samples 1 and 3"
    assert (found.rank, found.epoch, found.indices) == (None, 1, (1, 3))
    (alone,) = losses({3: -1}, world_size=1)
    assert (alone.found, alone.rank) == ("in epoch 0 rank 0 did not yield sample 3", 0)


def test_what_may_be_dropped_is_not_lost():
    assert losses({4: -1}, contract=DROP) == []
    (found,) = losses({4: -1, 3: -1}, contract=DROP)
    assert found.found.endswith("samples 3 and 4: 2 missing where 1 may be dropped")


def test_copies_that_are_lost_are_counted():
    (found,) = losses({2: -1, 4: -3}, contract=Contract(tail="keep", repeats=3))
    assert found.found == "in epoch 0 sample 2 came 2 of 3 times; too rare: samples 2 and 4"


def test_a_tail_that_is_left_out_is_told_from_what_is_lost_in_place_of_others():
    (tail,) = losses({4: -1})
    assert 'declare tail="drop"' in tail.hint
    (two,) = losses({4: -1, 3: -1})
    assert two.hint == ""
    (apart,) = losses({4: -1, 3: 1})
    assert "cut their share from the same order" in apart.hint
    assert losses({4: -1, 3: 1}, world_size=1)[0].hint == ""


def test_what_comes_again_is_named_and_padding_is_not_told_of():
    (found,) = repetitions({}, {2: 1, 4: 2})
    assert (
        found.found
        == "in epoch 1 the ranks yielded sample 2 2 times, at most 1 is allowed; too often: samples 2 and 4"
    )
    assert repetitions({0: 1}, contract=PAD) == []
    (found,) = repetitions({0: 2}, contract=PAD)
    assert found.found == "in epoch 0 the ranks yielded sample 0 3 times, at most 2 is allowed"


@pytest.mark.parametrize("tables", [TOLD_APART, UNTOLD])
def test_what_cannot_be_named_is_broken_where_nothing_may_be_so(tables):
    for judge in (losses, repetitions):
        (found,) = judge({2: 1, 4: -1}, tables=tables)
        assert found.indices == ()
        assert found.found.endswith("which samples is not known, as passes taken again yield something else")


@pytest.mark.parametrize("tables", [TOLD_APART, UNTOLD])
@pytest.mark.parametrize(
    ("judge", "contract", "off"),
    [
        (losses, DROP, {4: -1}),
        (losses, KEEP, {2: 1}),
        (repetitions, PAD, {0: 1}),
        (repetitions, PAD, {0: 1, 1: 1, 2: -1}),
        (repetitions, KEEP, {2: -1}),
    ],
)
def test_what_cannot_be_named_is_not_known_where_the_contract_may_allow_it(judge, contract, off, tables):
    with pytest.raises(UndecidedError, match="is not known"):
        judge(off, contract=contract, tables=tables)


def test_an_epoch_that_is_known_to_be_wrong_decides_though_another_one_is_not():
    assert len(losses({2: 1}, {2: -3, 1: -1}, tables=UNTOLD)) == 1
    assert len(repetitions({2: -1}, {2: 3}, tables=UNTOLD)) == 1


def test_of_too_many_to_be_named_it_is_said_where_they_are():
    length = 2**14
    (found,) = losses(
        {**dict.fromkeys(range(0, length, 2), -1), **dict.fromkeys(range(1, 99, 2), 1)}, length=length
    )
    assert found.found.startswith("in epoch 0 not all came: about 8,")
    where = ("112 to 127", "128 to 143", "144 to 159")
    assert all(f"{one} (8 fewer than owed)" in found.found for one in where)


@pytest.mark.parametrize("contract", [Contract(coverage="subset"), Contract(tail_unit="group")])
def test_where_no_total_is_owed_nothing_is_known(contract):
    for law in (complete.LAW, disjoint.LAW, minimal_padding.LAW):
        with pytest.raises(UndecidedError, match="says nothing of the whole"):
            list(law.judge(long({}, contract=contract)))


@pytest.mark.parametrize(
    ("stray", "strays", "more", "harm"), [(7, 1, "", ""), (-1, 3, " and 2 more strays", "repeats data")]
)
def test_what_is_no_sample_is_told_with_its_step(stray, strays, more, harm):
    trace = long({}, {})
    one = trace.of(STREAMED)[1].streams[1]
    one.strays, one.stray, one.stray_step = strays, stray, 4
    (found,) = in_range.LAW.judge(trace)
    assert found.found == f"in epoch 1 rank 1 yields {stray} in step 4{more}: the dataset has 0 to 4"
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 1, 4, (stray,))
    assert found.consequence == harm


def test_strays_are_no_samples_that_came_in_place_of_the_lost():
    trace = long({2: -1}, total=5, tables=UNTOLD)
    trace.of(STREAMED)[0].streams[0].strays = 1
    assert len(list(complete.LAW.judge(trace))) == 1
    with pytest.raises(UndecidedError):
        list(disjoint.LAW.judge(trace))


def test_what_is_no_index_is_told():
    trace = long({})
    trace.of(STREAMED)[0].streams[0].strange = "item 0 is 'a'"
    (found,) = in_range.LAW.judge(trace)
    assert found.found == "in epoch 0 rank 0 yields what is no index: item 0 is 'a'"


def test_an_endless_pass_that_is_long_and_ends_is_told():
    trace = long({}, contract=Contract.endless())
    first, _ = terminates.LAW.judge(trace)
    assert first.found == "declared endless, but rank 0 stopped after 5 steps in epoch 0"
    trace.of(STREAMED)[0].streams[0].ending = "capped"
    assert [one.rank for one in terminates.LAW.judge(trace)] == [1]


def test_where_not_all_ranks_were_run_too_many_is_not_known():
    trace = long({0: 2})
    trace.seen = frozenset({0})
    with pytest.raises(UndecidedError, match="ranks"):
        list(disjoint.LAW.judge(trace))
