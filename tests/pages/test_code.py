"""Every Python block that README and docs print is run, by pytest in a directory of the reader's.

What a page takes as given, the reader's own package and what a page has shown before, stands in front of it.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import PAGES, ROOT, TUTORIAL, blocks_of

GIVEN = """
import functools, math, os, sys
from itertools import cycle, islice
import samplercheck as sc
from torch.utils.data import DataLoader, Dataset, Sampler, SequentialSampler
from hypothesis import given
from mypkg.samplers import *
brief = {"profile": "quick", "worlds": ["simulated"], "select": ["SC102", "SC104"]}
sc.run = functools.partial(sc.run, **brief)
sc.parametrize_with_laws = functools.partial(sc.parametrize_with_laws, select=brief["select"])
dataset = list(range(64))
sampler = SequentialSampler(dataset)
"""
BRIEF = """
import pytest
from mypkg import samplers

@pytest.fixture(autouse=True)
def readers_names(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
"""
SETTINGS = '[tool.samplercheck]\nprofile = "quick"\nworlds = ["simulated"]\n'
HAS_CODE = re.compile(r"^\s*(import|from|def|class|@sc\.|\w+ = sc\.)\b", re.MULTILINE)
MARKS_LEFT = "sys.exit("
"""A page shows a script that ends by itself: it is run as a function that may exit."""


def code_blocks(page: Path) -> list[str]:
    """Return the blocks of a page that are whole Python."""
    found = []
    for block in blocks_of(page):
        if HAS_CODE.search(block):
            try:
                ast.parse(block)
            except SyntaxError:
                continue
            found.append(block)
    return found


CODE = {page: blocks for page in PAGES if page != TUTORIAL and (blocks := code_blocks(page))}


def write_test(place: Path, name: str, block: str) -> None:
    """Write a block as a module of tests: what it calls runs on import, and its tests are collected."""
    if MARKS_LEFT in block:
        lines = "\n".join(f"    {line}" for line in block.splitlines())
        block = f"def test_script():\n{lines}\n"
    elif not re.search(r"^def test_", block, re.MULTILINE):
        block += "\n\ndef test_it_was_run():\n    pass\n"
    (place / f"test_{name}.py").write_text(GIVEN + block, encoding="utf-8")


@pytest.mark.thorough
def test_every_block_runs(tmp_path: Path) -> None:
    number = 0
    for page, blocks in CODE.items():
        for block in blocks:
            number += 1
            write_test(tmp_path, f"{page.stem.replace('-', '_').lower()}_{number}", block)
    assert number >= 18
    shutil.copytree(Path(__file__).parent / "mypkg", tmp_path / "mypkg")
    (tmp_path / "conftest.py").write_text(BRIEF, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--import-mode=importlib"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]


@pytest.mark.parametrize("page", CODE, ids=lambda page: page.stem)
def test_no_block_leaves_something_to_be_filled_in(page: Path) -> None:
    for block in CODE[page]:
        said = [one.value for one in ast.walk(ast.parse(block)) if isinstance(one, ast.Constant)]
        assert ... not in said or page.stem == "fix", block
