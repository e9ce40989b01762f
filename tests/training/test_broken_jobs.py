"""The jobs that the pages of laws show break the law that they are for."""

from __future__ import annotations

import pytest

from samplercheck.laws.history import HISTORY_LAWS
from tests.training.broken_jobs import CODES, report_of
from tests.training.jobs import broken


def test_there_is_one_for_each_law_of_jobs():
    assert list(CODES) == [law.code for law in HISTORY_LAWS]


@pytest.mark.thorough
@pytest.mark.parametrize("code", ["SC1104", "SC1105", "SC1106", "SC1107"])
def test_a_job_of_two_ranks_breaks_its_law_alone(code, tmp_path):
    assert broken(report_of(code, tmp_path)) == {code}
