"""Scripts of mistakes that the zoo has not: they end with 1, and with 0 where the mistake is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from tests.storage.scripts.test_zoo_scripts import find_by_law, needs_fork, scripts, status_of

if TYPE_CHECKING:
    from pathlib import Path

PLACE = "tests.storage.scripts.mistaken"
CONTRACTS: dict[str, dict[str, Any]] = {
    "Built": {"resume": "consumed", "order": "shuffled"},
    "Told": {"at_end": "next", "order": "shuffled"},
    "AlwaysCuts": {},
    "Walks": {"epochs": "either", "after_break": "rest", "resume": "state_dict"},
    "Kept": {"tail": "keep", "epochs": "fixed", "order": "free"},
    "Bucketed": {"sharding": "none", "epochs": "fixed", "tail": "keep", "order": "free"},
    "Part": {"sharding": "none", "coverage": "subset", "order": "sequential"},
    "Refuses": {"epochs": "fixed", "foreign_state": "rank_0"},
    "Moves": {"sharding": "none"},
    "Fills": {"order": "sequential"},
    "Endless": {"sharding": "none", "epochs": "fixed", "tail": "keep"},
}

STRICT = {"Fills"}
"""What breaks no normal run."""


@pytest.mark.thorough
@needs_fork
@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("Built", "SC701"),
        ("Built", "SC702"),
        ("Told", "SC701"),
        ("AlwaysCuts", "SC309"),
        ("Walks", "SC701"),
        ("Refuses", "SC706"),
        ("Kept", "SC104"),
        ("Bucketed", "SC601"),
        ("Part", "SC302"),
        ("Moves", "SC802"),
        ("Fills", "SC707"),
        pytest.param("Endless", "SC002", marks=pytest.mark.slow),  # a hang is waited for, 20 s
    ],
)
def test_a_script_fails_for_a_mistake_and_passes_without(name: str, law: str, tmp_path: Path) -> None:
    target = sc.target(f"{PLACE}:{name}", contract=sc.Contract(**CONTRACTS[name]))
    told = [text for _, text in scripts(find_by_law(target, law, tmp_path, strict=name in STRICT))]
    assert told
    for text in told:
        sound = text.replace(f"import {name}\n", f"import Sound{name} as {name}\n")
        assert (status_of(text, tmp_path), status_of(sound, tmp_path)) == (1, 0), text
