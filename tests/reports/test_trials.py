"""Pictures of resumed runs: the run that a violation is about, and no other."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.resumes_exactly import LAW as EXACTLY
from samplercheck.laws.resumes_once import LAW as ONCE
from samplercheck.reports.picture import grid
from tests.laws.resumptions import a_run, a_trial, resumed

FINE = a_trial("plain", 0, (0,), [], [0, 1, 2], [2, 1, 0])
AGAIN = a_trial("plain", 0, (2,), [0, 1], [1, 2], [2, 1, 0])
OFFSET = a_trial("plain", 0, (1,), [0], [1, 2], [1, 0])


def picture(law, *trials):
    trace = a_run(resumed(*trials), contract=Contract())
    return grid(trace, next(iter(law.judge(trace))))


def test_a_wrong_rest_is_shown_beside_the_whole_epoch():
    assert picture(EXACTLY, FINE, AGAIN, OFFSET) == (
        "epoch 0, experiment resumed",
        "step            0  1  2",
        "rank 0 whole    0  1  2",
        "rank 0 stopped  0  1  -",
        "rank 0 resumed  1  2  -   <- here",
    )


def test_a_wrong_next_epoch_is_shown_behind_the_rest():
    lines = picture(ONCE, FINE, OFFSET)
    assert [line.split("  ")[0] for line in lines[2:]] == [
        "rank 0 epoch 0 whole",
        "rank 0 epoch 0 stopped",
        "rank 0 epoch 0 resumed",
        "rank 0 epoch 1 next",
    ]
    assert lines[-1].endswith("<- here")
