"""Ray's TorchTrainer: four workers judge a target in the group that Ray has made for them."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.engines.launched import BROKEN, SOUND, findings, launch, marks, simulated
from tests.engines.ray_job import WORKERS

if TYPE_CHECKING:
    from pathlib import Path

ABSENT = "no Ray here: pip install -c constraints.txt -c tests/engines/constraints.txt '.[test,ray]'"
LONGEST = 600
"""Seconds: of two processors that others keep busy, Ray's own start and end take minutes."""
pytestmark = [*marks, pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason=ABSENT)]


@pytest.mark.parametrize(("target", "outcome"), [(SOUND, "holds"), (BROKEN, "broken")])
def test_its_workers_judge_as_simulation_does(tmp_path: Path, target: str, outcome: str) -> None:
    ended = launch(
        tmp_path, sys.executable, "-m", "tests.engines.ray_job", target, str(tmp_path), longest=LONGEST
    )
    assert ended.code == 0, ended.words
    reports = [json.loads((tmp_path / f"rank-{rank}.json").read_text()) for rank in range(WORKERS)]
    assert [one["outcome"] for one in reports] == [outcome] * WORKERS
    assert [findings(one) for one in reports] == [{} if outcome == "holds" else simulated()] * WORKERS
    assert "world 1-4" in reports[0]["tried"][0]["scope"]
