"""A closed pipe, a closed stream or a full disk takes the output, never the verdict."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from samplercheck.cli.streams import Outlet
from tests.support.command_line import ROOT, a_target

FULL = Path("/dev/full")
NO_ROOM = "samplercheck: stdout: No space left on device. Make room, or send it elsewhere."
SLOW = pytest.mark.slow
PHASES = {
    "sound": ["small scope: 65 of 65 cases"],
    "uneven": ["small scope: 65 of 65 cases", "explain: 73 of 73 cases"],
}
"""What is told of the progress where no terminal is."""
JUDGE = ("--profile", "quick", "--select", "SC104")

unix = pytest.mark.skipif(sys.platform == "win32", reason="shells that close streams are of Unix")
full_disk = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def redirected(where: str, *words: str, cwd: Path = ROOT) -> tuple[int, str, str]:
    """The exit code of a command that a shell has redirected, and what else came out."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {where}', "sh", sys.executable, "-m", "samplercheck", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def piped_away(*words: str, cwd: Path = ROOT, stderr_too: bool = False) -> tuple[int, str]:
    """The exit code of a command into a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "samplercheck", *words],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=writing,
            stderr=subprocess.STDOUT if stderr_too else subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr or ""


@unix
@full_disk
@pytest.mark.parametrize(("target", "code"), [("uneven", 1), pytest.param("sound", 4, marks=SLOW)])
def test_a_full_disk_is_told_in_one_line_and_is_no_success(target: str, code: int, tmp_path: Path) -> None:
    ended, _, said = redirected(">/dev/full", "run", a_target(target), *JUDGE, cwd=tmp_path)
    assert ended == code
    assert said.splitlines() == [*PHASES[target], NO_ROOM]


@unix
@pytest.mark.parametrize(("target", "code"), [("uneven", 1), pytest.param("sound", 0, marks=SLOW)])
def test_a_pipe_that_nobody_reads_ends_quietly_with_the_verdict(
    target: str, code: int, tmp_path: Path
) -> None:
    ended, said = piped_away("run", a_target(target), *JUDGE, cwd=tmp_path)
    assert (ended, said.splitlines()) == (code, PHASES[target])
    assert piped_away("run", a_target(target), *JUDGE, cwd=tmp_path, stderr_too=True) == (code, "")


@unix
@pytest.mark.parametrize("where", [">&-", pytest.param("2>&-", marks=SLOW), "<&- >&- 2>&-"])
def test_closed_streams_lead_nowhere_and_the_verdict_stays(where: str, tmp_path: Path) -> None:
    ended, shown, said = redirected(where, "run", a_target("uneven"), *JUDGE, cwd=tmp_path)
    assert ended == 1
    assert ("BROKEN  SC104" in shown) == (where == "2>&-")
    assert said.splitlines() == (PHASES["uneven"] if where == ">&-" else [])


@unix
@full_disk
@pytest.mark.parametrize("words", [["--help"], ["laws"], ["explain", "SC104"]])
def test_no_verb_shows_a_traceback_for_what_it_cannot_write(words: list[str]) -> None:
    assert redirected(">/dev/full", *words) == (4, "", f"{NO_ROOM}\n")
    assert redirected("2>/dev/full", *words)[::2] == (0, "")
    assert piped_away(*words) == (0, "")


@full_disk
def test_an_outlet_writes_until_it_cannot_and_remembers_why(tmp_path: Path) -> None:
    with (tmp_path / "kept").open("wb") as file:
        outlet = Outlet(file.fileno())
        assert outlet.write(b"abc") == 3
        assert outlet.failure is None
    with FULL.open("wb", buffering=0) as full:
        outlet = Outlet(full.fileno())
        with io.BufferedWriter(outlet) as stream:
            stream.write(b"abc")
            stream.flush()
            assert outlet.failure is not None
            assert outlet.write(b"more") == 4
    assert (tmp_path / "kept").read_bytes() == b"abc"
