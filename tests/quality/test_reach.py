"""No trigger that is known to hide bugs is beyond the reach of a profile, whatever the seed."""

from __future__ import annotations

import pytest

from tests.quality.reach import REACHED, shares


@pytest.mark.parametrize(
    ("profile", "runs", "times"),
    [
        ("quick", 10, 1),
        ("quick", 10, 16),
        pytest.param("standard", 2, 1, marks=pytest.mark.thorough),
        pytest.param("standard", 2, 16, marks=pytest.mark.thorough),
        pytest.param("standard", 10, 1, marks=pytest.mark.slow),
        pytest.param("standard", 10, 4, marks=pytest.mark.slow),
        pytest.param("standard", 10, 16, marks=pytest.mark.slow),
    ],
)
def test_every_run_tries_what_triggers_bugs(profile: str, runs: int, times: int) -> None:
    assert {trigger: share for trigger, share in shares(profile, runs, times).items() if share < 1} == {}


def test_a_trigger_that_nothing_reaches_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REACHED, "world 100,003", lambda case: case.world_size == 100_003)
    assert shares("quick", 1)["world 100,003"] == 0
