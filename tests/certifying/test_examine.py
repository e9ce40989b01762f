"""What cannot be certified is refused before anything is run."""

from __future__ import annotations

import subprocess
import sys

import pytest

import samplercheck as sc
from samplercheck.certifying.certificate import reasons_against
from samplercheck.certifying.examine import examine
from samplercheck.engine import Plan
from samplercheck.storage.store import Store
from samplercheck.values.errors import UsageError
from samplercheck.values.wording import LATER_PHASES
from tests.support.certificates import UNEVEN, a_project, examined
from tests.zoo import negative_rank_takes_all
from tests.zoo.cases import SIMULATED, is_strict, worlds_of, zoo

GOLD = {"len_counts_samples", "set_epoch_forgotten"}


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    return Plan(target=f"{a_project(tmp_path)}:Strided", profile="quick")


def refusal(plan, **how):
    with pytest.raises(UsageError) as error:
        examine(plan, **how)
    return str(error.value)


def test_a_target_that_no_text_leads_to_is_refused():
    assert "no text leads to it" in refusal(Plan(target=lambda length: [], profile="quick"))


def test_a_dirty_tree_is_refused_unless_told(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    plan = Plan(target=f"{a_project(tmp_path, UNEVEN)}:Strided", profile="quick", explains=False)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(tmp_path)]
    subprocess.run([*git, "add", "pyproject.toml"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    said = refusal(plan)
    assert "differs from its commit: dealing.py, strided.py. Commit first" in said
    found = examine(plan, allow_dirty=True)
    assert found["tree"]["changed"] == ["dealing.py", "strided.py"]


def test_a_source_that_changes_during_the_run_is_refused(tmp_path, monkeypatch):
    """Here by the first word of progress, as by somebody who goes on to edit."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "dealing", raising=False)
    plan = Plan(target=f"{a_project(tmp_path, UNEVEN)}:Strided", profile="quick", explains=False)
    path = tmp_path / "strided.py"
    source = path.read_text()
    said = refusal(plan, progress=lambda _: path.write_text(f"{source}# and more\n"))
    assert "Strided has changed during the run" in said


def test_known_failures_are_refused(plan, tmp_path):
    store = Store(tmp_path / ".samplercheck")
    failing = sc.run("tests.support.targets:uneven", profile="quick", select=["SC104"])
    store.keep(plan.target, failing.results)
    store.failures.rename(store.known)
    assert "known failures, the first in" in refusal(plan, store=store)


def test_a_rule_that_no_file_could_hold_is_refused(plan):
    ruled = sc.Contract(batch_rule=lambda batch, features: True)
    changed = Plan(target=plan.target, contract=ruled, profile="quick")
    assert "with batch_rule handed in as functions" in refusal(changed)


def test_a_target_that_breaks_a_law_gets_no_faults_planted(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "dealing", raising=False)
    target = f"{a_project(tmp_path, UNEVEN)}:Strided"
    found = examine(Plan(target=target, profile="quick", explains=False))
    assert found["sensitivity"]["planted"] == 0
    assert {kind for kind, _ in reasons_against(found)} == {"broken"}


@pytest.mark.thorough
def test_the_search_ends_behind_the_phase_that_breaks_a_law_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "dealing", raising=False)
    target = f"{a_project(tmp_path, UNEVEN)}:Strided"
    found = examine(Plan(target=target, profile="quick", worlds=("simulated", "gloo"), explains=False))
    assert [one["phase"] for one in found["phases"]] == ["small scope"]
    assert any(text.startswith(f"{LATER_PHASES}: SC104") for text in found["report"]["not_tried"])
    results = {one["code"]: one for one in found["report"]["results"]}
    assert results["SC901"]["outcome"] == "unknown"
    assert results["SC901"]["reason"].startswith("the search ended behind the phase")
    assert {kind for kind, _ in reasons_against(found)} == {"broken"}


@pytest.mark.thorough
def test_what_is_strict_is_in_the_way_where_that_is_asked_for():
    promised = sc.Contract(**negative_rank_takes_all.CONTRACT)
    target = sc.target("tests.zoo.negative_rank_takes_all:bug", contract=promised)
    found = examine(Plan(target=target, profile="quick", explains=False, strict=True), allow_dirty=True)
    reasons = [text for kind, text in reasons_against(found) if kind == "broken"]
    assert [text.partition(" is broken")[0] for text in reasons] == ["SC003 rejects-invalid-values"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "module",
    [
        pytest.param(module, id=module.SLUG, marks=() if module.SLUG in GOLD else (pytest.mark.slow,))
        for module in zoo()
        if worlds_of(module) == SIMULATED and not callable(module.CONTRACT.get("frequencies"))
    ],
)
def test_no_bug_of_the_zoo_earns_a_certificate(module):
    contract = sc.Contract(**module.CONTRACT)
    target = sc.target(f"{module.__name__}:bug", contract=contract, axes=module.AXES)
    plan = Plan(target=target, profile="quick", explains=False, strict=is_strict(module))
    found = examine(plan, allow_dirty=True)
    assert "broken" in {kind for kind, _ in reasons_against(found)}


def test_what_was_examined_says_where_it_is_found_again():
    found = examined()
    assert found["place"] == "strided.py:Strided"
    assert found["changes"] == {}
    assert [one["phase"] for one in found["phases"]] == ["small scope", "epochs", "frontier", "wide"]
    assert found["sensitivity"]["caught"] == found["sensitivity"]["planted"] > 10
