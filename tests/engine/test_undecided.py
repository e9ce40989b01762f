"""What a run says where process groups fall short, hang, or are interrupted."""

from __future__ import annotations

import os
import signal

import pytest

import samplercheck as sc
from samplercheck.values.errors import TargetError
from samplercheck.values.record import Fault
from tests.engine.fakes import Worlds, judged, outcomes, reason
from tests.zoo._sound import Strided

pytestmark = pytest.mark.usefixtures("brief")


def test_a_world_that_is_unavailable_leaves_its_laws_unknown_with_the_reason():
    worlds = Worlds(unavailable={"nccl": "World 'nccl' needs 2 GPUs and found 0."})
    report = judged(worlds, worlds=["gloo", "nccl"])
    expected = {"SC104": "holds", "SC402": "holds", "SC901": "unknown", "SC902": "unknown"}
    assert outcomes(report) == expected
    assert reason(report, "SC901") == "World 'nccl' needs 2 GPUs and found 0."
    assert "nccl: World 'nccl' needs 2 GPUs and found 0" in report.not_tried


def test_a_run_in_an_unavailable_world_alone_decides_nothing():
    worlds = Worlds(unavailable={"nccl": "no GPU here"})
    report = judged(worlds, worlds=["nccl"], select=())
    assert set(outcomes(report).values()) == {"unknown", "not_applicable"}
    assert {one.reason for one in report.results if one.outcome is sc.Outcome.UNKNOWN} == {"no GPU here"}
    assert not report.ok


def test_a_target_that_never_yields_anything_keeps_no_law():
    contract = sc.Contract(coverage="subset")
    asked = {"contract": contract, "profile": "quick", "select": ["SC101"]}
    report = sc.run(lambda length, rank, world_size: [], **asked)
    assert outcomes(report) == {"SC101": "unknown"}
    assert reason(report, "SC101") == "the target yielded nothing in any case, so there was nothing to judge"
    some = sc.run(lambda length, rank, world_size: range(length == 7 and not rank), **asked)
    assert some.outcome is sc.Outcome.HOLDS


def test_a_target_that_cannot_travel_leaves_the_laws_of_groups_unknown_and_the_rest_goes_on():
    worlds = Worlds(stuck="Closure variable 'lock' of factory cannot travel.")
    report = judged(worlds, worlds=["simulated", "gloo"])
    expected = {"SC104": "holds", "SC402": "holds", "SC901": "unknown", "SC902": "unknown"}
    assert outcomes(report) == expected
    assert "'lock'" in reason(report, "SC902")


def test_where_a_group_is_all_that_was_asked_for_a_target_that_cannot_travel_is_an_error():
    with pytest.raises(TargetError, match="'lock'"):
        judged(Worlds(stuck="Closure variable 'lock' cannot travel."), worlds=["gloo"])


def test_one_rank_shows_nothing_of_ranks_together():
    report = judged(Worlds(most_ranks=1), worlds=["nccl"])
    assert set(outcomes(report).values()) == {"unknown", "holds"}
    assert (outcomes(report)["SC901"], outcomes(report)["SC902"]) == ("unknown", "unknown")
    assert "carries 1 rank here" in reason(report, "SC901")


def test_replicas_that_no_group_has_room_for_are_unknown():
    contract = sc.Contract(replicas=8, tail="drop", order="sequential")

    def factory(length, dp_rank, dp_size):
        return range(dp_rank, length - length % dp_size, dp_size)

    report = judged(Worlds(), factory, worlds=["gloo"], contract=contract)
    assert set(outcomes(report).values()) == {"unknown"}
    assert "smallest case has 8" in reason(report, "SC104")


def test_hangs_in_a_group_count_as_in_simulation():
    def tamper(trace, world):
        trace.faults = (Fault(experiment="epochs", kind="deadline", phase="next", rank=0, epoch=0, step=1),)
        trace.is_whole = False

    worlds = Worlds(tamper)
    report = judged(worlds, worlds=["simulated", "gloo"], select=["SC002", "SC104", "SC902"])
    assert outcomes(report) == {"SC002": "broken", "SC104": "unknown", "SC902": "unknown"}
    assert report.tried[-1].cases == 3 + len([case for case in worlds.group("gloo").cases if not case.length])
    assert any("'gloo': the target hung or crashed" in line for line in report.not_tried)


def test_ctrl_c_in_a_group_leaves_a_partial_report_and_closes_it():
    looks_at_fresh_processes = 2

    def tamper(trace, world):
        if len(world.cases) == looks_at_fresh_processes + 5:
            os.kill(os.getpid(), signal.SIGINT)

    worlds = Worlds(tamper)
    report = judged(worlds, worlds=["simulated", "gloo"], select=["SC104", "SC901"])
    assert report.interrupted
    assert report.tried[-1].cases == 4
    assert set(outcomes(report).values()) == {"unknown"}
    assert not worlds.group("gloo").is_open


class PressesCtrlC(Strided):
    """Where shares are uneven it never shuffles, and a look at more epochs is interrupted."""

    def __init__(self, length, rank, world_size, seed):
        super().__init__(length, rank, world_size, shuffle=True, seed=seed)

    def __iter__(self):
        if self.length % self.world_size == 0:
            return super().__iter__()
        if self.epoch > 5:
            signal.raise_signal(signal.SIGINT)
        return iter(range(self.rank, self.length, self.world_size))


def test_ctrl_c_while_a_suspicion_is_looked_at_again_leaves_a_partial_report():
    shuffled = sc.target(PressesCtrlC, contract=sc.Contract(order="shuffled"))
    report = sc.run(shuffled, profile="quick", select=["SC104", "SC301"], worlds=["simulated"])
    assert report.interrupted
    assert outcomes(report) == {"SC104": "broken", "SC301": "unknown"}


def test_time_does_not_cut_the_chosen_set():
    report = judged(Worlds(), profile="standard", max_time=0, select=["SC902"])
    assert {one.phase: one.is_complete for one in report.tried} == {
        "small scope": True,
        "large": False,
        "gloo": True,
    }
    assert outcomes(report) == {"SC902": "holds"}
