"""Directories that are listed from their end, by whatever lists them."""

from __future__ import annotations

import glob
import os
import pathlib
from pathlib import Path

import pytest

from samplercheck.worlds.in_rank.surroundings import list_in_reverse


@pytest.fixture
def names(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).touch()
    before = [path.name for path in tmp_path.iterdir()]
    monkeypatch.setattr(os, "listdir", os.listdir)
    monkeypatch.setattr(os, "scandir", os.scandir)
    holds_its_own = getattr(pathlib, "_NormalAccessor", None)  # Python 3.10
    for name in ("listdir", "scandir") if holds_its_own else ():
        monkeypatch.setattr(holds_its_own, name, staticmethod(getattr(os, name)))
    list_in_reverse()
    return before[::-1]


def test_every_way_to_list_a_directory_begins_at_the_end(tmp_path, names):
    assert [path.name for path in tmp_path.iterdir()] == names
    assert [Path(path).name for path in glob.glob(f"{tmp_path}/*")] == names  # noqa: PTH207  (it is meant)
    assert next(os.walk(tmp_path))[2] == names
    with os.scandir(tmp_path) as entries:
        assert next(entries).name == names[0]
    assert list(entries) == []  # closed


def test_a_directory_that_is_not_there_is_an_error_as_ever(tmp_path, names):
    for lists in (os.listdir, os.scandir):
        with pytest.raises(FileNotFoundError):
            lists(tmp_path / "nothing")
