"""What the command line imports: nothing heavy before there is something to run. Seen in child processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from samplercheck.storage.report_file import save
from tests.support import handmade
from tests.support.command_line import ROOT, a_target

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import json, os, sys
from samplercheck.cli.main import samplercheck
sys.stdout = open(os.devnull, "w")
try:
    samplercheck(sys.argv[1:], prog_name="samplercheck")
except SystemExit as end:
    code = end.code
packages = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([code, packages, len(sys.modules)]), file=sys.stderr)
"""


def loaded(*words: str, cwd: Path = ROOT) -> tuple[int, set[str], int]:
    """The exit code, the packages and the number of modules after a command in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, packages, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(packages), modules


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["run", "--help"], ["laws", "--help"], ["report", "--help"]]
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code, packages, modules = loaded(*words)
    assert code == 0
    assert not {"torch", "numpy", "hypothesis", "rich", "pytest", "msgspec"} & packages
    assert modules < 270


@pytest.mark.parametrize("words", [["laws"], ["explain", "SC104"], ["explain", "equal-steps"]])
def test_reading_about_laws_imports_nothing_heavy(words: list[str]) -> None:
    code, packages, _ = loaded(*words)
    assert code == 0
    assert not {"torch", "hypothesis", "pytest"} & packages


def test_options_are_refused_before_anything_heavy_is_imported() -> None:
    code, packages, _ = loaded("run", "mod:thing", "--contract", "tial=keep")
    assert code == 2
    assert not {"torch", "numpy", "hypothesis"} & packages


@pytest.mark.thorough
def test_the_process_that_was_called_runs_nothing_heavy_itself(tmp_path: Path) -> None:
    words = ("run", a_target("uneven"), "--profile", "quick", "--select", "SC104")
    code, packages, _ = loaded(*words, cwd=tmp_path)
    assert code == 1
    assert not {"torch", "numpy", "hypothesis"} & packages


def test_reports_are_rendered_without_anything_that_runs_samplers(tmp_path: Path) -> None:
    save(handmade.mixed(), tmp_path)
    code, packages, _ = loaded("report", str(tmp_path))
    assert code == 0
    assert (tmp_path / "index.html").is_file()
    # Laws bring numpy: results.sarif holds their pages, and these stand beside the judges.
    assert not {"torch", "hypothesis", "pytest"} & packages
