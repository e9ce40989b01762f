"""Installed and unused: nothing heavy is imported at any time, nothing written, nothing said.

Seen in child processes, after the session, with no other plugin: Hypothesis' own imports Hypothesis last.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import pytest
before = set(sys.modules)
code = pytest.main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules), len(sys.modules)]), file=sys.stderr)
"""
HEAVY = {"torch", "numpy", "hypothesis", "msgspec", "click", "rich", "jinja2"}
PLUGIN = ("-p", "samplercheck.pytest_plugin")
MOST_MODULES = 10


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "test_trivial.py").write_text("def test_trivial(): pass\n")
    return tmp_path


def after(folder, *words):
    """The modules that are there after a session in a fresh process, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    code, modules, _ = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return set(modules), done.stdout


def test_a_session_without_laws_imports_two_modules_and_says_nothing(folder):
    bare, said_bare = after(folder)
    loaded, said = after(folder, *PLUGIN)
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("samplercheck")} == {
        "samplercheck",
        "samplercheck.pytest_plugin",
    }
    assert len(loaded - bare) <= MOST_MODULES
    assert said.split(" in ")[0] == said_bare.split(" in ")[0]
    assert [one.name for one in folder.iterdir()] == ["test_trivial.py"]


@pytest.mark.parametrize("words", [("--markers",), ("--help",), ("--fixtures",), ("--collect-only",)])
def test_looking_around_imports_nothing_heavy(folder, words):
    loaded, _ = after(folder, *PLUGIN, *words)
    assert loaded & HEAVY == set()


@pytest.mark.thorough
def test_workers_of_a_session_without_laws_import_nothing_heavy(folder):
    pytest.importorskip("xdist")
    (folder / "test_modules.py").write_text(
        "import sys\n"
        "def test_modules():\n"
        f"    assert set(sys.modules) & {HEAVY} == set()\n"
        "    assert 'samplercheck.pytest_plugin' in sys.modules\n"
    )
    loaded, said = after(folder, *PLUGIN, "-p", "xdist.plugin", "-n", "2")
    assert "2 passed" in said
    assert loaded & HEAVY == set()


def test_collecting_laws_of_a_target_in_words_imports_no_torch(folder):
    (folder / "test_laws.py").write_text(
        "import samplercheck as sc\n"
        "@sc.parametrize_with_laws('mypkg:Sampler', known_failures={'SC104': sc.known('n=1', reason='x')})\n"
        "def test_x(law): law()\n"
    )
    loaded, said = after(folder, *PLUGIN, "--collect-only", "-q")
    assert "test_laws.py::test_x[SC104-equal-steps]" in said
    assert loaded & {"torch", "hypothesis"} == set()
