"""Outcomes, violations and failures."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from samplercheck import Case, Outcome, Violation
from samplercheck.values.failure_form import ViolationData
from samplercheck.values.finding import Failure, worst
from samplercheck.values.report_form import write

IN_ORDER = [Outcome.NOT_APPLICABLE, Outcome.HOLDS, Outcome.UNKNOWN, Outcome.BROKEN]


def test_outcomes_are_ordered_by_how_bad_they_are():
    assert sorted(IN_ORDER[2:] + IN_ORDER[:2]) == IN_ORDER
    for better, worse in itertools.combinations(IN_ORDER, 2):
        assert better < worse
        assert worse > better
        assert worse >= better
        assert better != worse


def test_an_outcome_is_compared_with_outcomes_alone():
    assert Outcome.HOLDS != "holds"  # type: ignore[comparison-overlap]
    with pytest.raises(TypeError, match="not supported"):
        sorted([Outcome.HOLDS, "unknown"])  # type: ignore[type-var]


def test_the_values_are_those_of_reports():
    assert [outcome.value for outcome in IN_ORDER] == ["not_applicable", "holds", "unknown", "broken"]


@pytest.mark.parametrize("outcomes", list(itertools.product(IN_ORDER, repeat=3)))
def test_the_worst_wins_in_any_order(outcomes):
    assert worst(outcomes) is max(outcomes, key=IN_ORDER.index)


def test_of_nothing_nothing_was_applicable():
    assert worst([]) is Outcome.NOT_APPLICABLE
    assert worst(iter([Outcome.HOLDS])) is Outcome.HOLDS


def test_a_violation_is_plain_data_whatever_arrays_it_was_made_from():
    missing = (np.array([1, 0, 0]) == 0).nonzero()[0]
    made = Violation(found="lost", indices=missing, rank=np.int64(1), epoch=np.int32(0), step=missing[0])
    assert made == Violation(found="lost", indices=(1, 2), rank=1, epoch=0, step=1)
    assert json.loads(json.dumps(write(ViolationData, made)))["indices"] == [1, 2]


def test_a_file_has_all_fields_of_a_violation_but_the_evidence():
    assert write(ViolationData, Violation(found="lost")) == {
        "found": "lost",
        "rank": None,
        "epoch": None,
        "step": None,
        "indices": [],
        "hint": "",
        "consequence": "",
        "fault": "",
        "event": "",
        "chance": 0.0,
        "advice": False,
        "experiment": "epochs",
        "detail": "",
        "grade": "harm",
    }


def test_a_failure_speaks_with_the_words_of_its_violation():
    failure = Failure(case=Case(length=1), violation=Violation(found="lost 0", hint="pad"))
    assert (failure.message, failure.hint) == ("lost 0", "pad")
    assert (failure.region, failure.cause, failure.realistic_case) == ("", "", None)
