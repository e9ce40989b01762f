"""Private: directories that only this user can open, of which nothing is left.

Made by supervised runs, by pools of ranks and workers, and by the ranks of a job. Standard library alone.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "samplercheck-"
LOCK = ".owner"


class PrivateDirectory:
    """A directory that only this user can open, and a context manager; ``close`` removes it.

    Its owner, a process, holds a lock in it until it ends. What a killed owner has left behind is removed
    by the next one.
    """

    home: Path | None = None
    """Where they are made: of a started process in its starter's, which outlives it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.home))
        self._lock = os.open(self.path / f"{LOCK}.new", os.O_RDWR | os.O_CREAT, 0o600)
        _lock(self._lock)
        lock = (self.path / f"{LOCK}.new").rename(self.path / LOCK)  # seen by others once it is held
        for other in self.path.parent.glob(f"{PREFIX}*/{LOCK}"):
            if other != lock:
                _sweep(other)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the directory with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _lock(descriptor: int) -> bool:
    """Take the lock; False where another holds it, or where there are no such locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _sweep(lock: Path) -> None:
    """Remove the directory of a lock that nobody holds."""
    with suppress(OSError):  # another user's, or just removed by its owner
        descriptor = os.open(lock, os.O_RDWR)
        try:
            if _lock(descriptor):
                shutil.rmtree(lock.parent, ignore_errors=True)
        finally:
            os.close(descriptor)
