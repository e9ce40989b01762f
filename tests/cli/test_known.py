"""Known failures on the command line are run as they were stored: after the same cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from samplercheck import Case, known
from samplercheck.cli.asking import PlannedRun
from samplercheck.cli.known import settle_known
from samplercheck.engine import carry_out
from samplercheck.engine.plan import Plan
from samplercheck.storage.case_file import Breach, StoredCase
from samplercheck.storage.store import Store
from tests.support import targets
from tests.support.command_line import a_target

CASE = Case(length=3, world_size=2)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A project that knows of a failure which needs a case before it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    breaches = (
        Breach("another", "SC102", "rank 1 left", "another", experiments=("jumps",), before=("n=7",)),
        Breach(
            a_target("Spoiled"),
            "SC102",
            "no rank yields 2",
            a_target("Spoiled"),
            experiments=("epochs",),
            before=("n=5",),
        ),
    )
    made = Store(".samplercheck")
    made.known.mkdir(parents=True)
    (made.known / f"{CASE.id}.json").write_bytes(StoredCase(CASE, breaches).encode())
    return made


def judge_here(plan: Plan) -> dict[str, Any]:
    """Carry a plan out as if its process were new."""
    targets.Spoiled.is_spoiled = False
    return carry_out(plan).to_dict()


def test_one_that_needs_a_case_before_it_is_not_called_stale(store: Store) -> None:
    plan = Plan(target=targets.Spoiled, profile="quick", worlds=("simulated",), store=store)
    entries = {"complete": (known(CASE.id, reason="issue 12"),)}
    settled, code = settle_known(PlannedRun(plan=plan, known=entries), judge_here)
    assert code == 0
    assert settled.skip == {"complete": f"known failure {CASE.id}: issue 12"}
