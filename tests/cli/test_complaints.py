"""Messages on stderr fit the terminal; what is to be pasted stays as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from samplercheck.cli.streams import complain
from tests.support.command_line import ROOT, a_target, call, is_screen

if TYPE_CHECKING:
    from pathlib import Path

LONG = "Axis 'bucket' is not a parameter of the target and of nothing else that anyone here has heard of."
PASTED = "    def build(dataset, rank): return unnamed(dataset=dataset, rank=rank, world_size=1)"


def test_prose_is_wrapped_and_code_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    complain(f"{LONG}\nPaste an adapter:\n\n{PASTED}\n")
    first, second, *rest = capsys.readouterr().err.splitlines()
    assert f"{first} {second}" == f"samplercheck: {LONG}"
    assert is_screen(f"{first}\n{second}")
    assert rest == ["Paste an adapter:", "", PASTED, ""]


def test_a_long_path_stays_in_one_piece(capsys: pytest.CaptureFixture[str]) -> None:
    path = "/a-b" * 30
    complain(f"Nothing is found at {path} today.")
    assert path in capsys.readouterr().err.splitlines()


def test_what_is_not_ascii_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    complain("caf\u00e9")
    assert capsys.readouterr().err == "samplercheck: caf\\xe9\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["run", a_target("unnamed")],
        ["run", a_target("sound"), "--profile", "quik"],
        ["run", a_target("sound"), "--format", "something that is much longer than a terminal is wide"],
        ["explain", "SC999"],
        ["run"],
    ],
)
def test_usage_is_wrapped_where_no_terminal_is(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(*words)
    assert done.exit_code == 2
    assert "samplercheck: " in done.stderr
    assert is_screen("\n".join(line for line in done.stderr.splitlines() if " " in line))


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
@pytest.mark.parametrize("columns", [40, 120])
def test_usage_is_as_wide_as_the_terminal(columns: int) -> None:
    import fcntl
    import struct
    import termios

    mine, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 25, columns, 0, 0))
    words = [sys.executable, "-m", "samplercheck", "explain", "SC999"]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, check=False)
    said = os.read(mine, 10_000).decode().splitlines()
    os.close(mine)
    os.close(theirs)
    assert done.returncode == 2
    assert columns - 25 < max(map(len, said)) <= columns
