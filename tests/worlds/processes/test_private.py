"""Of private directories nothing is left, whatever happens to their owners."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from samplercheck.worlds.processes.private import PrivateDirectory

OWNER = (
    "from samplercheck.worlds.processes.private import PrivateDirectory as D; "
    "d = D(); print(d.path, flush=True); input()"
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def owner(place):
    """Another process that has a private directory."""
    command = [sys.executable, "-c", OWNER]
    environment = {**os.environ, "TMPDIR": str(place)}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def test_a_private_directory_is_the_user_s_own_and_is_gone_when_closed(place):
    private = PrivateDirectory()
    assert private.path.parent == place
    assert private.path.stat().st_mode & 0o077 == 0
    (private.path / "file").write_text("text")
    private.close()
    assert list(place.iterdir()) == []


def test_directories_of_those_who_live_stay(place, owner):
    path = Path(owner.stdout.readline().strip())
    mine, also_mine = PrivateDirectory(), PrivateDirectory()
    assert path.is_dir()
    also_mine.close()
    assert mine.path.is_dir()
    mine.close()


@pytest.mark.skipif(os.name != "posix", reason="no locks that end with their owner")
def test_directories_of_those_who_were_killed_are_removed_by_the_next(place, owner):
    path = Path(owner.stdout.readline().strip())
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    assert path.is_dir()
    PrivateDirectory().close()
    assert not path.exists()


def test_what_is_not_the_kit_s_own_is_left_alone(place):
    (place / "samplercheck-results").mkdir()
    PrivateDirectory().close()
    assert (place / "samplercheck-results").is_dir()
