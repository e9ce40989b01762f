"""The smallest cases of the zoo's bugs and their ids, pinned: another machine finds the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replayed_zoo import IN_SIMULATION

ROOT = Path(__file__).parents[1]
PINNED = json.loads((ROOT / "tests" / "data" / "zoo_ids.json").read_text())
"""For each bug the law, the token of the smallest case that breaks it, and its id."""

IDS = """
import json, sys
from samplercheck.case import Case
print(json.dumps([Case.parse(token).id for token in json.load(sys.stdin)]))
print("torch" in sys.modules, file=sys.stderr)
"""
FOUND = """
import json, sys, tempfile
from samplercheck.store import Store
from tests.replayed_zoo import keep
found = {}
for slug, law in json.load(sys.stdin).items():
    with tempfile.TemporaryDirectory() as folder:
        found[slug] = [law, keep(slug, law, Store(folder)).token]
print(json.dumps(found))
"""


def answered(program: str, question: object) -> subprocess.CompletedProcess[str]:
    """What a fresh process with another hash seed says."""
    return subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "77"},
        timeout=1200,
    )


def test_a_case_has_the_same_id_in_a_process_with_another_hash_seed() -> None:
    done = answered(IDS, [token for _, token, _ in PINNED.values()])
    assert json.loads(done.stdout) == [one for _, _, one in PINNED.values()]
    assert done.stderr == "False\n"


@pytest.mark.slow
def test_every_bug_has_the_same_smallest_case_in_a_process_with_another_hash_seed() -> None:
    """A bug that is new is entered in ``tests/data/zoo_ids.json`` as it is told here."""
    found = json.loads(answered(FOUND, IN_SIMULATION).stdout)
    assert found == {slug: [law, token] for slug, (law, token, _) in PINNED.items()}
