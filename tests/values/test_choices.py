"""Words that do not exist are seen by type checkers, and a signature names the fields."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

import samplercheck as sc
from samplercheck.search.profiles import PROFILES
from samplercheck.values.choices import ProfileName, WorldName
from samplercheck.values.contract import CHOICES
from samplercheck.worlds import OTHER_NAMES, WORLDS

ROOT = Path(__file__).parents[2]
SNIPPET = """
import samplercheck as sc

sc.Contract(tail="drop", order="shuffled", epochs="advance")
sc.run("a:b", profile="quick", worlds=["gloo"])
# From here on each call is wrong.
sc.Contract(tail="dorp")
sc.Contract(tial="drop")
sc.Contract(coverage="sampled", frequencies="wieghts")
sc.run("a:b", profile="quik")
sc.run("a:b", worlds=["glo"])
sc.parametrize_with_laws("a:b", profile="quik", worlds="glo")
"""


def test_the_types_are_the_words_that_are_accepted():
    assert set(get_args(ProfileName)) == set(PROFILES)
    assert set(get_args(WorldName)) == {*WORLDS, *OTHER_NAMES}
    assert {name: len(words) for name, words in CHOICES.items() if len(set(words)) < len(words)} == {}


def test_a_signature_names_the_fields():
    named = inspect.signature(sc.Contract).parameters
    assert list(named) == [one.name for one in fields(sc.Contract)]
    assert named["tail"].default == "auto"


@pytest.mark.slow
def test_words_that_do_not_exist_are_errors_of_types(tmp_path):
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET)
    run = subprocess.run(  # in the project, whose cache knows the kit
        [sys.executable, "-m", "mypy", str(snippet)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    first = SNIPPET.splitlines().index("# From here on each call is wrong.") + 1
    wrong = set(range(first + 1, len(SNIPPET.splitlines()) + 1))
    assert {int(number) for number in re.findall(r"snippet\.py:(\d+): error", run.stdout)} == wrong
