"""SC804: the state of a loader counts what was delivered."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.state_counts_delivered import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

WHOLE, BEGUN, REST = [[0], [1], [2]], [[0]], [[1], [2]]
KEEPING = ("loader", "own_workers", "loader_state")
RIGHT = (WHOLE, BEGUN, REST)


def resumed(*ways, stopped=None, saved=False):
    """A trace of one rank that was interrupted and resumed without workers, then with one."""
    passes = [a_pass(one, batched=True) for way in ways for one in way]
    record = a_record(*passes, resumed=(0, 1)[: len(ways)], stopped=stopped or {}, saved=saved)
    return a_trace([], others={"delivered": [record]}, length=3, workers=1)


def test_what_was_left_in_both_ways_holds():
    assert judged(LAW, resumed(RIGHT, RIGHT)) == []


def test_a_state_that_is_ahead_of_the_loop_is_broken():
    (found,) = judged(LAW, resumed(RIGHT, (WHOLE, BEGUN, [[2]])))
    assert found.found == "rank 0, interrupted after yielding 0 with 1 worker, went on with 2 instead of 1, 2"
    assert (found.rank, found.epoch, found.step) == (0, 0, 1)
    assert found.consequence == "loses data"


def test_a_state_that_is_that_of_no_workers_was_read_wrongly():
    (ahead,) = judged(LAW, resumed(RIGHT, (WHOLE, BEGUN, [[2]])))
    (found,) = judged(LAW, resumed(RIGHT, (WHOLE, BEGUN, [[2]]), saved=True))
    assert (ahead.fault, found.fault) == ("", "does not resume with workers where it stopped")
    assert "whether the state counts" in ahead.hint
    assert "what a worker skips" in found.hint
    (other,) = judged(LAW, resumed(RIGHT, (WHOLE, [[0], [1]], [[1], [2]]), saved=True))
    assert other.hint != found.hint, "one state after other samples is wrong for one of them"


def test_a_state_that_leads_back_or_elsewhere_is_not_called_ahead():
    for rest in ([[0], [1], [2]], [[1], [3]]):
        (found,) = judged(LAW, resumed(RIGHT, (WHOLE, BEGUN, rest)))
        assert found.fault == "does not resume with workers where it stopped"
        assert "within its own samples" in found.hint


def test_nothing_left_is_said_in_words():
    (found,) = judged(LAW, resumed(RIGHT, (WHOLE, BEGUN, [])))
    assert "went on with nothing instead of 1, 2" in found.found


def test_an_error_with_workers_alone_is_broken():
    (found,) = judged(LAW, resumed(RIGHT, stopped={1: "KeyError: 'done'"}))
    assert found.found == "rank 0, cannot be resumed with 1 worker: KeyError: 'done'"
    assert found.consequence == "crashes"


@pytest.mark.parametrize(
    "trace",
    [
        resumed((WHOLE, BEGUN, [[2]]), RIGHT),
        resumed((WHOLE, [[1]], REST), RIGHT),
        resumed(stopped={0: "KeyError: 'done'"}),
        resumed(([], [], []), ([], [], [])),
        resumed(RIGHT),
    ],
    ids=["resumed wrongly", "begun otherwise", "not resumed", "empty", "no workers"],
)
def test_what_is_wrong_without_workers_is_left_to_other_laws(trace):
    assert not LAW.sees(trace)


def test_a_pass_interrupted_at_its_end_may_be_followed_by_the_next():
    full = (WHOLE, WHOLE, WHOLE)
    assert judged(LAW, resumed(full, full)) == []
    assert judged(LAW, resumed(full, (WHOLE, WHOLE, []))) == []


@pytest.mark.parametrize(
    ("contract", "traits", "applies"),
    [
        (Contract(), {*KEEPING}, True),
        (Contract(resume="state_dict"), {*KEEPING}, True),
        (Contract(), {"loader", "own_workers"}, False),
        (Contract(resume="none"), {*KEEPING}, False),
        (Contract(resume="consumed"), {*KEEPING}, False),
        (Contract.endless(), {*KEEPING}, False),
    ],
)
def test_it_applies_to_loaders_with_a_state(contract, traits, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset(), traits=frozenset(traits))) is applies
