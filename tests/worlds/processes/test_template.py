from __future__ import annotations

import os
import re
import shutil
import signal

import pytest

from samplercheck.worlds.processes import copies, lifetime
from samplercheck.worlds.processes.source import process_source
from tests.support.waiting import until
from tests.worlds.processes import ranks
from tests.worlds.processes.ranks import entry
from tests.worlds.processes.test_source import SOON, gone, heard, heard_from, lives, status_of, template_of

pytestmark = pytest.mark.skipif(not lifetime.copies_are_safe(), reason="ranks are not forked on this system")

NATIVE_THREAD = """
import ctypes
started = ctypes.c_ulong()
pause = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(("pause", ctypes.CDLL(None)))
ctypes.CDLL(None).pthread_create(ctypes.byref(started), None, pause, None)
"""
POOL = f"""
import os
if os.environ.get("NAME") not in ("1", "background_thread:false"):
    exec({NATIVE_THREAD!r})
"""
DAEMON = """
import os, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(os.path.join(os.path.dirname(__file__), "daemon"), "w") as file:
        file.write(str(os.getpid()))
    time.sleep(600)
os.wait()
"""
TROUBLE = {
    "a thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()",
        "it started 1 thread",
    ),
    "a native thread": (NATIVE_THREAD, "it started 1 thread"),
    "a process": ("import subprocess; subprocess.Popen(['sleep', '600'])", "it started a process"),
    "a daemon": (
        DAEMON,
        "it started a process",
    ),
    "an error": ("raise ValueError('no dataset here')", "it raised ValueError: no dataset here"),
    "an exit": ("raise SystemExit(3)", "it raised SystemExit: 3"),
    "an end": ("import os; os._exit(3)", r"it ended its process \(exit status 3\)"),
    "a crash": ("import ctypes; ctypes.string_at(0)", r"it ended its process \(SIGSEGV\)"),
    "closed descriptors": (
        "import os, time; os.closerange(0, 1000); time.sleep(600)",
        r"it ended its process \(SIGKILL\)",
    ),
    "a hang": ("while True: pass", "it did not end within 0.4 s"),
    "a hang in C": ("import ctypes; ctypes.PyDLL(None).pause()", "it did not end within 0.4 s"),
}


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    """One directory for all tests: with another path torch is imported once more."""
    return tmp_path_factory.mktemp("modules")


@pytest.fixture
def module(where, monkeypatch):
    """Write a module that the server finds; its path is the client's."""

    def write(name, text):
        (where / f"{name}.py").write_text(text)
        return name.encode()

    shutil.rmtree(where / "__pycache__", ignore_errors=True)
    monkeypatch.syspath_prepend(where)
    return write


@pytest.fixture
def own_server(module, tmp_path):
    """Start a server that finds the test's modules."""
    source = process_source(tmp_path, method="fork", opener=f"{ranks.HERE}:opened")
    source.start()
    yield source
    source.close()


def settles(count):
    """Return whether so many processes are left below the fork server before long."""
    return until(lambda: sum(map(lives, lifetime.descendants(copies._sources["0"].pid))) == count, SOON)


def preloaded_in(source):
    rank = source.start_rank(entry(ranks.surroundings))
    seen = heard(rank)["modules"]
    rank.connection.send("thanks")
    return seen


@pytest.mark.thorough
def test_ranks_have_the_preloaded_module(own_server, module):
    assert own_server.preload(module("loaded_one", "import json")) == ""
    assert preloaded_in(own_server) == ["loaded_one"]


def test_a_second_target_follows_the_first_in_a_clean_process(own_server, module):
    assert own_server.preload(module("loaded_one", "")) == ""
    living = heard_from(own_server)
    assert own_server.preload(module("loaded_two", "")) == ""
    assert preloaded_in(own_server) == ["loaded_two"]
    living.connection.send("still there")
    assert heard(living)[0] == "still there"


def test_a_template_that_nobody_needs_ends(own_server, module):
    own_server.preload(module("loaded_one", ""))
    living = heard_from(own_server)
    own_server.preload(module("loaded_two", ""))
    assert settles(3)  # two templates and a rank
    living.kill()
    status_of(own_server, living)
    assert settles(1)


@pytest.mark.thorough
def test_whatever_an_import_does_is_told_and_ranks_come_from_a_clean_process(own_server, module, where):
    living = heard_from(own_server)
    for number, (what, (text, reason)) in enumerate(TROUBLE.items()):
        told = own_server.preload(module(f"loaded_{number}", text), seconds=0.4 if "hang" in what else 20)
        assert re.fullmatch(reason, told), (what, told)
        assert preloaded_in(own_server) == [], what
    living.connection.send("still there")
    assert heard(living)[0] == "still there"
    assert gone([int((where / "daemon").read_text())]) is not None
    assert settles(3), "more is left than the first template, its rank and the last template"


@pytest.mark.parametrize("name", ["OPENBLAS_NUM_THREADS", "JE_ARROW_MALLOC_CONF"])
def test_libraries_that_start_threads_when_they_are_loaded_are_asked_not_to(own_server, module, name):
    text = POOL.replace("NAME", name)
    assert own_server.preload(module(f"loaded_{name.lower()}", text)) == ""
    rank = own_server.start_rank(entry(ranks.surroundings))
    seen = heard(rank)
    assert (seen["modules"], seen["quiet"]) == ([f"loaded_{name.lower()}"], [])
    rank.connection.send("thanks")


def test_trouble_takes_the_earlier_target_away_too(own_server, module):
    own_server.preload(module("loaded_one", ""))
    assert own_server.preload(module("loaded_two", "1 / 0")).startswith("it raised ZeroDivisionError")
    assert preloaded_in(own_server) == []


def test_a_template_that_dies_later_takes_its_ranks_along_and_the_next_are_clean(own_server, module):
    own_server.preload(module("loaded_one", ""))
    rank = heard_from(own_server)
    os.kill(template_of(own_server), signal.SIGKILL)
    assert status_of(own_server, rank) == "SIGKILL"
    assert gone([rank.pid]) is not None
    assert preloaded_in(own_server) == []


def test_import_handlers_for_signals_do_not_change_the_template(own_server, module):
    text = "import signal\nfor one in (signal.SIGCHLD, signal.SIGINT): signal.signal(one, signal.SIG_IGN)"
    assert own_server.preload(module("loaded_one", text)) == ""
    rank = own_server.start_rank({**entry(ranks.leave), "code": 3})
    assert status_of(own_server, rank) == "exit status 3"
