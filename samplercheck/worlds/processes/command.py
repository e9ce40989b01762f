"""Command: a fresh interpreter with this one's module path and flags, and nothing to see of its arguments."""

from __future__ import annotations

import os
import sys

__all__ = ["command"]

# The new process takes over this one's module path before it imports anything but sys.
BOOT = (
    "import sys; path, *words = sys.argv[1:]; del sys.argv[1:]; "
    f"sys.path[:] = path.split({os.pathsep!r}); "
    "from {module} import main; main(*words)"
)


def command(module: str, *words: object) -> list[str]:
    """Return what starts ``main`` of a module in a process of its own; it gets the words as text."""
    where = os.pathsep.join(map(str, sys.path))
    return [sys.executable, *_flags(), "-c", BOOT.format(module=module), where, *map(str, words)]


def _flags() -> list[str]:
    """Return the interpreter's flags that change what a target does."""
    optimised = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    return [*optimised, *(f"-W{one}" for one in sys.warnoptions)]
