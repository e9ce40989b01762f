"""Known failures on the command line are run as they were seen to fail: none is stale that still does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import samplercheck as sc
from samplercheck import Case, known
from samplercheck.cli.asking import PlannedRun
from samplercheck.cli.known import settle_known
from samplercheck.engine import carry_out
from samplercheck.engine.plan import Plan
from samplercheck.running.config.known import KnownFailure
from samplercheck.storage.case_file import Breach, StoredCase
from samplercheck.storage.store import Store
from tests.support import targets
from tests.zoo import cache_forgets_the_rank

CASE = Case(length=3, world_size=2)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store of a project of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    return Store(".samplercheck")


def stored(store: Store, case: Case, *breaches: Breach) -> KnownFailure:
    """Commit a case, and return the entry for it."""
    store.known.mkdir(parents=True)
    (store.known / f"{case.id}.json").write_bytes(StoredCase(case, breaches).encode())
    return known(case.id, reason="issue 12")


def settled(plan: Plan, law: str, entry: KnownFailure) -> tuple[dict[str, str], int]:
    """What is left out of the run, and the exit code."""
    found, code = settle_known(PlannedRun(plan=plan, known={law: (entry,)}), judge_here)
    return dict(found.skip), code


def judge_here(plan: Plan) -> dict[str, Any]:
    """Carry a plan out as if its process were new."""
    targets.Spoiled.is_spoiled = False
    return carry_out(plan).to_dict()


def test_one_that_needs_a_case_before_it_is_not_called_stale(store: Store) -> None:
    name = "tests.support.targets:Spoiled"
    one = Breach(name, "SC102", "no rank yields 2", name, experiments=("epochs",), before=("n=5",))
    other = Breach("another", "SC102", "rank 1 left", "another", experiments=("jumps",), before=("n=7",))
    entry = stored(store, CASE, other, one)
    plan = Plan(target=targets.Spoiled, profile="quick", worlds=("simulated",), store=store)
    assert settled(plan, "complete", entry) == ({"complete": entry.text}, 0)


def test_one_that_only_a_strict_run_counts_is_not_called_stale(store: Store) -> None:
    plan = Plan(target=targets.uneven, profile="quick", worlds=("simulated",), store=store)
    entry = known("n=1,world=1", reason="issue 12")
    assert settled(plan, "SC003", entry) == ({"SC003": entry.text}, 0)


@pytest.mark.gloo
@pytest.mark.thorough
def test_one_that_fails_in_process_groups_alone_is_run_there(store: Store) -> None:
    case = Case(**cache_forgets_the_rank.SMALLEST, shuffle=True)
    target = sc.target(cache_forgets_the_rank.bug, contract=sc.Contract(**cache_forgets_the_rank.CONTRACT))
    entry = stored(store, case, Breach("cached", "SC901", "another order", "cached", world="gloo"))
    plan = Plan(target=target, profile="quick", store=store)
    assert settled(plan, "SC901", entry) == ({"SC901": entry.text}, 0)
