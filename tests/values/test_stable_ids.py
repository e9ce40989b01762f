"""The smallest cases of the zoo's bugs and their ids, pinned: another machine finds the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.replayed_zoo import IN_GROUPS, IN_SIMULATION

ROOT = Path(__file__).parents[2]
PINNED = json.loads((ROOT / "tests" / "data" / "zoo_ids.json").read_text())
"""For each bug the law, the token of the smallest case that breaks it, and its id."""

IDS = """
import json, sys
from samplercheck.values.case import Case
print(json.dumps([Case.parse(token).id for token in json.load(sys.stdin)]))
print("torch" in sys.modules, file=sys.stderr)
"""
FOUND = """
import json, sys, tempfile
from samplercheck.storage.store import Store
from tests.support.replayed_zoo import keep
found = {}
for slug, law in json.load(sys.stdin).items():
    with tempfile.TemporaryDirectory() as folder:
        found[slug] = [law, keep(slug, law, Store(folder)).token]
print(json.dumps(found))
"""


ELSEWHERE = {"PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT), "LC_ALL": "C", "TZ": "Pacific/Chatham"}


def answered(program: str, question: object, directory: Path) -> subprocess.CompletedProcess[str]:
    """What a fresh process says: another hash seed, home, working directory, locale and time zone."""
    return subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
        cwd=directory,
        env={**os.environ, **ELSEWHERE, "HOME": str(directory)},
        timeout=1200,
    )


def test_a_case_has_the_same_id_in_another_environment(tmp_path: Path) -> None:
    done = answered(IDS, [token for _, token, _ in PINNED.values()], tmp_path)
    assert json.loads(done.stdout) == [one for _, _, one in PINNED.values()]
    assert done.stderr == "False\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "bugs",
    [
        pytest.param(IN_SIMULATION, id="in simulation"),
        pytest.param(IN_GROUPS, id="in groups", marks=pytest.mark.gloo),
    ],
)
def test_every_bug_has_the_same_smallest_case_in_another_environment(
    bugs: dict[str, str], tmp_path: Path
) -> None:
    """A bug that is new is entered in ``tests/data/zoo_ids.json`` as it is told here."""
    found = json.loads(answered(FOUND, bugs, tmp_path).stdout)
    pinned = {slug: PINNED.get(slug, ["", ""])[:2] for slug in bugs}
    assert found == pinned


def test_every_pinned_bug_is_in_the_zoo() -> None:
    assert PINNED.keys() == IN_SIMULATION.keys() | IN_GROUPS.keys()
