"""A run goes on in a world of another size (SC705)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.elastic import LAW
from samplercheck.laws.law import Scope
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import judged

ELASTIC = Contract(elastic=True)
NEXT = [0, 1]


def grown(first, second, *, contract=ELASTIC, after=(NEXT, NEXT), error="", length=4):
    """One rank stopped after one of its samples, resumed as two."""
    trials = [
        a_trial("elsewhere", 0, (1,), [0], first, *after, error=error),
        a_trial("elsewhere", 0, (1,), [0], second, *after),
    ]
    record = resumed(*trials, places=((2, 0), (2, 1)))
    return judged(LAW, a_run(record, experiment="elastic", contract=contract, length=length))


def test_done_and_rest_that_are_the_epoch_hold_with_padding_for_the_new_world():
    assert grown([1, 3], [2, 0]) == []


def test_a_sample_that_nobody_yields_breaks():
    (one,) = grown([2], [3])
    assert (one.epoch, one.step, one.indices, one.experiment) == (0, 1, (1,), "elastic")
    assert one.found == "stopped after 1 step of epoch 0 on 1 rank and resumed on 2: no rank yields sample 1"


@pytest.mark.parametrize(
    ("after", "looked_at"),
    [
        (([2, 0], [1, 2]), "Whether the state counts the samples of all ranks together"),  # in turn
        (([2, 1], [0, 2]), "Whether the state counts the samples of all ranks together"),  # in blocks
        (([1, 0], [2, 1]), "Whether the order depends on the number of ranks"),
    ],
)
def test_where_the_order_is_another_in_the_other_world_that_is_to_blame(after, looked_at):
    trials = [a_trial("elsewhere", 0, (1,), [0], [2], one, one) for one in after]
    record = resumed(*trials, places=((2, 0), (2, 1)))
    (one,) = judged(LAW, a_run(record, experiment="elastic", contract=ELASTIC))
    assert one.found.endswith("no rank yields sample 1")
    assert one.hint.startswith(looked_at)


def test_more_repeats_than_padding_break():
    (one,) = grown([1, 3, 0], [2, 0])
    assert one.found.endswith("0 comes again, and padding accounts for 1")
    assert one.consequence == "repeats data"


@pytest.mark.parametrize(("tail", "broken"), [("pad", 0), ("keep", 1), ("drop", 1)])
def test_only_a_padded_tail_repeats(tail, broken):
    assert len(grown([1, 3], [2, 0], contract=ELASTIC.but(tail=tail))) == broken


def test_a_dropped_tail_may_leave_out_what_does_not_divide():
    assert grown([1], [2], contract=ELASTIC.but(tail="drop")) == []
    assert len(grown([], [], contract=ELASTIC.but(tail="drop"))) == 1


@pytest.mark.parametrize(
    ("first", "second", "contract", "broken"),
    [
        ([1, 3], [2], ELASTIC, True),
        ([1, 3], [2], ELASTIC.but(tail="keep"), False),
        ([1, 3, 2], [], ELASTIC.but(tail="keep"), True),
        ([1, 3, 2], [], ELASTIC, True),
        ([1, 3, 2], [], ELASTIC.but(tail="keep", even_steps=False), False),
        ([1, 3], [2], ELASTIC.but(tail="drop"), True),
    ],
)
def test_new_ranks_that_take_unlike_steps_break(first, second, contract, broken):
    found = [one for one in grown(first, second, contract=contract) if one.consequence == "would hang"]
    assert bool(found) is broken
    assert all("the ranks take" in one.found and "different numbers" in one.fault for one in found)


def test_the_next_epoch_is_that_of_the_new_world():
    (one,) = grown([1, 3], [2, 0], after=([1], NEXT))
    assert "rank 0 yields 1 in the next epoch, which should be 0, 1" in one.found
    assert one.hint.startswith("What load_state_dict() leaves for later epochs")
    assert one.consequence == "loses data"


def test_what_cannot_be_loaded_breaks():
    (one,) = grown([1, 3], [2, 0], error="load_state_dict() raised ValueError: world")
    assert "rank 0 cannot be resumed" in one.found
    assert one.consequence == "crashes"


def test_padding_among_what_was_done_leaves_nothing_to_judge():
    trials = [a_trial("elsewhere", 0, (2,), [0, 0], [1], NEXT, NEXT)]
    assert (
        judged(LAW, a_run(resumed(*trials, places=((1, 0),)), experiment="elastic", contract=ELASTIC)) == []
    )


@pytest.mark.parametrize(("second", "broken"), [([1], 1), ([1, 3], 0), ([], 0), (None, 0)])
def test_nothing_is_judged_where_not_all_ranks_stopped_at_one_step(second, broken):
    """What another rank has done by then is not known where it was stopped elsewhere, or not at all."""
    first = resumed(a_trial("elsewhere", 0, (1,), [0], [2], NEXT, NEXT), places=((1, 0),))
    trials = [] if second is None else [a_trial("elsewhere", 0, (1,), second)]
    other = resumed(*trials, places=((1, -1),))
    found = judged(LAW, a_run(first, other, experiment="elastic", contract=ELASTIC, length=4))
    assert [one.found.partition(": ")[2] for one in found] == ["no rank yields sample 3"] * broken


def test_a_rank_without_a_successor_tells_what_it_has_done():
    first = resumed(a_trial("elsewhere", 0, (1,), [0], [2], NEXT, NEXT), places=((1, 0),))
    second = resumed(a_trial("elsewhere", 0, (1,), [1]), places=((1, -1),))
    assert judged(LAW, a_run(first, second, experiment="elastic", contract=ELASTIC)) == []


def test_where_the_epoch_is_over_in_the_new_world_the_next_one_may_come():
    """Of five samples two ranks drop one: behind the fourth each of them begins again."""
    trials = [a_trial("elsewhere", 0, (4,), [0, 1, 2, 3], rest, NEXT, NEXT) for rest in ([0, 2], [1, 3])]
    record = resumed(*trials, places=((2, 0), (2, 1)))
    for epochs, broken in (("fixed", 0), ("advance", 0), ("set_epoch", 1)):
        contract = ELASTIC.but(tail="drop", epochs=epochs)
        run = a_run(record, experiment="elastic", contract=contract, length=5)
        assert len(judged(LAW, run)) == broken


def test_it_applies_only_where_it_is_promised():
    def applies(contract):
        return LAW.applies(Scope(contract=contract, named=frozenset(), traits=frozenset({"resumes"})))

    assert applies(ELASTIC)
    assert not applies(Contract())


@pytest.mark.parametrize(("third", "broken"), [([0, 1], 0), ([0, 1, 2], 1)])
def test_each_start_of_a_job_may_fill_up_its_ranks(third, broken):
    """What filled up the old ranks is dealt out with the rest: 4 comes again, and 0 and 1 fill up the new."""
    first = resumed(
        a_trial("elsewhere", 0, (1,), [4], [0, 1], NEXT, NEXT),
        a_trial("elsewhere", 0, (1,), [4], third, NEXT, NEXT),
        places=((3, 0), (3, 2)),
    )
    second = resumed(a_trial("elsewhere", 0, (1,), [3], [2, 4], NEXT, NEXT), places=((3, 1),))
    found = judged(LAW, a_run(first, second, experiment="elastic", contract=ELASTIC, length=5))
    assert len([one for one in found if "come again" in one.found]) == broken
