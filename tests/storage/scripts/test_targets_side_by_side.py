"""Scripts of targets that share a case, that ask torch.distributed, or that are not found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.failing import Project

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

FIRST = """
def cut(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))[:-1]
"""
ASKS = """
import torch.distributed as dist

class Quiet:
    def __init__(self, dataset, rank, world_size):
        self.share = list(range(rank, len(dataset), world_size))

    def __iter__(self):
        return iter(self.share[:-1] if dist.is_initialized() else self.share)
"""
TARGETS = {"first": "cut", "asks": "Quiet"}


def script_told(project: Project, target: str) -> tuple[str, str]:
    """Run the laws and return the command that replays, and the script of the block."""
    words = ("--profile", "quick", "--select", "SC102", "--contract", "tail=keep", "--verbose")
    done = project.call("run", target, *words)
    block = done.stdout.replace(" \\\n", " ")
    again = re.search(r"^  again +(.+)$", block, re.MULTILINE)
    script = re.search(r"^  without this kit +python +(\S+)$", block, re.MULTILINE)
    assert again, done.stdout + done.stderr
    assert script, done.stdout
    return re.sub(r" +", " ", again[1]), script[1]


def test_two_targets_with_one_case_have_scripts_that_judge_them_and_them_alone(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "asks.py").write_text(ASKS)
    told = {name: script_told(project, f"{name}:{what}") for name, what in TARGETS.items()}
    (path,) = project.store.failures.glob("*.json")
    assert told["first"] == (f"samplercheck replay {path.stem}", f".samplercheck/failures/{path.stem}.py")
    again, script = told["asks"]
    assert again == f"samplercheck replay {path.stem} --target asks:Quiet"
    assert script.startswith(f".samplercheck/failures/{path.stem}-quiet-")
    # What only a group shows is shown by the script too, which starts one as the target asks for it.
    assert [project.python(script).returncode for _, script in told.values()] == [1, 1]
    (tmp_path / "asks.py").write_text(ASKS.replace("[:-1]", ""))
    assert [project.python(script).returncode for _, script in told.values()] == [1, 0]
    replayed = [project.call("replay", path.stem), project.call(*again.split()[1:])]
    assert [one.returncode for one in replayed] == [1, 0]
    below = tmp_path / "elsewhere"
    below.mkdir()
    lost = project.python(str(tmp_path / script), directory=below)
    assert (lost.returncode, lost.stderr) == (3, "")
    assert "asks:Quiet cannot be imported: ModuleNotFoundError" in lost.stdout
    assert "Run this script in the project's root" in lost.stdout
