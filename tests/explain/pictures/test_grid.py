"""The grid shows the epoch of a violation, marks what is wrong in words and fits 76 columns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Contract
from samplercheck.explain.pictures.table import epoch_grid, grid
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Fault, Length
from tests.support.traces import a_pass, a_record, a_trace


def a_violation(**fields: Any) -> Violation:
    return Violation(**{"found": "something", "epoch": 0, **fields})


def test_a_rank_that_left_the_epoch_is_marked_beside_its_missing_steps() -> None:
    trace = a_trace([[0, 2]], [[1]], length=3)
    assert grid(trace, a_violation(rank=1, step=1)) == (
        "step    0  1",
        "rank 0  0  2   <- waits at step 1",
        "rank 1  1  -   <- left the epoch",
    )


def test_batches_stand_in_brackets_and_a_sample_that_came_again_is_named() -> None:
    trace = a_trace([[[0, 2], [4, 6]]], [[[1, 3], [3, 5]]], length=8, batch_size=2)
    assert grid(trace, a_violation(rank=1, step=1, indices=(3,))) == (
        "step        0      1",
        "rank 0  [0 2]  [4 6]",
        "rank 1  [1 3]  [3 5]   <- again: 3",
    )


def test_a_batch_that_is_wrong_as_a_whole_is_pointed_to_where_padding_has_no_bound() -> None:
    batches = [[[0, 0], [1, 0]]]
    trace = a_trace(batches, length=2, batch_size=2, contract=Contract(tail="pad", tail_unit="group"))
    seen = a_violation(rank=0, step=1, indices=(1, 0))
    assert grid(trace, seen)[-1] == "rank 0  [0 0]  [1 0]   <- step 1"
    bounded = a_trace(batches, length=2, batch_size=2, contract=Contract(tail="pad"))
    assert grid(bounded, seen)[-1].endswith("<- again: 0")


def test_what_is_missing_stands_below_the_grid() -> None:
    trace = a_trace([[0, 2]], [[1, 4]], length=6)
    assert grid(trace, a_violation(indices=(3, 5)))[-1] == "<- missing: samples 3 and 5"


def test_what_is_missing_in_all_epochs_is_said_of_a_violation_without_epoch() -> None:
    trace = a_trace([[0, 1], [1, 0]], [[2], [2]], length=4)
    lines = grid(trace, a_violation(epoch=None, indices=(3,)))
    assert lines == (
        "          rank 0   rank 1",
        "epoch 0   0  1     2",
        "epoch 1   1  0     2",
        "<- missing: sample 3",
    )


def test_padding_that_the_contract_allows_is_not_marked() -> None:
    trace = a_trace([[0, 2]], [[1, 0]], length=3, contract=Contract(tail="pad"))
    assert not any("again" in line for line in grid(trace, a_violation(indices=(0,))))


def test_nothing_is_called_missing_where_a_rank_did_not_finish() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="next", rank=1, epoch=0, error="KeyError")
    trace = a_trace([[0, 2]], a_record(a_pass([1], ending="running")), length=4, faults=(fault,))
    lines = grid(trace, a_violation(rank=1, step=1, indices=(3,)))
    assert lines[-1] == "rank 1  1  -   <- raised KeyError"


def test_a_rank_that_failed_before_its_first_pass_has_an_empty_row() -> None:
    fault = Fault(experiment="epochs", kind="deadline", phase="iter", rank=1)
    trace = a_trace([[0]], a_record(), length=1, faults=(fault,))
    assert grid(trace, a_violation(rank=1))[-1] == "rank 1  -   <- hung"


def test_what_a_rank_yielded_before_it_failed_is_in_its_row() -> None:
    begun = a_pass([3], epoch=1, ending="broken off")
    fault = Fault(
        experiment="epochs", kind="raised", phase="next", rank=1, epoch=1, error="KeyError", begun=begun
    )
    trace = a_trace([[0, 2], [2, 0]], a_record([1]), length=4, faults=(fault,))
    assert grid(trace, a_violation(rank=1, epoch=1, step=1)) == (
        "epoch 1",
        "step    0  1",
        "rank 0  2  0",
        "rank 1  3  -   <- raised KeyError",
    )
    assert epoch_grid(trace, "epochs", 0)[-1] == "rank 1  1  -"


def test_an_index_outside_the_dataset_is_named() -> None:
    trace = a_trace([[0, 7]], length=2)
    assert grid(trace, a_violation(rank=0, step=1, indices=(7,)))[-1].endswith("<- not in the dataset: 7")


def test_an_item_that_is_no_index_is_named() -> None:
    trace = a_trace(a_record(a_pass([0], strange="'a' (str)")), length=2)
    assert grid(trace, a_violation(rank=0, step=1))[-1].endswith("<- no index: 'a' (str)")


def test_several_passes_of_one_epoch_are_told_apart() -> None:
    again = [a_record(a_pass([0, 1]), a_pass([1, 0]))]
    trace = a_trace([[0, 1]], length=2, others={"again": again})
    assert grid(trace, a_violation(rank=0, step=0, experiment="again", indices=(0, 1))) == (
        "epoch 0, by a second object",
        "step           0  1",
        "rank 0 pass 1  0  1",
        "rank 0 pass 2  1  0   <- step 0",
    )


def test_passes_under_other_seeds_are_named_by_their_seeds() -> None:
    seeds = [a_record(a_pass([0, 1]), a_pass([0, 1]), seeds=(1, 99))]
    trace = a_trace([[0, 1]], length=2, others={"seeds": seeds})
    lines = grid(trace, a_violation(rank=0, experiment="seeds"))
    assert [line.split("  ")[0] for line in lines[2:]] == ["rank 0 seed 1", "rank 0 seed 99"]


def test_of_the_ways_to_run_a_loader_the_one_that_is_told_is_pointed_to() -> None:
    ways = ((0, None, False), (2, 1, False), (2, 4, True))
    record = a_record(a_pass([0]), a_pass([0, 0]), a_pass([0, 0]), of=(0, 1, 2), ways=ways)
    trace = a_trace([[0]], length=1, others={"workers": [record]}, workers=2)

    def pointed(number: int) -> list[str]:
        evidence = Evidence(passes=(number,))
        lines = grid(trace, a_violation(rank=0, experiment="workers", evidence=evidence))
        return [line.partition("  0")[0].strip() for line in lines if "<- here" in line]

    assert pointed(1) == ["rank 0 2 workers"]
    assert pointed(2) == ["rank 0 2 workers, persistent"]


def test_where_len_was_asked_its_answers_stand_beside_the_passes_that_are_otherwise() -> None:
    asked = [a_record(a_pass([0, 2])), a_record(a_pass([1]))]
    for record in asked:
        record.lengths += [Length("built", 0, 2), Length("after", 0, 2)]
    trace = a_trace([[0, 2]], [[1]], length=3, others={"lengths": asked})
    lines = grid(trace, a_violation(rank=1, step=1, experiment="lengths"))
    assert lines[2:] == ("rank 0  0  2", "rank 1  1  -   <- len() is 2")
    asked[0].lengths[1] = Length("after", 0, 3)
    lines = grid(trace, a_violation(rank=0, experiment="lengths"))
    assert lines[2] == "rank 0  0  2   <- len() is 2, then 3"


def test_the_draws_of_what_is_never_to_be_drawn_are_shown_and_marked() -> None:
    often = [[number % 2 for _ in range(3)] for number in range(40)]
    often[17] = often[18] = [0, 2, 1]
    draws = [a_record(*[a_pass(one, epoch=epoch) for epoch, one in enumerate(often)])]
    trace = a_trace([[0, 1, 0]], length=3, others={"draws": draws})
    lines = grid(trace, a_violation(epoch=None, indices=(2,), experiment="draws"))
    marked = [line for line in lines if "<-" in line]
    assert marked == [
        "rank 0 epoch 17  0  2  1   <- drawn: 2",
        "rank 0 epoch 18  0  2  1   <- drawn: 2",
    ]


def test_no_single_pass_is_pointed_to_for_what_frequencies_show() -> None:
    draws = [a_record(*[a_pass([0, 2, 1], epoch=epoch) for epoch in range(3)])]
    trace = a_trace([[0, 1, 0]], length=3, others={"draws": draws})
    for rank in (None, 0):
        odd = a_violation(epoch=None, rank=rank, indices=(2,), experiment="draws", chance=1e-15)
        assert not any("<-" in line for line in grid(trace, odd))


def test_a_later_epoch_is_named_above_the_grid() -> None:
    trace = a_trace([[0], [0]], length=1)
    assert grid(trace, a_violation(epoch=1, rank=0))[0] == "epoch 1"


def test_what_failed_before_any_epoch_is_shown_beside_the_first_epoch_of_the_others() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="build", rank=1, error="KeyError")
    trace = a_trace([[0], [0]], a_record(), length=2, faults=(fault,))
    assert grid(trace, a_violation(epoch=None, rank=1)) == (
        "step    0",
        "rank 0  0",
        "rank 1  -   <- raised KeyError",
    )


def test_there_is_no_picture_where_nothing_was_recorded() -> None:
    assert grid(a_trace([[0]], length=1), a_violation(experiment="nonsense")) == ()
    fault = Fault(experiment="epochs", kind="raised", phase="build", rank=0)
    assert grid(a_trace(a_record(), length=1, faults=(fault,)), a_violation(rank=0)) == ()


def test_a_wide_and_tall_picture_keeps_the_place_of_the_fault() -> None:
    trace = a_trace(*[a_record(list(range(rank, 60_000, 300))) for rank in range(300)], length=60_000)
    lines = grid(trace, a_violation(rank=200, step=100, indices=(30_200,)))
    assert max(map(len, lines)) <= 76
    assert len(lines) <= 12
    marked = next(line for line in lines if line.startswith("rank 200"))
    assert " 30200 " in marked
    assert marked.endswith("<- step 100")
    assert {line.split("  ")[0] for line in lines} >= {"step", "rank 0", "...", "rank 299"}


@pytest.mark.thorough
@given(
    passes=st.lists(
        st.lists(st.lists(st.integers(-(2**62), 2**62), max_size=40), max_size=60), min_size=1, max_size=20
    ),
    rank=st.integers(0, 19),
    step=st.integers(0, 100) | st.none(),
    indices=st.lists(st.integers(-(2**62), 2**62), max_size=5),
)
def test_any_picture_fits_its_frame(
    passes: list[list[list[int]]], rank: int, step: int | None, indices: list[int]
) -> None:
    trace = a_trace(*[a_record(a_pass(one, batched=True)) for one in passes], length=30)
    lines = grid(trace, a_violation(rank=rank % len(passes), step=step, indices=tuple(indices)))
    assert lines
    assert all(len(line) <= 76 and line.isascii() for line in lines)
    assert len(lines) <= 12
    assert any(line.startswith(f"rank {rank % len(passes)} ") for line in lines)


def test_a_picture_without_a_violation_remarks_on_faults_alone() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="next", rank=1, epoch=0, error="KeyError")
    trace = a_trace([[0, 2]], a_record(a_pass([0])), length=3, faults=(fault,))
    assert epoch_grid(trace, "epochs", 0) == (
        "step    0  1",
        "rank 0  0  2",
        "rank 1  0  -   <- raised KeyError",
    )


def test_of_very_many_that_are_missing_no_number_is_told() -> None:
    trace = a_trace([[0, 1]], length=40)
    assert grid(trace, a_violation(indices=tuple(range(2, 40))))[-1] == "<- missing: samples 2, 3, 4 ..."
