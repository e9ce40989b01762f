"""What the command line imports: nothing heavy before there is something to run. Seen in child processes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.places import ROOT

PROGRAM = """
import json, os, sys
from samplercheck.cli.main import samplercheck
sys.stdout = open(os.devnull, "w")
try:
    samplercheck(sys.argv[1:], prog_name="samplercheck")
except SystemExit as end:
    code = end.code
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules}), len(sys.modules)]), file=sys.stderr)
"""


def loaded(*words: str) -> tuple[int, set[str], int]:
    """The exit code, the packages and the number of modules after a command in a fresh process."""
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    code, packages, modules = json.loads(done.stderr.splitlines()[-1])
    return code, set(packages), modules


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["laws", "--help"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code, packages, modules = loaded(*words)
    assert code == 0
    assert not {"torch", "numpy", "hypothesis", "rich", "pytest", "msgspec"} & packages
    assert modules < 250


@pytest.mark.parametrize("words", [["laws"], ["explain", "SC104"], ["explain", "equal-steps"]])
@pytest.mark.parametrize("package", ["torch", "hypothesis", "numpy"])
def test_reading_about_laws_imports_nothing_heavy(words: list[str], package: str) -> None:
    code, packages, _ = loaded(*words)
    assert code == 0
    assert package not in packages


def test_options_are_refused_before_anything_heavy_is_imported() -> None:
    code, packages, _ = loaded("run", "mod:thing", "--contract", "tial=keep")
    assert code == 2
    assert not {"torch", "numpy", "hypothesis"} & packages
