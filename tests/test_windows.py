"""What the kit promises for Windows, as far as it can be seen elsewhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

IMPORT_ALL = """
import tests.support.without_posix
import importlib, pkgutil
import samplercheck
for module in pkgutil.walk_packages(samplercheck.__path__, "samplercheck."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
DRILL = """
import tests.support.without_posix
import sys
from samplercheck.cli.main import main
sys.argv[1:] = ["drill", "--", "python", "train.py"]
main()
"""
RUN = """
import tests.support.without_posix
import samplercheck
print(samplercheck.run("torch.utils.data:DistributedSampler", profile="quick", worlds=["simulated"]))
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.thorough
def test_every_module_is_imported_without_what_only_posix_has() -> None:
    done = run(IMPORT_ALL)
    assert done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_a_sampler_is_checked_in_this_process() -> None:
    assert run(RUN).stdout.startswith("HOLDS")


def test_a_drill_is_refused_where_there_are_no_groups_of_processes() -> None:
    done = run(DRILL)
    assert done.returncode == 2
    assert "WSL" in done.stderr
