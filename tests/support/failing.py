"""Targets that fail and can be fixed by a file, for tests of replaying: a small project in a directory.

Used by tests of replaying, of the store and of scripts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from samplercheck.storage.store import Store

ROOT = Path(__file__).parents[2]
UNEVEN = """
def uneven(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))
"""
FIXED = """
def uneven(dataset, rank, world_size):
    length = len(dataset)
    return [one % length for one in range(rank, -(-length // world_size) * world_size, world_size)]
"""
FLAKY = """
import pathlib, os

def uneven(dataset, rank, world_size):
    mark = pathlib.Path(__file__).with_name("mark")
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        first.append(True)
    except FileExistsError:
        pass
    if first:
        return list(range(rank, len(dataset), world_size))
    length = len(dataset)
    return [one % length for one in range(rank, -(-length // world_size) * world_size, world_size)]

first = []
"""
TARGET = "samplers_of_a_project.py:uneven"


class Project:
    """A directory with one module and a store."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.module = directory / "samplers_of_a_project.py"
        self.store = Store(directory / ".samplercheck")
        self.write(UNEVEN)

    def write(self, text: str) -> None:
        """Write the module."""
        self.module.write_text(text)

    def fail(self, *words: str) -> str:
        """Run the laws and return the id of the case that breaks SC104."""
        done = self.call("run", TARGET, "--profile", "quick", "--select", "SC104", *words)
        assert done.returncode == 1, done.stderr
        (path,) = self.store.failures.glob("*.json")
        return path.stem

    def call(self, *words: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Call the command line in the project's directory, or in another."""
        return self.python("-m", "samplercheck", *words, directory=directory)

    def python(self, *words: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Call Python in the project's directory, or in another."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=directory or self.directory,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
