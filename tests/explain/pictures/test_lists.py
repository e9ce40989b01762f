"""What is shown line by line: workers with what another one yields as well, epochs inside, refusals."""

from __future__ import annotations

from typing import Any

from samplercheck import Contract
from samplercheck.explain.pictures.lists import list_answers, list_inner, list_workers
from samplercheck.laws import epoch_reaches_workers
from samplercheck.laws.workers_split_data import LAW
from samplercheck.values.finding import Violation
from tests.support.loaded import KEPT, TWO, a_rank, loaded
from tests.support.traces import a_record, a_trace, judged


def of_two_workers(*by: int) -> tuple[str, ...]:
    row = a_rank([[0, 1, 2, 3]], (TWO, [[0, 0, 2, 2]]), roles=("stream",))
    trace = loaded(row, contract=Contract(tail="keep"), workers=2, length=4)
    trace.of("workers")[0].notes["by"] = ((), by)
    return list_workers(trace, judged(LAW, trace)[0])


def test_each_worker_has_a_row_and_says_what_comes_again() -> None:
    assert of_two_workers(0, 1, 0, 1) == (
        "epoch 0, in a DataLoader",
        "step                    0  1  2  3",
        "rank 0 without workers  0  1  2  3",
        "rank 0 worker 0         0  2  -  -",
        "rank 0 worker 1         0  2  -  -   <- again: 0, 2",
    )


def test_a_worker_that_stays_in_its_first_epoch_is_drawn_in_the_one_that_shows_it() -> None:
    row = a_rank([[0, 1, 2], [2, 0, 1]], (KEPT, [[0, 1, 2], [0, 1, 2]]), roles=("stream",))
    trace = loaded(row, length=3)
    trace.of("workers")[0].notes["by"] = ((), (), (0, 0, 0), (0, 0, 0))
    assert list_workers(trace, judged(epoch_reaches_workers.LAW, trace)[0]) == (
        "epoch 1, in a DataLoader",
        "step                    0  1  2",
        "rank 0 without workers  2  0  1",
        "rank 0 worker 0         0  1  2   <- as in epoch 0",
    )


def test_where_nobody_knows_whose_an_item_is_there_is_no_such_picture() -> None:
    assert of_two_workers() == ()


def test_what_a_wrapper_keeps_from_the_sampler_inside_is_drawn() -> None:
    def wrapped(*epochs: list[int], **notes: Any) -> Any:
        return a_trace(a_record(*epochs), others={"wrapped": [a_record(*epochs, **notes)]}, length=2)

    seen = Violation(found="something", rank=0, epoch=1, experiment="wrapped")
    stays = {"has_set_epoch": True, "inner_epochs": (0, 0), "inner_orders": ((0, 1), (0, 1))}
    assert list_inner(wrapped([0, 1], [0, 1], **stays), seen) == (
        "epoch set on the wrapper     0 1",
        "epoch of the sampler inside  0 0   <- differs",
    )
    first, *_ = list_inner(wrapped([0, 1], [0, 1], inner_orders=((0, 1), (1, 0))), seen) or ()
    assert first == "the sampler inside yields 1, 0"
    assert list_inner(wrapped([0, 1], inner_changed=("seed is 7 and was 0",)), seen) == ()
    assert list_inner(wrapped([0, 1]), Violation(found="something", epoch=0)) is None


def test_of_what_is_to_be_refused_it_shows_what_was_asked_and_what_came() -> None:
    asked = a_record(tried=("rank=-1", "world_size=0"), accepted=("rank=-1",))
    trace = a_trace([[0]], length=1, others={"nonsense": [asked]})
    assert list_answers(trace, Violation(found="something", epoch=0, experiment="nonsense")) == (
        "asked         what came",
        "rank=-1       built   <- no error",
        "world_size=0  refused",
    )
    assert list_answers(a_trace([[0]], length=1), Violation(found="something", epoch=0)) == ()
