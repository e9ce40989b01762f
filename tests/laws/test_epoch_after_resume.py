"""The epoch after a resumed one is whole (SC702)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.epoch_after_resume import IN_LATER, LAW, SKIPS
from samplercheck.laws.law import Scope
from samplercheck.values.record import Length
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import a_record, drawn, judged

ADVANCE = Contract(epochs="advance")


def found(*trials, contract=None, **rest):
    return judged(LAW, a_run(resumed(*trials, **rest), contract=contract))


def test_a_whole_next_epoch_holds():
    assert found(a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0])) == []


def test_an_offset_that_is_kept_breaks():
    (one,) = found(a_trial("plain", 0, (1,), [0], [1, 2], [1, 0]))
    assert (one.rank, one.epoch, one.step) == (0, 0, 1)
    assert one.found == (
        "rank 0, stopped after 1 item of epoch 0, yields 1, 0 in the epoch after the resumed one, which "
        "should "
        "be 2, 1, 0"
    )
    assert "the restored position" in one.hint


def test_it_is_said_for_how_long_epochs_are_wrong_where_a_second_one_was_taken():
    """All runs that went on have to say so, and none may: of others it is not said."""
    lasting, passing, unknown = (
        a_trial("plain", 0, (1,), [0], [1, 2], [1, 0], *later) for later in ([[0, 2]], [[1, 0, 2]], [])
    )
    for trials, fault, event in (
        ([lasting], "after a resume each later epoch skips samples", IN_LATER),
        ([passing], SKIPS, "in the epoch after the resumed one, not in the one after that"),
        ([lasting, unknown], "after a resume each later epoch skips samples", IN_LATER),
        ([lasting, passing], SKIPS, ""),
        ([unknown], SKIPS, ""),
    ):
        assert {(one.fault, one.event) for one in found(*trials)} == {(fault, event)}
    (other,) = found(a_trial("plain", 0, (1,), [0], [1, 2], [0, 1, 2], [0, 1, 2]))
    assert (other.fault, other.event) == ("", "")  # orders may be alike by luck


def test_an_epoch_that_comes_again_breaks_unless_the_process_may_draw_it():
    """What has no set_epoch and moves no generator of the process has orders of its own all the same."""
    again = a_run(
        resumed(a_trial("plain", 0, (1,), [0], [1, 2], [0, 1, 2])),
        contract=Contract(epochs="advance", ambient_rng="shared"),
    )
    for record in again.records["epochs"]:
        record.notes["has_set_epoch"] = False
    assert len(judged(LAW, again)) == 1
    assert judged(LAW, drawn(again)) == []


def test_a_whole_next_epoch_in_another_order_is_not_blamed_on_the_position():
    (one,) = found(a_trial("plain", 0, (1,), [0], [1, 2], [0, 1, 2]))
    assert one.hint.startswith("What the order after the resumed epoch is made from")


def test_where_an_end_began_the_next_epoch_the_one_behind_it_follows():
    assert found(a_trial("plain", 0, (3,), [0, 1, 2], [2, 1, 0], [1, 0, 2]), contract=ADVANCE) == []
    assert len(found(a_trial("plain", 0, (3,), [0, 1, 2], [2, 1, 0], [2, 1, 0]), contract=ADVANCE)) == 1


def test_behind_an_epoch_that_began_at_the_end_of_another_comes_the_one_after_it():
    promised = Contract(at_end="next")
    assert found(a_trial("plain", 0, (3,), [0, 1, 2], [2, 1, 0], [1, 0, 2]), contract=promised) == []
    assert len(found(a_trial("plain", 0, (3,), [0, 1, 2], [2, 1, 0], [2, 1, 0]), contract=promised)) == 1
    assert found(a_trial("at once", 0, (3,), [0, 1, 2], [1, 0, 2]), contract=promised) == []


def test_of_epochs_alike_by_luck_the_first_may_have_been_begun_again():
    orders = [[0, 1, 2], [0, 1, 2], [2, 1, 0], [1, 0, 2]]
    for contract in (ADVANCE, Contract(epochs="either", after_break="rest")):
        for last, wrong in (([2, 1, 0], 0), ([0, 1, 2], 0), ([1, 0, 2], 1)):
            trial = a_trial("plain", 0, (3,), [0, 1, 2], [0, 1, 2], last)
            run = a_run(resumed(trial, straight=orders), straight=orders, contract=contract)
            assert len(judged(LAW, run)) == wrong


def test_where_a_beginning_was_an_end_the_epoch_itself_follows():
    assert found(a_trial("plain", 1, (0,), [], [], [2, 1, 0]), contract=ADVANCE) == []


@pytest.mark.parametrize(("way", "broken"), [("end seen", 0), ("plain", 1)])
def test_behind_an_end_that_was_seen_an_empty_pass_may_have_been_the_next_epoch(way, broken):
    """A single sample goes to a rank in every second epoch."""
    orders = [[0], [], [0], []]
    run = a_run(
        resumed(a_trial(way, 0, (1,), [0], [], [0]), straight=orders),
        straight=orders,
        contract=Contract(epochs="advance", tail="keep"),
    )
    assert len(judged(LAW, run)) == broken


def test_a_rest_that_is_wrong_or_an_error_is_another_law_s():
    assert found(a_trial("plain", 0, (1,), [0], [0], [0])) == []
    assert found(a_trial("plain", 0, (1,), [0], error="no")) == []


def test_under_shared_generators_the_number_of_steps_is_judged():
    shared = Contract(ambient_rng="shared")
    whole, short = (
        a_trial("plain", 0, (1,), [0], [1, 2], [1, 0, 2]),
        a_trial("plain", 0, (1,), [0], [1, 2], [1, 0]),
    )
    assert judged(LAW, drawn(a_run(resumed(whole), contract=shared))) == []
    assert len(judged(LAW, drawn(a_run(resumed(short), contract=shared)))) == 1
    assert len(found(whole, contract=shared)) == 1  # nothing but the state decides the order


def test_the_next_epoch_at_once_is_whole_where_states_tell_epochs_apart():
    whole, kept = (a_trial("at once", 0, (1,), [0], rest) for rest in ([2, 1, 0], [1, 0]))
    assert found(whole, tells_epochs=True) == []
    (one,) = found(kept, tells_epochs=True)
    assert not one.advice
    assert "after loading and set_epoch(1)" in one.found
    shared = Contract(ambient_rng="shared")
    assert judged(LAW, drawn(a_run(resumed(kept, tells_epochs=True), contract=shared))) == []
    assert found(a_trial("at once", 0, (1,), [0], error="no"), tells_epochs=True) == []


def test_a_state_without_an_epoch_that_keeps_its_position_is_only_advised_about():
    kept = a_trial("at once", 0, (1,), [0], [1, 0])
    (one,) = found(kept, kept, tells_epochs=False)
    assert one.advice
    assert "iterate once" in one.hint


def test_an_endless_target_has_no_next_epoch():
    def applies(**promise):
        return LAW.applies(
            Scope(contract=Contract(**promise), named=frozenset(), traits=frozenset({"resumes"}))
        )

    assert applies()
    assert not applies(endless=True)
    assert not applies(resume="none") or not LAW.sees(a_run(resumed()))


def said(number, usual, **rest):
    """What is found of a run behind whose next epoch len() is a number, where it is usually another."""
    record = resumed(a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0]))
    record.notes["trials"] = [trial._replace(said=number) for trial in record.notes["trials"]]
    lengths = a_record([0, 1, 2], [2, 1, 0])
    lengths.lengths = [Length("after", epoch, usual) for epoch in range(2)]
    return judged(LAW, a_run(record, others={"lengths": [lengths]}, **rest))


def test_a_length_that_stays_short_after_a_resumed_epoch_breaks():
    (one,) = said(2, 3)
    assert "says len() 2 in the epoch after the resumed one, which yields 3 items" in one.found
    assert (one.consequence, one.evidence.kind) == ("wrong step count", "said")


def test_a_length_that_is_right_or_wrong_without_resuming_too_is_none_of_it():
    assert said(3, 3) == said(2, 2) == said(None, 3) == []


def test_a_walk_is_known_as_far_as_the_run_that_was_not_stopped_went():
    """What resumed runs took before is no part of it."""
    straight = [[0, 1, 2], [2, 0, 1]]
    walk = Contract(epochs="advance", after_break="rest")
    for stopped, wrong in ((1, 0), (0, 1)):
        trial = a_trial("plain", stopped, (1,), straight[stopped][:1], straight[stopped][1:], [0, 2, 1])
        run = a_run(resumed(trial, straight=straight), straight=straight * 2, contract=walk)
        assert len(judged(LAW, run)) == wrong


def test_a_next_epoch_that_is_begun_at_once_is_told_of_as_such_and_the_one_behind_an_end_first():
    early, late = a_trial("at once", 0, (1,), [0], [1, 0]), a_trial("at once", 0, (3,), [0, 1, 2], [])
    first, second = found(early, late, tells_epochs=True)
    assert first.found.startswith("rank 0, stopped after 3 items of epoch 0, yields nothing after loading")
    assert {first.event, second.event} == {"with set_epoch of another epoch right after loading"}
