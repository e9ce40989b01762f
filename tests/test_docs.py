"""What README and docs print can be run: verbs read the commands, Python the code; the tutorial is done."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import samplercheck as sc
from samplercheck.cli.main import VERBS, samplercheck
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.history import HISTORY_LAWS
from tests.field.targets import FIELD

if TYPE_CHECKING:
    from types import ModuleType

    from samplercheck.laws.law import Law

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]
TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\d+(?:\.\d+)? s\b")


def blocks_of(page: Path) -> Iterator[str]:
    """Yield the texts of a page that are set as code, indented or fenced."""
    text = page.read_text(encoding="utf-8")
    yield from (found[2] for found in BLOCK.finditer(text))
    yield from re.findall(r"`(samplercheck [^`]+)`", text)
    for found in re.finditer(r"(?:^    .*\n|^\n(?=    ))+", BLOCK.sub("", text), re.MULTILINE):
        yield "\n".join(line[4:] for line in found[0].strip("\n").split("\n"))


def commands() -> list[tuple[str, str]]:
    """Every command line of the kit, with its page."""
    found = []
    for page in PAGES:
        for block in blocks_of(page):
            for line in block.replace("\\\n", " ").split("\n"):
                for part in re.split(r" && | \| ", line.removeprefix("$ ").strip()):
                    words = part.partition("  #")[0].strip()
                    if re.match(rf"samplercheck ({'|'.join(VERBS)}) \S", words):
                        found.append((page.name, words))
    return sorted(set(found))


def test_every_test_that_a_page_names_is_there() -> None:
    named = [
        one
        for page in PAGES
        for one in re.findall(r"`(\S+\.py)::(test_\w+)`", page.read_text(encoding="utf-8"))
    ]
    assert named
    missing = [
        (file, test)
        for file, test in named
        if f"def {test}(" not in (ROOT / "tests" / file).read_text(encoding="utf-8")
    ]
    assert missing == []


@pytest.mark.parametrize(("page", "command"), commands())
def test_every_command_is_one_that_the_verb_takes(page: str, command: str) -> None:
    verb, *words = shlex.split(command)[1:]
    found = samplercheck.get_command(click.Context(samplercheck), verb)
    assert found is not None, page
    try:
        found.make_context(verb, words)
    except click.BadParameter as error:
        assert "does not exist" in error.message  # noqa: PT017  (files of the reader's; options are known)


def test_there_are_commands() -> None:
    assert len(commands()) > 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_on_a_page_is_python_and_names_what_there_is(page: Path) -> None:
    for block in blocks_of(page):
        if not re.search(r"^\s*(import|from|def|class|@sc\.|\w+ = sc\.)\b", block, re.MULTILINE):
            continue
        try:
            tree = ast.parse(block)
        except SyntaxError as error:
            if re.search(r"^(import|from) ", block):
                pytest.fail(f"{error}\n{block}")
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sc":
                assert hasattr(sc, node.attr), block


def test_the_cookbook_has_every_sampler_of_the_field_with_what_builds_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    cookbook = importlib.import_module("cookbook")
    page = tmp_path / "cookbook.md"
    page.write_text(cookbook.cookbook_page(), encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert {row.name for row in FIELD} == set(re.findall(r"^### (\S+)$", text, re.MULTILINE))
    blocks = [found[2] for found in BLOCK.finditer(text)]
    assert len(blocks) == 2 * len(FIELD)
    for block in blocks:
        assert block.startswith("$ samplercheck run ") or ast.parse(block).body, block


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("pages")


@pytest.mark.parametrize("law", [*ALL_LAWS, *HISTORY_LAWS], ids=lambda law: law.code)
def test_the_page_of_a_law_has_a_block_as_printed_the_fix_what_is_meant_and_since_when(
    law: Law, pages: ModuleType
) -> None:
    text = pages.law_page(law, [], ROOT / "docs")
    assert re.findall("^## .*", text, re.MULTILINE) == [
        *("## Why it matters in training", "## As it is printed"),
        *("## How to fix it", "## When it is intended"),
    ]
    assert law.statement in " ".join(text.split())
    assert re.search(rf"^:Since: version {re.escape(law.since)}$", text, re.MULTILINE)
    assert re.fullmatch(r"\d+\.\d+\.\d+", law.since)
    (block,) = (text for kind, text in BLOCK.findall(text) if kind == "text")
    assert re.match(rf"(BROKEN  .*\n        |ADVICE  ){law.code} {law.name}\b", block), block


@pytest.mark.slow
def test_the_tutorial_works_as_it_is_written(tmp_path: Path) -> None:
    """Each file is written, each command run, and each line that is shown comes, times aside."""
    said = ""
    for kind, text in BLOCK.findall(TUTORIAL.read_text(encoding="utf-8")):
        if kind == "python":
            name = text.removeprefix("# ").partition("\n")[0]
            (tmp_path / name).write_text(text)
        elif kind == "console":
            said = in_shell(text.removeprefix("$ ").strip(), tmp_path)
        else:
            missing = [line for line in text.splitlines() if TIMES.sub("", line.strip()) not in said]
            assert not missing, said


def in_shell(command: str, where: Path) -> str:
    words = [sys.executable, "-m", *shlex.split(command.removeprefix("python -m "))]
    path = os.pathsep.join([str(ROOT), *sys.path])
    done = subprocess.run(
        words,
        cwd=where,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return TIMES.sub("", done.stdout)
