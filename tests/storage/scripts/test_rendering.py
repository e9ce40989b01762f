"""What a script says and needs: torch and the user's module, nothing of this kit; or no script at all."""

from __future__ import annotations

import ast
import builtins
import sys
import types
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.laws import ALL_LAWS
from samplercheck.storage.scripts import _running, _setup, script_of
from samplercheck.storage.scripts._promise import promise_of
from samplercheck.storage.scripts._rendering import format_file
from samplercheck.storage.scripts._table import CHECKS
from samplercheck.storage.store import Store
from samplercheck.targets.provenance import Provenance
from tests.support.failing import FIXED, TARGET, Project

if TYPE_CHECKING:
    from pathlib import Path


def imported(text: str) -> set[str]:
    """The packages that a script imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.slow
def test_a_script_runs_where_the_kit_is_not_installed_and_says_what_is_wrong(tmp_path: Path) -> None:
    project = Project(tmp_path)
    script = f".samplercheck/failures/{project.fail()}.py"
    hidden = (
        "import runpy, sys; sys.modules['samplercheck'] = None; runpy.run_path(sys.argv[1], None, '__main__')"
    )
    done = project.python("-c", hidden, script)
    assert done.returncode == 1, done.stderr
    assert "epoch 0  rank 0  [0]\n" in done.stdout
    assert "BROKEN  SC104 equal-steps" in done.stdout
    assert "epoch 0: ranks [0, 1] take [1, 0] steps" in done.stdout
    project.write(FIXED)
    done = project.python("-c", hidden, script)
    assert (done.returncode, "holds  SC104" in done.stdout) == (0, True)
    text = (tmp_path / script).read_text()
    assert "samplercheck" not in imported(text)
    assert imported(text) - set(__import__("sys").stdlib_module_names) == {"torch"}
    assert f"PLACE = '{TARGET}'" in text


def test_a_target_that_no_text_names_has_no_script(tmp_path: Path) -> None:
    def local(dataset, rank, world_size):
        return list(range(rank, len(dataset), world_size))

    store = Store(tmp_path)
    report = sc.run(local, profile="quick", select=["SC104"], store=store)
    assert report.failures
    assert [path.suffix for path in store.failures.iterdir()] == [".json"]


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_every_check_says_in_a_sentence_what_it_looks_for(key: str) -> None:
    check = CHECKS[key]
    assert all(part.__doc__.strip().endswith(".") for part in (check.experiment, check.judge))


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_every_check_is_of_a_law_and_needs_what_is_promised(key: str) -> None:
    code, check = key.partition(" ")[0], CHECKS[key]
    assert code in {law.code for law in ALL_LAWS}
    made = sc.target("tests.cli.targets:sound")
    promise = promise_of(Provenance(target=made, binding=made.bind()), sc.Case(length=3))
    assert check.needs in {"", *promise}
    assert check.asks.get("exact", "exact") in promise


def test_no_two_parts_of_scripts_have_one_name() -> None:
    """All parts may stand in one file, where the later of two would take the other's place."""
    parts = {check.experiment for check in CHECKS.values()} | {check.judge for check in CHECKS.values()}
    modules = {sys.modules[part.__module__] for part in parts} | {_setup, _running}
    kinds = (types.FunctionType, type)
    found = [(name, value) for module in modules for name, value in vars(module).items()]
    named = {value: name for name, value in found if isinstance(value, kinds) and is_of_the_kit(value)}
    assert len(set(named.values())) == len(named)


def is_of_the_kit(value: type | types.FunctionType) -> bool:
    return value.__module__.startswith("samplercheck.")


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_a_script_has_all_that_its_parts_name(key: str) -> None:
    check = CHECKS[key]
    parts = [_setup.Setup, _running.judge, check.experiment, check.judge]
    text = format_file("Says.", {"PROMISES": []}, parts, ["pass"])
    names = builtins_and(text)
    loaded = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert loaded - names == set()


def builtins_and(text: str) -> set[str]:
    """What is defined in a text: built in, imported, assigned or a parameter; annotations are no matter."""
    found = {*vars(builtins), "Case", "Contract", "Features"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def test_nothing_broken_is_no_script() -> None:
    made = sc.target("tests.cli.targets:sound")
    recording = Provenance(target=made, binding=made.bind())
    assert script_of(recording, sc.Case(length=3), []) == ""
