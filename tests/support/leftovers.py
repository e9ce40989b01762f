"""What is there of this process on the machine: to be the same after a test as before."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

from samplercheck.worlds.processes import copies
from samplercheck.worlds.processes.lifetime import descendants
from tests.support.waiting import until

__all__ = ["are_gone", "end_sources", "nothing_is_left", "what_is_kept"]


def end_sources():
    """End what copies come from; the copies go on, and the next one that is asked for has another source."""
    for source in copies._sources.values():
        source.close()
    copies._sources.clear()


def lives(pid):
    """Whether a process has not ended; a zombie has."""
    try:
        return bool(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return False


def are_gone(pids, within):
    """Whether these processes end in time."""
    return until(lambda: not any(map(lives, pids)), within)


def descriptors():
    """Return the numbers of the open descriptors, with that by which they are listed."""
    return {path.name for path in Path("/dev/fd").iterdir()}


def what_is_kept(directory):
    """The numbers of open descriptors and descendants, and what lies in a directory."""
    files = sorted(path.name for path in directory.iterdir())
    return len(descriptors()), len(descendants(os.getpid())), files


@contextmanager
def nothing_is_left(monkeypatch):
    """Hand out a directory for temporary files; nothing may be left in it, open or alive afterwards."""
    end_sources()
    opened, alive = len(descriptors()), set(descendants(os.getpid()))
    with tempfile.TemporaryDirectory(prefix="sc", dir="/tmp") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        yield Path(short)
        assert list(Path(short).iterdir()) == []
    end_sources()
    assert set(descendants(os.getpid())) <= alive
    assert len(descriptors()) == opened
