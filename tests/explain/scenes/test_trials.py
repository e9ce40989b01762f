"""Of all runs that an experiment stopped, the one that a violation is about; and what its passes are."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.explain.scenes.columns import pass_name
from samplercheck.explain.scenes.trials import find_trial
from samplercheck.values.finding import Evidence, Violation
from tests.support.resumptions import a_trial, resumed
from tests.support.traces import a_record
from tests.zoo._sound import Strided

RECORD = resumed(
    a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0]),
    a_trial("plain", 0, (2,), [0, 1], [2], [2, 1, 0]),
    a_trial("plain", 0, (2,), [0, 1], [1, 2], [1, 0], [2, 1, 0]),
)


@pytest.mark.parametrize(
    ("step", "indices", "number"),
    [
        (1, (), 0),
        (1, (2, 1, 0), 0),
        (2, (2,), 1),
        (2, (1, 2), 2),
        (2, (1, 0), 2),
        (2, (7,), 1),
        (3, (), None),
    ],
)
def test_a_run_is_found_by_its_stop_and_by_what_came_behind_it(step, indices, number):
    assert find_trial(RECORD, Violation(found="x", epoch=0, step=step, indices=indices)) == number


def test_a_run_is_found_by_the_way_it_went():
    """What was left may be, sample for sample, what another way yields wrongly in the next epoch."""
    record = resumed(
        a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0]), a_trial("at once", 0, (1,), [0], [1, 2])
    )
    wrong = Violation(found="x", epoch=0, step=1, indices=(1, 2), evidence=Evidence(way="at once"))
    assert find_trial(record, wrong) == 1


def test_a_pass_is_named_by_what_it_is_to_its_run():
    names = [pass_name(RECORD, number) for number in range(len(RECORD.passes))]
    usual = ["stopped", "resumed", "next"]
    assert names == ["whole"] * 4 + usual + usual + [*usual, "next, not stopped"]
    assert pass_name(a_record([0]), 0) == "pass 1"


class ForgetsUntilTaken(Strided):
    """What is loaded counts in the next pass, and is not saved before that."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.start = self.taken = 0

    def __iter__(self):
        self.taken, self.start = self.start, 0
        for index in list(super().__iter__())[self.taken :]:
            self.taken += 1
            yield index

    def state_dict(self):
        return {"taken": self.taken}

    def load_state_dict(self, state):
        self.start = state["taken"]


@pytest.mark.thorough
def test_the_run_that_is_drawn_is_the_one_that_went_wrong_and_not_one_whose_next_epoch_looks_like_it():
    report = sc.run(sc.target(ForgetsUntilTaken), profile="quick", select=["SC707"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert "<- again:" in "\n".join(failure.grid)
