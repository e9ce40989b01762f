"""SC403 on traces written by hand."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.leaves_rng_alone import LAW
from tests.support.traces import a_record, a_trace, judged


def test_says_nothing_where_a_rank_imported_meanwhile_and_no_other_moved_one() -> None:
    unknown, moving = a_record([0]), a_record([1], moved=(("iterating", "torch"),))
    assert not LAW.sees(a_trace(unknown, a_record([1], moved=()), length=2))
    assert judged(LAW, a_trace(unknown, moving, length=2))


def test_holds_where_no_generator_moved() -> None:
    trace = a_trace(a_record([0], moved=()), a_record([1], moved=()), length=2)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_the_first_rank_and_each_moment_with_its_generators() -> None:
    moved = (("building", "random"), ("iterating", "numpy"), ("iterating", "torch"))
    trace = a_trace(a_record([0], moved=()), a_record([1], moved=moved), a_record([2], moved=moved), length=3)
    building, iterating = judged(LAW, trace)
    assert building.found == "building the target on rank 1 moved the global generator of random"
    assert building.rank == 1
    assert "random.Random" in building.hint
    assert iterating.found == "iterating the target on rank 1 moved the global generator of numpy and torch"
    assert "default_rng" in iterating.hint
    assert "torch.Generator" in iterating.hint
    assert not iterating.advice


def test_is_advice_where_the_generators_are_shared() -> None:
    trace = a_trace(
        a_record([0], moved=(("iterating", "torch"),)), contract=Contract(ambient_rng="shared"), length=1
    )
    (found,) = judged(LAW, trace)
    assert found.advice


def test_an_empty_epoch_can_move_generators_too() -> None:
    trace = a_trace(a_record([], moved=(("iterating", "random"),)), length=0, shuffle=True)
    (found,) = judged(LAW, trace)
    assert "iterating the target on rank 0" in found.found


def test_has_nothing_to_look_at_where_nobody_watched() -> None:
    assert not LAW.sees(a_trace([[0]], length=1))


def test_ranks_that_share_nothing_and_batches_are_watched_alike() -> None:
    record = a_record([[0, 1]], moved=(("building", "numpy"),))
    trace = a_trace(record, contract=Contract(sharding="none"), length=2, batch_size=2)
    assert [found.rank for found in judged(LAW, trace)] == [0]


def test_what_is_put_back_when_a_pass_ends_is_found_inside() -> None:
    trace = a_trace(a_record([0], moved=()), a_record([1], moved=(("inside", "torch"),)), length=2)
    (found,) = judged(LAW, trace)
    assert found.found == "while rank 1 iterates, the global generator of torch is in another state"
    assert found.evidence.way == "inside"
    assert "around a yield" in found.hint


def test_what_saving_and_loading_a_state_move_is_told_for_itself() -> None:
    trace = a_trace(a_record([0], moved=()), a_record([1], moved=(("saving", "torch"),)), length=2)
    (found,) = judged(LAW, trace)
    what = "saving and loading a state of the target on rank 1"
    assert found.found == f"{what} moved the global generator of torch"
    assert (found.event, found.evidence.way) == ("when a state is saved and loaded", "saving")
    assert "torch.Generator" in found.hint
