"""Copies of a fork server are like launched processes, and outlive neither their starter nor their use."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from samplercheck.worlds.processes import copies, lifetime
from samplercheck.worlds.processes.copied import CopiedProcess
from samplercheck.worlds.processes.copies import start
from samplercheck.worlds.processes.launch import LaunchedProcess, launch
from tests.support.leftovers import are_gone, end_sources
from tests.support.waiting import until
from tests.worlds.processes import copied_bodies

pytestmark = pytest.mark.skipif(not copies.are_possible(), reason="processes cannot be copied here")
SOON = 30.0
NEEDED = "json:loads,samplercheck.worlds.simulated:SimulatedWorld"


@pytest.fixture(scope="module", autouse=True)
def own_sources():
    """Sources of this module's own; torch is imported once for them."""
    end_sources()
    yield
    end_sources()


@pytest.fixture
def light(monkeypatch):
    """Sources of one test's own that it can end at little cost: they do without torch."""
    monkeypatch.setattr(sys.modules[__name__], "NEEDED", "json:loads")
    end_sources()
    yield
    end_sources()


def begin(what, path, *words, **others):
    return start(copied_bodies.HERE, what, path, *words, stderr=2, needed=NEEDED, **others)


def noted(path):
    assert until(path.exists, SOON), f"{path} was not written"
    found = json.loads(path.read_text())
    path.unlink()
    return found


def server_pid():
    return copies._sources["0"].pid


@pytest.mark.thorough
def test_a_copy_is_what_a_launched_process_would_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ, "PYTEST_CURRENT_TEST": "this one", copies.HASH_SEED: "0"}
    random.seed(3)
    told = []
    for begin_it in (begin, lambda *words, **others: launch(copied_bodies.HERE, *words, stderr=2, **others)):
        process = begin_it("tell", tmp_path / "told", environment=environment)
        told.append(noted(tmp_path / "told"))
        assert process.wait(SOON) == "exit status 0"
        process.close_lifeline()
        process.kill()
    here, there = told
    assert isinstance(process, LaunchedProcess)
    assert here.pop("random") != there.pop("random")
    assert set(here.pop("modules")) > set(there.pop("modules")) - {"faulthandler"}
    assert here == there
    assert here["directory"] == str(tmp_path)
    assert here["path"] == sys.path
    assert here["environment"]["PYTEST_CURRENT_TEST"] == "this one"


@pytest.mark.thorough
def test_a_fork_server_has_one_thread_and_no_target(tmp_path):
    stays = begin("stay", tmp_path / "stays")
    assert isinstance(stays, CopiedProcess)
    pid, parent = noted(tmp_path / "stays")
    assert (pid, parent) == (stays.pid, server_pid())
    assert len(list(Path(f"/proc/{parent}/task").iterdir())) == 1
    begin("tell", tmp_path / "told").wait(SOON)
    modules = noted(tmp_path / "told")["modules"]
    assert "torch" in modules
    assert "tests.worlds.processes.ranks" not in modules
    assert not stays.has_ended
    assert stays.end() == "SIGKILL"
    assert stays.has_ended
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("what", "words", "status"),
    [("leave", (3,), "exit status 3"), ("fall", (), "SIGSEGV"), ("throw", (), "exit status 1")],
)
def test_how_a_copy_ends_is_known_and_the_next_one_is_well(tmp_path, what, words, status):
    process = begin(what, tmp_path / "notes", *words)
    assert process.wait(SOON) == status
    assert process.wait() == status
    assert process.has_ended
    assert begin("leave", tmp_path, 0).wait(SOON) == "exit status 0"


def test_a_copy_is_interrupted_and_waited_for_no_longer_than_asked(tmp_path):
    process = begin("stay", tmp_path / "stays")
    noted(tmp_path / "stays")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(SOON) == "exit status 1"  # KeyboardInterrupt
    process.send_signal(signal.SIGINT)


def test_a_copy_ends_with_its_lifeline(tmp_path):
    process = begin("stay", tmp_path / "stays")
    noted(tmp_path / "stays")
    process.close_lifeline()
    assert process.wait(SOON) == "SIGKILL"


def test_a_copy_asks_for_copies_elsewhere_once_it_has_changed_what_they_have_in_common(tmp_path):
    begin("copy_itself", tmp_path / "notes").wait(SOON)
    first, second, modules, path = noted(tmp_path / "notes")
    assert first == [True, "exit status 0"]
    assert second == [False, "exit status 4"]
    assert "torch" in modules
    assert path[0] == str(tmp_path)


@pytest.mark.usefixtures("light")
def test_a_copy_goes_on_without_the_fork_server_and_the_next_comes_from_another(tmp_path):
    stays = begin("stay", tmp_path / "stays")
    _, before = noted(tmp_path / "stays")
    os.kill(before, signal.SIGKILL)
    assert are_gone([before], 5)
    assert until(lambda: not copies._sources["0"].pid)
    assert not stays.has_ended
    assert begin("leave", tmp_path, 5).wait(SOON) == "exit status 5"
    assert server_pid() != before
    assert stays.end() == "SIGKILL"


@pytest.mark.usefixtures("light")
def test_what_a_dead_process_was_asked_for_is_launched(tmp_path):
    begin("leave", tmp_path, 0).wait(SOON)
    os.kill(server_pid(), signal.SIGSTOP)
    process = begin("stay", tmp_path / "stays")
    assert not process.has_ended
    assert process.pid == 0
    os.kill(server_pid(), signal.SIGKILL)
    pid, parent = noted_once_it_has_begun(process, tmp_path / "stays")
    assert (pid, parent) == (process.pid, os.getpid())
    assert process.end() == "SIGKILL"


def noted_once_it_has_begun(process, path):
    until(lambda: bool(process.pid), SOON)
    return noted(path)


@pytest.mark.usefixtures("light")
def test_a_copy_that_is_given_up_before_it_begins_never_does_much(tmp_path):
    begin("leave", tmp_path, 0).wait(SOON)
    os.kill(server_pid(), signal.SIGSTOP)
    process = begin("stay", tmp_path / "stays")
    assert process.end() == "SIGKILL"
    os.kill(server_pid(), signal.SIGCONT)
    assert begin("leave", tmp_path, 0).wait(SOON) == "exit status 0"
    assert until(lambda: not lifetime.descendants(server_pid()), SOON)


@pytest.mark.usefixtures("light")
def test_another_environment_path_or_hash_seed_is_another_process(tmp_path, monkeypatch):
    begin("leave", tmp_path, 0).wait(SOON)
    first = server_pid()
    begin("tell", tmp_path / "seeded", environment={**os.environ, copies.HASH_SEED: "1"}).wait(SOON)
    assert server_pid() == first
    monkeypatch.setenv("RANK", "1")  # as a simulated world leaves it
    monkeypatch.syspath_prepend(tmp_path)
    begin("tell", tmp_path / "placed").wait(SOON)
    assert server_pid() == first
    told = noted(tmp_path / "placed")
    assert (told["environment"]["RANK"], told["path"][0]) == ("1", str(tmp_path))
    monkeypatch.setattr("sys.path", sys.path[1:])
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    begin("tell", tmp_path / "told").wait(SOON)
    assert server_pid() != first
    assert are_gone([first], 5)
    assert noted(tmp_path / "told")["environment"]["OMP_NUM_THREADS"] == "3"
    assert noted(tmp_path / "seeded")["hash"] != hash_of_seed_0(tmp_path)


def hash_of_seed_0(directory):
    begin("tell", directory / "told").wait(SOON)
    return noted(directory / "told")["hash"]


PROGRAM = """
import sys
from samplercheck.worlds.processes import copies
from tests.worlds.processes import copied_bodies
process = copies.start(copied_bodies.HERE, "stay", sys.argv[1], stderr=2)
sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["killed", "ends"])
def test_nothing_outlives_the_process_that_started_it(tmp_path, how):
    path = tmp_path / "stays"
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.getcwd(),
    )
    pids = noted(path)
    if how == "killed":
        program.kill()
    program.communicate(timeout=SOON)  # which closes its stdin: it ends
    assert are_gone(pids, 10)
