"""A small project with a sampler, examined once by the profile quick, for tests of certificates."""

from __future__ import annotations

import atexit
import shutil
import sys
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.checks import Verification, check_certificate
from samplercheck.certifying.examine import examine
from samplercheck.engine import Plan

__all__ = ["NOW", "PROFILES", "UNEVEN", "a_project", "certificate", "examined", "project", "verified"]

NOW = datetime(2027, 1, 31, 12, tzinfo=timezone.utc)
PROFILES = ("quick@2",)

SAMPLER = """
from dealing import share

class Strided:
    def __init__(self, length: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError(rank)
        self.mine = share(length, rank, world_size)

    def __len__(self) -> int:
        return len(self.mine)

    def __iter__(self):
        return iter(self.mine)
"""
DEALING = """
def share(length, rank, world_size):
    padded = -(-length // world_size) * world_size
    return [index % max(1, length) for index in range(rank, padded, world_size)]
"""

UNEVEN = """
def share(length, rank, world_size):
    return list(range(rank, length, world_size))
"""


def a_project(folder: Path, dealing: str = DEALING) -> Path:
    """Write a project of two files and return its sampler's; no other project's module stands in for one."""
    sys.modules.pop("dealing", None)
    (folder / "pyproject.toml").write_text("")
    (folder / "dealing.py").write_text(dealing)
    (folder / "strided.py").write_text(SAMPLER)
    return folder / "strided.py"


@cache
def project() -> Path:
    """The folder of the project that is examined."""
    folder = Path(mkdtemp(prefix="certified-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    a_project(folder)
    return folder


@cache
def _examined() -> dict[str, Any]:
    before = list(sys.path)
    try:
        return examine(Plan(target=f"{project() / 'strided.py'}:Strided", profile="quick"))
    finally:
        sys.path[:] = before


def examined(**changes: Any) -> dict[str, Any]:
    """What the examination of the project says, some of it changed."""
    return {**_examined(), **changes}


@cache
def certificate() -> Certificate:
    """The certificate of the project."""
    return Certificate.of(examined(), NOW)


def verified(
    given: Certificate | None = None, root: Path | None = None, now: datetime = NOW, **how: Any
) -> Verification:
    """Verify it at its place, with the versions that it was made with, some of it changed."""
    versions = certificate().predicate["versions"]
    return check_certificate(
        given or certificate(),
        root or project(),
        now,
        how.pop("version_of", versions.get),
        profiles=how.pop("profiles", PROFILES),
        **how,
    )
