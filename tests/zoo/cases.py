"""The zoo's files, found by listing them: one broken sampler each, next to its sound twin.

Called by tests. Imports the zoo's own modules alone.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = ["FIELDS", "NEVER_TWICE", "is_strict", "worlds_of", "zoo"]

FIELDS = ("SLUG", "SOURCE", "STORY", "CONTRACT", "AXES", "EXPECT", "ALSO", "SMALLEST", "bug", "sound")
SIMULATED = ("simulated",)
NEVER_TWICE = {
    "global_rng_permutation",
    "numbered_instances",
    "order_from_worker_seed",
    "seed_hashed_from_text",
}
"""What these bugs do by chance, by time or by the process they live in cannot be the same twice."""


@cache
def zoo() -> tuple[ModuleType, ...]:
    """Return the modules of the zoo in the order of their names."""
    folder = Path(__file__).parent
    names = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    return tuple(import_module(f"{__package__}.{name}") for name in names if name != Path(__file__).stem)


def worlds_of(module: ModuleType) -> tuple[str, ...]:
    """Return the worlds in which a file is judged: simulation, unless only others show its bug (WORLDS)."""
    worlds: tuple[str, ...] = getattr(module, "WORLDS", SIMULATED)
    return worlds


def is_strict(module: ModuleType) -> bool:
    """Whether what a file breaks is of the grade "strict" (GRADE), so that only a strict run fails for it."""
    return getattr(module, "GRADE", "harm") == "strict"
