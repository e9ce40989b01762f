"""``replay --watch`` runs again when a Python file of the project is saved, and when nothing else is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from samplercheck.cli import replay
from samplercheck.cli.replay import wait_for_change
from tests.support.command_line import call

if TYPE_CHECKING:
    from pathlib import Path


def test_a_saved_file_and_a_new_one_end_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "samplers.py"
    path.write_text("")
    seen = wait_for_change(tmp_path)
    assert list(seen) == [str(path)]
    os.utime(path, ns=(0, seen[str(path)] + 1))
    assert wait_for_change(tmp_path, seen) == {str(path): seen[str(path)] + 1}
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "new.py").write_text("")
    assert len(wait_for_change(tmp_path, seen)) == 2


def test_hidden_folders_environments_and_other_files_are_not_watched(tmp_path: Path) -> None:
    for name in (".git/a.py", "env/b.py", "env/pyvenv.cfg", "lib/site-packages/c.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert wait_for_change(tmp_path) == {}


def test_each_change_is_one_round_and_ctrl_c_ends_with_the_last_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes, rounds, waits = [1, 1, 0], [], []

    def run(*, rounds: int, asked: list[int] = rounds) -> tuple[list[object], int]:
        asked.append(rounds)
        return [], codes[len(asked) - 1]

    def wait(*seen: object) -> dict[str, int]:
        waits.append(seen)
        if len(waits) > len(codes):
            raise KeyboardInterrupt
        return {"a.py": len(waits)}

    assert replay._repeat(run, wait) == 0  # type: ignore[arg-type]  # verdicts are not looked at
    assert rounds == [1, 1, 1]
    assert waits == [(), ({"a.py": 1},), ({"a.py": 2},), ({"a.py": 3},)]
    assert capsys.readouterr().out.count("waiting for a Python file") == 3


@pytest.mark.parametrize("other", [["--prune"], ["--emit-test", "test_new.py"]])
def test_what_watches_writes_nothing(other: list[str]) -> None:
    done = call("replay", "--watch", *other)
    assert done.exit_code == 2
    assert "--watch writes nothing" in " ".join(done.output.split())
