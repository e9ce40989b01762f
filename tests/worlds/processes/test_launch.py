"""Processes start with this one's module path and flags, and whether and how they end is known."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from samplercheck.worlds.processes.launch import LaunchedProcess, command, launch
from tests.support.waiting import until

TELLS = """
import json, sys
def main(*words):
    print(json.dumps([words, sys.argv, sys.path, sys.flags.optimize]))
"""
posix = pytest.mark.skipif(os.name != "posix", reason="there are no process groups on this system")
SOON = 10.0


def test_a_module_that_only_this_process_finds_is_started_with_its_words_as_text(tmp_path, monkeypatch):
    (tmp_path / "tells.py").write_text(TELLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = subprocess.run(command("tells", 3, "a b"), cwd="/", capture_output=True, text=True, check=True)
    words, arguments, path, optimised = json.loads(done.stdout)
    assert words == ["3", "a b"]
    assert arguments == ["-c"]
    assert path == sys.path
    assert optimised == sys.flags.optimize


def started(code, **streams):
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=os.name == "posix", **streams)


def ends_soon(process):
    return until(lambda: process.has_ended, SOON)


def test_a_process_that_waits_for_its_lifeline_has_not_ended_until_that_is_closed():
    process = LaunchedProcess(started("input()", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL))
    assert not process.has_ended
    process.close_lifeline()
    assert ends_soon(process)
    assert process.wait() == "exit status 1"


@posix
def test_an_ended_process_keeps_its_number_until_it_is_waited_for():
    process = LaunchedProcess(started(""))
    assert ends_soon(process)
    os.kill(process.pid, 0)
    assert process.wait() == "exit status 0"
    assert process.has_ended
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@posix
def test_a_group_is_killed_with_what_its_leader_has_started():
    inner = "import sys, time; print('here', flush=True); time.sleep(60)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    leader = started(outer, stdout=subprocess.PIPE)
    process = LaunchedProcess(leader)
    assert leader.stdout is not None
    with leader.stdout as output:
        assert output.readline().strip() == b"here"
        process.kill()
        assert output.read() == b""  # no process holds the other end any more
    assert process.wait() == "SIGKILL"
    process.kill()  # whom there is nobody left to kill it leaves alone
    process.send_signal(signal.SIGKILL)


@posix
def test_what_is_launched_leads_a_session_hears_nothing_and_says_nothing(tmp_path, monkeypatch):
    (tmp_path / "session.py").write_text(
        "import os, sys\n"
        "def main(path):\n"
        "    print('nobody reads this')\n"
        "    open(path, 'w').write(f'{os.getsid(0)} {os.getpid()}')\n"
        "    sys.stdin.read()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    notes = tmp_path / "notes"
    process = launch("session", notes, stderr=subprocess.DEVNULL)
    assert until(lambda: notes.exists() and bool(notes.read_text()), SOON)
    assert notes.read_text().split() == [str(process.pid)] * 2
    assert not process.has_ended
    assert process.end() == "SIGKILL"
