"""A closed pipe, a closed stream or a full disk takes the output, never the verdict."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from samplercheck.cli.streams import Outlet
from tests.hostile.command import environment
from tests.support.command_line import ROOT, a_target

FULL = Path("/dev/full")
NO_ROOM = "samplercheck: stdout: No space left on device. Make room, or send it elsewhere."
SLOW = pytest.mark.slow
BEYOND = ["epochs: 3 of 3 cases", "frontier: 10 of 10 cases", "wide: 127 of 127 cases"]
PHASES = {
    "sound": ["small scope: 65 of 65 cases", *BEYOND],
    "uneven": ["small scope: 65 of 65 cases", *BEYOND, "explain: all of its cases"],
}
"""What is told of the progress where no terminal is; how many cases a cause takes is no matter of streams."""
JUDGE = ("--profile", "quick", "--select", "SC104")

unix = pytest.mark.skipif(sys.platform == "win32", reason="shells that close streams are of Unix")
full_disk = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


def phases_of(said: str) -> list[str]:
    """The lines of the progress, with the number of cases that explaining took left out."""
    return re.sub(r"explain: (\d+) of \1 cases", "explain: all of its cases", said).splitlines()


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


@pytest.mark.thorough
@unix
@full_disk
@pytest.mark.parametrize(("target", "code"), [("uneven", 1), pytest.param("sound", 4, marks=SLOW)])
def test_a_full_disk_is_told_in_one_line_and_is_no_success(target: str, code: int, tmp_path: Path) -> None:
    ended, _, said = redirected(">/dev/full", "run", a_target(target), *JUDGE, cwd=tmp_path)
    assert ended == code
    assert phases_of(said) == [*PHASES[target], NO_ROOM]


@pytest.mark.thorough
@unix
@pytest.mark.parametrize(("target", "code"), [("uneven", 1), pytest.param("sound", 0, marks=SLOW)])
def test_a_pipe_that_nobody_reads_ends_quietly_with_the_verdict(
    target: str, code: int, tmp_path: Path
) -> None:
    ended, said = piped_away("run", a_target(target), *JUDGE, cwd=tmp_path)
    assert (ended, phases_of(said)) == (code, PHASES[target])
    assert piped_away("run", a_target(target), *JUDGE, cwd=tmp_path, stderr_too=True) == (code, "")


@pytest.mark.thorough
@unix
@pytest.mark.parametrize(
    "where", ["<&- >&- 2>&-", *(pytest.param(one, marks=SLOW) for one in (">&-", "2>&-"))]
)
def test_closed_streams_lead_nowhere_and_the_verdict_stays(where: str, tmp_path: Path) -> None:
    ended, shown, said = redirected(where, "run", a_target("uneven"), *JUDGE, cwd=tmp_path)
    assert ended == 1
    assert ("SC104 equal-steps" in shown) == (where == "2>&-")
    assert phases_of(said) == (PHASES["uneven"] if where == ">&-" else [])


@pytest.mark.thorough
@unix
@full_disk
@pytest.mark.parametrize("words", [["--help"], ["laws"], ["explain", "SC104"]])
def test_no_verb_shows_a_traceback_for_what_it_cannot_write(words: list[str]) -> None:
    assert redirected(">/dev/full", *words) == (4, "", f"{NO_ROOM}\n")
    assert redirected("2>/dev/full", *words)[::2] == (0, "")
    assert piped_away(*words) == (0, "")


@full_disk
@unix
@pytest.mark.slow
def test_a_terminal_that_goes_away_costs_no_report(tmp_path: Path) -> None:
    import pty

    leader, terminal = pty.openpty()
    words = ("run", f"{ROOT}/tests/hostile/noted.py:Sleeps", "--profile", "quick", "--report", "report")
    process = subprocess.Popen(
        [sys.executable, "-m", "samplercheck", *words],
        cwd=tmp_path,
        env={**environment(tmp_path), "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    notes = tmp_path / "notes"
    end = time.monotonic() + 60
    while not notes.exists() and time.monotonic() < end:
        os.set_blocking(leader, False)
        with contextlib.suppress(OSError):
            os.read(leader, 10_000)
        time.sleep(0.05)
    os.close(leader)
    process.send_signal(signal.SIGHUP)
    assert process.wait(60) == 130
    assert json.loads((tmp_path / "report" / "report.json").read_text())["interrupted"] is True
    assert list(tmp_path.glob("samplercheck-*")) == []


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
