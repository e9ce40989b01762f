"""Changes: waiting until somebody saves a Python file of a project."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

EVERY = 0.2
"""Seconds between two looks."""
LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages"})
MOST_FILES = 10_000


def wait_for_change(folder: Path, seen: dict[str, int] | None = None) -> dict[str, int]:
    """Return once a Python file below a folder is other than it was ``seen``, with what is there now.

    Without anything seen return at once. Hidden folders and installed packages are left out.
    """
    while (now := _list_times(folder)) == seen:
        time.sleep(EVERY)
    return now


def _list_times(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for here, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in LEFT_OUT
            and not Path(here, name, "pyvenv.cfg").exists()
        ]
        for name in files:
            if name.endswith(".py") and len(found) < MOST_FILES:
                path = os.path.join(here, name)  # noqa: PTH118  (thousands of strings)
                with suppress(OSError):  # gone since
                    found[path] = os.stat(path).st_mtime_ns  # noqa: PTH116  (the same)
    return found
