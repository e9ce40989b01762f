"""The versions that a report names: what, besides target, profile and seed, decides its content."""

from __future__ import annotations

import platform
from importlib import metadata

from samplercheck import __version__

__all__ = ["versions"]

PACKAGES = ("torch", "numpy", "hypothesis")


def versions() -> dict[str, str]:
    """Return the versions of samplercheck, Python and what is run or drawn with."""
    found = {"samplercheck": __version__, "python": platform.python_version(), "platform": platform.system()}
    for name in PACKAGES:
        found[name] = metadata.version(name)
    return found
