"""A state of another place is refused or rightly continued (SC706)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.foreign_state import LAW
from samplercheck.laws.law import Scope
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import judged

RIGHT = a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0])
WRONG = a_trial("plain", 0, (1,), [0], [0, 1], [2, 1, 0])
REFUSED = Contract(foreign_state="refused")


def trace(*trials, places=((1, 0),), once=RIGHT, contract=REFUSED, **rest):
    record = resumed(*trials, places=places)
    return a_run(record, experiment="foreign", others={"resumed": [resumed(once)]}, contract=contract, **rest)


def found(*trials, **rest):
    return judged(LAW, trace(*trials, **rest))


def test_what_is_continued_rightly_holds_and_so_does_what_is_refused():
    assert found(a_trial("seed", 0, (1,), [0], [1, 2])) == []
    assert found(a_trial("seed", 0, (1,), [0], error="load_state_dict() raised ValueError: seed 0")) == []


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("seed", "seed 1"),
        ("length", "a dataset of 4 samples"),
        ("batch_size", "batches of 2 samples"),
    ],
)
def test_what_is_continued_wrongly_without_a_word_breaks(way, words):
    (one,) = found(a_trial(way, 0, (1,), [0], [0, 2]))
    assert one.found == (
        f"a state saved after 1 step of epoch 0 on 1 rank and loaded with {words} is accepted silently: "
        "together sample 1 missing and sample 0 repeated"
    )
    assert (one.epoch, one.step, one.advice, one.consequence) == (0, 1, False, "loses data")


def test_by_default_it_is_advice():
    (one,) = found(a_trial("seed", 0, (1,), [0], [0, 1, 2]), contract=Contract())
    assert one.advice
    assert one.consequence == "repeats data"


def test_the_state_of_rank_0_is_promised_to_all_ranks_and_nothing_more():
    promised = Contract(foreign_state="rank_0")
    elsewhere = a_trial("seed", 0, (1,), [0], [0, 1, 2])
    assert found(a_trial("rank", 0, (1,), [0], [1, 2]), contract=promised) == []
    (one,) = found(elsewhere, contract=promised)
    assert one.advice
    (one,) = found(elsewhere, a_trial("rank", 0, (1,), [0], [0, 1]), places=((1, 0),) * 2, contract=promised)
    assert (one.advice, one.evidence.way) == (False, "rank")
    assert "what all ranks have in common" in one.hint


def test_no_rank_may_refuse_the_state_that_is_meant_for_all():
    refused = a_trial("rank", 0, (1,), [0], error="load_state_dict() raised ValueError: rank 0")
    assert found(refused) == []
    (one,) = found(refused, contract=Contract(foreign_state="rank_0"))
    assert one.found == (
        "the state that rank 0 saved after 1 step of epoch 0 cannot be loaded by rank 0: "
        "load_state_dict() raised ValueError: rank 0"
    )


def test_in_another_world_the_tail_may_be_padded():
    ways = [("world_size", 0, (1,), [0], [one]) for one in (1, 2)]
    trials = [a_trial(way, epoch, stops, first, rest) for way, epoch, stops, first, rest in ways]
    assert found(*trials, places=((2, 0), (2, 1))) == []
    padded = a_trial("world_size", 0, (1,), [0], [1, 2]), a_trial("world_size", 0, (1,), [0], [1, 0])
    assert len(found(*padded, places=((2, 0), (2, 1)))) == 1  # two samples again, and one may be
    elastic = Contract(foreign_state="refused", elastic=True)
    assert found(*padded, places=((2, 0), (2, 1)), contract=elastic) == []


def test_samples_of_the_longer_dataset_alone_may_come_or_not():
    assert found(a_trial("length", 0, (1,), [0], [1, 2, 3])) == []
    assert found(a_trial("length", 0, (1,), [0], [1, 2])) == []


def test_nothing_is_judged_where_nobody_knows_what_an_epoch_holds_or_resuming_is_broken():
    wrong = a_trial("seed", 0, (1,), [0], [0, 2])
    groups = Contract(foreign_state="refused", tail_unit="group")
    assert found(wrong, contract=groups) == []
    assert not LAW.sees(trace(wrong, once=WRONG))
    for promised, applies in (
        ({"resume": "consumed"}, False),
        ({"resume": "state_dict"}, True),
        ({"resume": "state_dict", "endless": True}, False),
    ):
        scope = Scope(contract=Contract(**promised), named=frozenset({"consumed"}))
        assert LAW.applies(scope) is applies


def test_where_no_case_shows_it_the_law_does_not_apply_unless_it_is_promised():
    assert LAW.on_sight(Contract())
    assert not LAW.on_sight(Contract(foreign_state="refused"))
