"""Files that appear whole or not at all, and directories of which nothing is left.

Called by reports, the store and whoever starts processes. Standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from pathlib import Path

__all__ = ["PrivateDirectory", "write_whole"]

PREFIX = "samplercheck-"
LOCK = ".owner"


class PrivateDirectory:
    """A directory that only this user can open; ``close`` removes it.

    Its owner holds a lock in it for as long as he lives. What owners have left behind who were killed
    is removed by the next.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.path / f"{LOCK}.new", os.O_RDWR | os.O_CREAT, 0o600)
        _lock(self._lock)
        lock = (self.path / f"{LOCK}.new").rename(self.path / LOCK)  # seen by others once it is held
        for other in self.path.parent.glob(f"{PREFIX}*/{LOCK}"):
            if other != lock:
                _sweep(other)

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
    with contextlib.suppress(OSError):  # another user's, or just removed by its owner
        descriptor = os.open(lock, os.O_RDWR)
        try:
            if _lock(descriptor):
                shutil.rmtree(lock.parent, ignore_errors=True)
        finally:
            os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Write beside ``path``, then take its place in one step; where that fails, what was there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
