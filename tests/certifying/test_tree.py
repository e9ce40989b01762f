"""The state of a working tree: its commit, what is changed, what is not known to it."""

from __future__ import annotations

import subprocess

import pytest

from samplercheck.certifying.source import WorkingTree, state_of
from samplercheck.values.errors import UsageError


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(folder), *words],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a b.py").write_text("1")
    (tmp_path / "other.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def test_a_clean_tree_has_its_commit_alone(repository):
    (repository / "notes.txt").write_text("nobody's source")
    tree = state_of(repository, ["a b.py"])
    assert len(tree.commit) == 40
    assert tree.changed == ()


def test_changed_files_and_sources_that_are_not_known_are_named(repository):
    (repository / "other.py").write_text("2")
    (repository / "new.py").write_text("1")
    assert state_of(repository, ["a b.py", "new.py"]).changed == ("new.py", "other.py")


def test_without_version_control_there_is_no_state(tmp_path):
    assert state_of(tmp_path, ["a.py"]) == WorkingTree()


def test_a_repository_without_a_commit_cannot_say_which(tmp_path):
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageError, match=r"git cannot say which commit .* Commit something"):
        state_of(tmp_path, [])
