"""Stamps: this user's own records are known again; nothing else is, and nowhere else."""

from __future__ import annotations

import stat
import sys

import pytest

from samplercheck.storage.signing import is_stamp, stamp


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_what_was_stamped_is_known_in_the_same_directory_alone(tmp_path):
    made = stamp(tmp_path, "pkg:x", {"tail": "keep"}, "SC104")
    assert is_stamp(made, tmp_path, "pkg:x", {"tail": "keep"}, "SC104")
    assert not is_stamp(made, tmp_path / "other", "pkg:x", {"tail": "keep"}, "SC104")
    assert not is_stamp(made, tmp_path, "pkg:y", {"tail": "keep"}, "SC104")
    assert not is_stamp(made, tmp_path, "pkg:x", {"reference": "os:system"}, "SC104")


def test_another_users_stamp_means_nothing(tmp_path, home, monkeypatch):
    made = stamp(tmp_path, "pkg:x")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    stamp(tmp_path, "something")
    assert not is_stamp(made, tmp_path, "pkg:x")


def test_without_a_key_nothing_is_known_and_asking_makes_none(tmp_path, home):
    assert not is_stamp("", tmp_path, "pkg:x")
    assert not is_stamp("0" * 64, tmp_path, "pkg:x")
    assert not home.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files are of Unix")
def test_nobody_else_can_read_the_key_and_nothing_else_is_left(tmp_path, home):
    stamp(tmp_path, "pkg:x")
    (path,) = (home / "samplercheck").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_where_no_key_can_be_kept_there_is_no_stamp(tmp_path, home):
    home.write_text("a file where the folder belongs")
    assert stamp(tmp_path, "pkg:x") == ""
    assert not is_stamp("", tmp_path, "pkg:x")
