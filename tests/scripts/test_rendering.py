"""What a script says and needs: torch and the user's module, nothing of this kit; or no script at all."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.scripts import CHECKS, _bench, _groups, _main, _processes, script_of
from samplercheck.store import Store
from tests.failing import MENDED, TARGET, Project

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
    project.write(MENDED)
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


@pytest.mark.parametrize("code", sorted({*CHECKS, *_groups.CHECKS}))
def test_every_check_says_in_a_sentence_what_it_looks_for(code: str) -> None:
    experiment, check, _ = {**_groups.CHECKS, **CHECKS}[code]
    assert all(part.__doc__.strip().endswith(".") for part in (experiment, check))


def test_no_two_parts_of_scripts_have_one_name() -> None:
    """All parts may stand in one file, where the later of two would take the other's place."""
    checks = [*CHECKS.values(), *_groups.CHECKS.values()]
    parts = {one for experiment, judge, others in checks for one in (experiment, judge, *others)}
    parts |= {*_bench.PARTS, *_processes.PARTS, *_main.PARTS}
    names = [one.__name__ for one in parts if not isinstance(one, str)]
    assert sorted(names) == sorted(set(names))


def test_nothing_broken_is_no_script() -> None:
    made = sc.target("tests.cli.targets:sound")
    from samplercheck.recording import Provenance

    provenance = Provenance(target=made, binding=made.bind())
    assert script_of(provenance, sc.Case(length=3), []) == ""
