"""A run of given cases: those are tried, in all worlds that are asked for, and nothing is searched."""

from __future__ import annotations

import pytest

from samplercheck import Case
from tests.engine.fakes import Worlds, judged, outcomes, reason

FAILING, HOLDING = Case(length=1, world_size=2), Case(length=2, world_size=2)
BOTH = ["simulated", "gloo"]


def uneven(length, rank, world_size):
    return list(range(rank, length, world_size))


@pytest.mark.parametrize(("case", "outcome"), [(FAILING, "broken"), (HOLDING, "holds")])
@pytest.mark.parametrize("worlds", [["simulated"], BOTH, ["gloo"]], ids="-".join)
def test_the_given_cases_alone_decide_in_the_worlds_that_are_asked_for(case, outcome, worlds):
    report = judged(Worlds(), uneven, select=["SC104"], cases=(case,), worlds=worlds)
    assert outcomes(report) == {"SC104": outcome}
    phases = ["given" if name == "simulated" else name for name in worlds]
    assert [(one.phase, one.cases, one.planned) for one in report.tried] == [(name, 1, 1) for name in phases]


def test_the_cases_may_be_several():
    report = judged(Worlds(), uneven, select=["SC104"], cases=(HOLDING, FAILING), worlds=["simulated"])
    assert outcomes(report) == {"SC104": "broken"}
    assert report.results[0].failure.case == FAILING
    assert report.tried[0].cases == 2


def test_where_a_world_is_missing_that_was_asked_for_nothing_holds():
    """The case may be broken there alone."""
    worlds = Worlds(unavailable={"gloo": "no gloo here"})
    report = judged(worlds, uneven, select=["SC104"], cases=(HOLDING,), worlds=BOTH)
    assert outcomes(report) == {"SC104": "unknown"}
    assert reason(report, "SC104") == "no gloo here"
    worlds = Worlds(unavailable={"gloo": "no gloo here"})
    report = judged(worlds, uneven, select=["SC104"], cases=(FAILING,), worlds=BOTH)
    assert outcomes(report) == {"SC104": "broken"}


def test_a_case_that_no_group_has_room_for_is_decided_in_simulation():
    large = Case(length=10, world_size=5)
    report = judged(Worlds(most_ranks=4), uneven, select=["SC104"], cases=(large,), worlds=BOTH)
    assert outcomes(report) == {"SC104": "holds"}
    report = judged(Worlds(most_ranks=4), uneven, select=["SC104"], cases=(large,), worlds=["gloo"])
    assert outcomes(report) == {"SC104": "unknown"}
    assert "the smallest case has 5" in reason(report, "SC104")


class OnlyUp:
    def __init__(self, length):
        self.length, self.epoch = length, 0

    def set_epoch(self, epoch):
        if epoch < self.epoch:
            raise RuntimeError("epochs only go up")
        self.epoch = epoch

    def __iter__(self):
        return iter(range(self.length))


def test_a_law_about_every_experiment_runs_them_all_also_when_it_is_selected_alone():
    case = Case(length=2, epochs=3)
    report = judged(Worlds(), OnlyUp, select=["SC001"], cases=(case,), worlds=["simulated"])
    failure = report.results[0].failure
    assert (failure.violation.experiment, failure.message.partition(" in ")[0]) == (
        "jumps",
        "rank 0 raises RuntimeError: epochs only go up",
    )
    assert {"epochs", "jumps"} <= {*failure.experiments}
    again = judged(
        Worlds(), OnlyUp, select=["SC001"], cases=(case,), worlds=["simulated"], experiments=("epochs",)
    )
    assert outcomes(again) == {"SC001": "holds"}


class Counting:
    """Loses its last sample once a case of five samples was run in its process."""

    spoiled = False

    def __init__(self, length):
        Counting.spoiled = Counting.spoiled or length == 5
        self.length = length

    def __iter__(self):
        return iter(range(self.length - Counting.spoiled))


def test_cases_before_are_run_and_not_judged(monkeypatch):
    monkeypatch.setattr(Counting, "spoiled", False)
    asked = {"select": ["SC102"], "cases": (Case(length=2),), "worlds": ["simulated"]}
    assert outcomes(judged(Worlds(), Counting, **asked)) == {"SC102": "holds"}
    report = judged(Worlds(), Counting, **asked, before=(Case(length=5),))
    assert outcomes(report) == {"SC102": "broken"}
    assert report.results[0].failure.case == Case(length=2)
