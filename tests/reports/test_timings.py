"""What ``run --timings`` shows of a report."""

from __future__ import annotations

import pytest

from samplercheck.reports.terminal import describe_timings
from samplercheck.values.report import Timing

TIMES = (
    Timing("phase", "small scope", 2.0, 195),
    Timing("experiment", "epochs", 1.5, 900),
    Timing("experiment", "nonsense", 0.001, 900),
    Timing("experiment", "reference", 0.008, 900),
    Timing("law", "SC102", 0.25, 195),
)


@pytest.fixture
def shown() -> str:
    return describe_timings({"seconds": 3.5, "timings": [one._asdict() for one in TIMES]})


def test_phases_have_the_time_that_is_left_of_the_run(shown: str) -> None:
    rows = [line.split() for line in shown.splitlines()]
    assert ["small", "scope", "2.00", "195"] in rows
    assert ["(rest)", "1.50"] in rows
    assert ["together", "3.50"] in rows


def test_experiments_and_laws_are_summed_by_themselves(shown: str) -> None:
    rows = [line.split() for line in shown.splitlines()]
    assert ["epochs", "1.50", "900"] in rows
    assert ["together", "1.51"] in rows
    assert ["SC102", "0.25", "195"] in rows
    assert "nonsense" not in shown


def test_it_fits_eighty_columns(shown: str) -> None:
    assert max(map(len, shown.splitlines())) <= 80


def test_nothing_is_shown_of_a_run_that_was_not_timed() -> None:
    assert describe_timings({"seconds": 3.5}) == ""
