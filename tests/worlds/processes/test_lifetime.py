"""A started process ends when its starter hangs up, whatever stands in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing.connection import wait

import pytest

from samplercheck.worlds.processes import copies, lifetime

BEGIN = "from samplercheck.worlds.processes import lifetime as it; it.end_with_lifeline(it.take_lifeline());"
SAY = "print('here', flush=True);"
WAIT = "import time; time.sleep(60)"
HOLD = "import ctypes; ctypes.PyDLL(None).sleep(60)"
CLOSE = "import os, time; time.sleep(0.5); os.closerange(3, 64);"


def started(code):
    process = subprocess.Popen(
        [sys.executable, "-c", f"{BEGIN} {code}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"here"
    return process


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(SAY + WAIT, id="waiting"),
        pytest.param(CLOSE + SAY + WAIT, id="having closed every descriptor"),
        pytest.param(
            SAY + HOLD,
            id="holding the interpreter",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="this kernel ends no process by itself"),
        ),
    ],
)
def test_a_process_ends_with_its_lifeline(code):
    with started(code) as process:
        process.stdin.close()
        assert process.wait(10) != 0


def test_what_reads_its_standard_input_finds_it_empty():
    with started(SAY + "import sys; assert sys.stdin.read() == ''") as process:
        assert process.wait(10) == 0


@pytest.mark.skipif(not copies.are_possible(), reason="this kernel has no descriptors of processes")
def test_the_end_of_a_process_is_seen_without_python_s_own_name_for_that(monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        end = lifetime.open_end(process.pid)
        assert wait([end], 0) == []
        process.stdin.close()
        assert wait([end], 10) == [end]
    os.close(end)
    with pytest.raises(ProcessLookupError):
        lifetime.open_end(process.pid)
