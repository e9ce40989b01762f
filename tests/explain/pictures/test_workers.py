"""Pictures of workers: a row for each, with what another one yields as well."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.explain.pictures.workers import list_workers
from samplercheck.laws.workers_split_data import LAW
from tests.support.loaded import TWO, a_rank, loaded
from tests.support.traces import judged


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


def test_where_nobody_knows_whose_an_item_is_there_is_no_such_picture() -> None:
    assert of_two_workers() == ()
