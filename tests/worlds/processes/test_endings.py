"""Whether and how processes ended, and that they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from samplercheck.worlds.processes.endings import has_ended, kill_group, let_go, status_of

posix = pytest.mark.skipif(os.name != "posix", reason="there are no process groups on this system")
SOON = 10.0


@pytest.mark.parametrize(
    ("code", "said"), [(0, "exit status 0"), (3, "exit status 3"), (-9, "SIGKILL"), (-250, "signal 250")]
)
def test_an_exit_code_is_said_in_words(code, said):
    assert status_of(code) == said


def started(code, **streams):
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=os.name == "posix", **streams)


def ends_soon(process):
    until = time.monotonic() + SOON
    while not has_ended(process) and time.monotonic() < until:
        time.sleep(0.01)
    return has_ended(process)


def test_a_process_that_waits_for_its_lifeline_has_not_ended_until_it_is_let_go():
    process = started("input()", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert not has_ended(process)
    let_go(process)
    assert ends_soon(process)
    assert status_of(process.wait()) == "exit status 1"


@posix
def test_an_ended_process_keeps_its_number_until_it_is_waited_for():
    process = started("")
    assert ends_soon(process)
    os.kill(process.pid, 0)
    assert process.wait() == 0
    assert has_ended(process)
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@posix
def test_a_group_is_killed_with_what_its_leader_has_started():
    inner = "import sys, time; print('here', flush=True); time.sleep(60)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    process = started(outer, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as told:
        assert told.readline().strip() == b"here"
        kill_group(process)
        assert told.read() == b""  # nobody holds the other end any more
    assert process.wait() == -signal.SIGKILL
    kill_group(process)  # whom there is nobody left to kill it leaves alone
