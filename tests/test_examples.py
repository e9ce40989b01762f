"""Every example runs as it stands, from any directory, and ends as its text says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SAID = {
    "check_a_sampler": (
        "__main__:Strided: holds\n",
        "__main__:Unpadded: broken\n",
        "BROKEN  SC104 equal-steps",
    ),
    "own_law": (
        "__main__:forwards: MY001 holds\n",
        "__main__:backwards: MY001 broken\n",
        "    smallest case n=2,world=1,batch=1: epoch 0 starts with 1\n",
    ),
    "own_property": ("test_the_ranks_together_hold_every_sample: 50 cases passed\n",),
}


def test_every_example_has_its_expected_outcome_here():
    assert sorted(SAID) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("name", sorted(SAID))
@pytest.mark.parametrize("options", [[], ["-OO"]], ids=["plain", "optimised"])
def test_an_example_runs_in_a_directory_of_its_own_and_leaves_nothing_there(name, options, tmp_path):
    done = subprocess.run(
        [sys.executable, *options, str(EXAMPLES / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert [part for part in SAID[name] if part not in done.stdout] == []
    assert done.stdout.isascii()
    assert not [one.name for one in tmp_path.iterdir() if one.name != ".hypothesis"]
