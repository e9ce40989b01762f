"""Words that do not exist are seen by type checkers, and a signature names the fields."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from typing import get_args

import pytest

import samplercheck as sc
from samplercheck.search.profiles import PROFILES
from samplercheck.values.choices import CHOICES, ProfileName, WorldName
from samplercheck.worlds import WORLDS

RIGHT = """
import samplercheck as sc

sc.Contract(tail="drop", order="shuffled", epochs="advance")
sc.run("a:b", profile="quick", worlds=["gloo"])
"""
WRONG = """
import samplercheck as sc

sc.Contract(tail="dorp")
sc.Contract(tial="drop")
sc.run("a:b", profile="quik")
sc.run("a:b", worlds=["glo"])
sc.parametrize_with_laws("a:b", profile="quik", worlds="glo")
"""


def test_the_types_are_the_words_that_are_accepted():
    assert set(get_args(ProfileName)) == set(PROFILES)
    assert set(get_args(WorldName)) == set(WORLDS)
    assert {name: len(words) for name, words in CHOICES.items() if len(set(words)) < len(words)} == {}


def test_a_signature_names_the_fields():
    named = inspect.signature(sc.Contract).parameters
    assert list(named) == [one.name for one in fields(sc.Contract)]
    assert named["tail"].default == "auto"


@pytest.mark.slow
@pytest.mark.parametrize(("text", "wrong"), [(RIGHT, 0), (WRONG, 6)])
def test_words_that_do_not_exist_are_errors_of_types(tmp_path, text, wrong):
    (tmp_path / "snippet.py").write_text(text)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "snippet.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.count("snippet.py:") == wrong, run.stdout
    assert run.returncode == bool(wrong)
