"""Which sample went where, as far as the trace tells."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.explain.pictures.shown import whereabouts
from tests.support.traces import a_pass, a_record, a_trace


def test_each_sample_has_its_ranks_and_what_is_odd_is_told() -> None:
    trace = a_trace([[0, 2]], [[1, 0]], length=4)
    assert whereabouts(trace, "epochs", 0) == (
        "sample    0  1  2  3",
        "rank    0,1  1  0  -",
        "missing: 3; more than once: 0",
    )


def test_a_whole_epoch_is_told_in_three_words() -> None:
    assert whereabouts(a_trace([[0]], [[1]], length=2), "epochs", 0)[-1] == "every sample once"


def test_ranks_that_share_nothing_are_told_one_by_one() -> None:
    trace = a_trace([[0, 0]], [[0, 1]], length=2, contract=Contract(sharding="none"))
    assert whereabouts(trace, "epochs", 0) == (
        "sample   0   1",
        "rank 0  2x  0x",
        "missing: 1; more than once: 0",
        "sample   0   1",
        "rank 1  1x  1x",
        "every sample once",
    )


def test_strays_are_mentioned() -> None:
    assert whereabouts(a_trace([[0, 9]], length=1), "epochs", 0)[-1] == "some indices are not in the dataset"


def test_several_passes_of_an_epoch_are_named() -> None:
    record = a_record(a_pass([0, 1]), a_pass([1]), of=(0, 1), ways=((0, None, False), (1, 2, True)))
    lines = whereabouts(a_trace([[0, 1]], length=2, others={"workers": [record]}), "workers", 0)
    assert [line for line in lines if line.endswith(":")] == ["without workers:", "1 worker, persistent:"]
    assert lines[-1] == "missing: 0"
