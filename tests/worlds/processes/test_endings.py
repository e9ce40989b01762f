"""How processes ended is said in words, and the end of their standard error is kept, however much that is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from samplercheck.worlds.processes.launch import StderrTail, status_of
from tests.support.leftovers import descriptors


@pytest.mark.parametrize(
    ("code", "said"), [(0, "exit status 0"), (3, "exit status 3"), (-9, "SIGKILL"), (-250, "signal 250")]
)
def test_an_exit_code_is_said_in_words(code, said):
    assert status_of(code) == said


def written_by(code, tail):
    return subprocess.Popen([sys.executable, "-c", f"import sys; {code}"], stderr=tail.writing)


def test_the_last_lines_of_a_flood_are_kept_and_the_flood_is_not():
    tail = StderrTail()
    with written_by("sys.stderr.write('flood\\n' * 200_000 + 'last words\\n')", tail) as process:
        assert process.wait(30) == 0
    tail.settle()
    assert tail.lines == (*["flood"] * 4, "last words")


def test_several_processes_share_one_tail_and_bytes_that_are_no_text_do_no_harm():
    tail = StderrTail()
    for code in ("sys.stderr.write('one\\n')", "sys.stderr.buffer.write(b'tw\\xff\\n')"):
        with written_by(code, tail) as process:
            assert process.wait(30) == 0
    tail.settle()
    assert tail.lines == ("one", "tw\N{REPLACEMENT CHARACTER}")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="descriptors are not counted on this system")
def test_nothing_stays_open_when_it_is_closed():
    before = len(descriptors())
    tail = StderrTail()
    assert len(descriptors()) == before + 2
    tail.settle()
    assert len(descriptors()) == before
    assert tail.lines == ()
