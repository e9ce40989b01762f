"""What is there of this process on the machine: to be the same after a test as before."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from samplercheck.worlds.processes import copies
from samplercheck.worlds.processes.lifetime import descendants

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
    until = time.monotonic() + within
    while any(lives(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


def what_is_kept(directory):
    """The numbers of open descriptors and descendants, and what lies in a directory."""
    return descriptors(), len(descendants(os.getpid())), sorted(path.name for path in directory.iterdir())


@contextmanager
def nothing_is_left(monkeypatch):
    """Hand out a directory for temporary files; nothing may be left in it, open or alive afterwards."""
    end_sources()
    opened, alive = descriptors(), set(descendants(os.getpid()))
    with tempfile.TemporaryDirectory(prefix="sc", dir="/tmp") as short:
        monkeypatch.setattr(tempfile, "tempdir", short)
        yield Path(short)
        assert list(Path(short).iterdir()) == []
    end_sources()
    assert set(descendants(os.getpid())) <= alive
    assert descriptors() == opened
