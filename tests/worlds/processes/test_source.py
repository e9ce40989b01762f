from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import wait
from pathlib import Path

import pytest

from samplercheck.values.errors import UsageError, WorldError
from samplercheck.worlds.processes import forked, lifetime
from samplercheck.worlds.processes.source import process_source
from tests.support.leftovers import descriptors, end_sources
from tests.support.waiting import until
from tests.worlds.processes import ranks
from tests.worlds.processes.ranks import entry

SOON = 20.0
SPAWN = pytest.param("spawn", marks=pytest.mark.slow)
METHODS = ["fork", SPAWN] if lifetime.copies_are_safe() else ["spawn"]
needs_copies = pytest.mark.skipif(
    not lifetime.copies_are_safe(), reason="ranks are not forked on this system"
)


@pytest.fixture(params=METHODS)
def source(request, tmp_path):
    source = process_source(tmp_path, method=request.param, opener=f"{ranks.HERE}:opened")
    yield source
    source.close()


@pytest.fixture
def server(tmp_path):
    source = process_source(tmp_path, method="fork", opener=f"{ranks.HERE}:opened")
    yield source
    source.close()


def heard(rank):
    assert rank.connection.poll(SOON), f"no word from the rank: {rank.status} {rank.stderr_end}"
    return rank.connection.recv()


def status_of(source, rank):
    until = time.monotonic() + SOON
    while not rank.status and time.monotonic() < until:
        wait([*source.waitable], 0.01)
        source.hear()
    return rank.status


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, ProcessLookupError):
        return False


def gone(pids, seconds=SOON):
    """Return after how many seconds none of the processes lives."""
    start = time.monotonic()
    while any(lives(pid) for pid in pids):
        if time.monotonic() - start > seconds:
            return None
        time.sleep(0.005)
    return time.monotonic() - start


def template_of(source):
    return source._current.pid


@pytest.mark.thorough
def test_a_rank_answers_and_ends_with_its_connection(source):
    rank = source.start_rank({**entry(ranks.echo), "word": "this job"})
    rank.connection.send("said")
    assert heard(rank) == ("said", rank.pid, "this job")
    rank.connection.close()
    assert status_of(source, rank) == "exit status 0"


def test_ranks_have_sessions_clean_surroundings_and_one_thread(source):
    rank = source.start_rank(entry(ranks.surroundings))
    seen = heard(rank)
    assert seen["session"] == seen["pid"] == rank.pid
    assert seen["path"] == sys.path
    assert seen["hash_seed"] == "0"
    assert seen["loopback"] == "lo"
    assert seen["interrupt"]
    assert not seen["daemon"]
    assert seen["stdin"] == b""
    if isinstance(source, forked.ForkedRanks):
        assert seen["threads"] == 1
        assert seen["descriptors"] <= 6


@pytest.mark.thorough
def test_the_hash_seed_is_the_callers(tmp_path):
    source = process_source(tmp_path, hash_seed=7, method="spawn")
    try:
        assert heard(source.start_rank(entry(ranks.surroundings)))["hash_seed"] == "7"
    finally:
        source.close()


def test_an_unknown_method_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"'thread' is no way to start processes\. Known: fork, spawn"):
        process_source(tmp_path, method="thread")


@pytest.mark.parametrize("code", [0, 3])
def test_a_rank_that_leaves_is_noticed(source, code):
    assert status_of(source, source.start_rank({**entry(ranks.leave), "code": code})) == f"exit status {code}"


def test_a_segmentation_fault_is_noticed(source):
    assert status_of(source, source.start_rank(entry(ranks.fall))) == "SIGSEGV"


def test_a_rank_that_is_killed_from_outside_is_noticed(source):
    rank = source.start_rank(entry(ranks.swallow))
    os.kill(heard(rank), signal.SIGKILL)
    assert status_of(source, rank) == "SIGKILL"


def test_a_rank_that_raises_leaves_its_error(source):
    rank = source.start_rank(entry(ranks.throw))
    assert status_of(source, rank) == "exit status 1"
    assert rank.stderr_end[-1] == "RuntimeError: thrown on purpose"


@pytest.mark.parametrize("stubborn", [ranks.swallow, ranks.hold_the_lock])
def test_whoever_swallows_everything_or_holds_the_lock_is_killed(source, stubborn):
    rank = source.start_rank(entry(stubborn))
    heard(rank)
    rank.kill()
    assert status_of(source, rank) == "SIGKILL"
    assert gone([rank.pid]) is not None


def test_killing_one_rank_leaves_the_others(source):
    first, second = source.start_rank(entry(ranks.echo)), source.start_rank(entry(ranks.echo))
    first.kill()
    status_of(source, first)
    second.connection.send(1)
    assert heard(second)[0] == 1
    assert second.status == ""


def test_a_flood_on_both_streams_does_not_block(source):
    rank = source.start_rank(entry(ranks.flood))
    assert heard(rank) == "flooded"
    time.sleep(0.1)
    assert rank.stderr_end[-1] == "the last line"
    assert sum(map(len, rank.stderr_end)) <= 4_096


def test_a_rank_that_closes_everything_can_be_killed(source):
    rank = source.start_rank(entry(ranks.close_everything))
    heard(rank)
    rank.kill()
    assert status_of(source, rank) == "SIGKILL"


def test_a_rank_that_closes_everything_and_leaves_is_noticed(source):
    assert status_of(source, source.start_rank(entry(ranks.close_everything_and_leave))) == "exit status 5"


@needs_copies
@pytest.mark.parametrize("ends", [False, True])
def test_what_a_rank_has_started_dies_with_it_and_others_keep_theirs(server, ends):
    other = server.start_rank(entry(ranks.start_others))
    rank = server.start_rank({**entry(ranks.start_others), "ends": ends})
    kept, lost = heard(other), heard(rank)
    if not ends:
        assert all(map(lives, lost))
        rank.kill()
    assert status_of(server, rank) == ("exit status 0" if ends else "SIGKILL")
    assert gone(lost) is not None
    assert all(map(lives, kept))
    server.close()
    assert not any(map(lives, kept))


@pytest.mark.thorough
@needs_copies
def test_a_fork_takes_a_small_part_of_what_importing_torch_takes(server):
    # Milliseconds are the benchmarks' affair: here other tests may run besides, which slows both alike.
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    importing = time.perf_counter() - start
    seconds_of_a_start(server)
    assert min(seconds_of_a_start(server) for _ in range(10)) < importing / 20


def seconds_of_a_start(source):
    start = time.perf_counter()
    rank = heard_from(source)
    took = time.perf_counter() - start
    rank.kill()
    status_of(source, rank)
    return took


def heard_from(source):
    rank = source.start_rank(entry(ranks.echo))
    rank.connection.send(0)
    heard(rank)
    return rank


@needs_copies
def test_a_dead_template_takes_its_ranks_along_and_the_next_come_from_another(server):
    stubborn = [server.start_rank(entry(one)) for one in (ranks.swallow, ranks.hold_the_lock, ranks.echo)]
    for rank in stubborn[:2]:
        heard(rank)
    os.kill(template_of(server), signal.SIGKILL)
    assert gone([rank.pid for rank in stubborn], 5) is not None
    assert [status_of(server, rank) for rank in stubborn] == ["SIGKILL"] * 3
    stubborn[0].kill()
    assert lives(heard_from(server).pid)


@needs_copies
def test_a_template_that_dies_while_a_rank_is_asked_for_is_replaced(server):
    heard_from(server)
    os.kill(template_of(server), signal.SIGSTOP)
    threading.Timer(0.2, os.kill, (template_of(server), signal.SIGKILL)).start()
    assert lives(heard_from(server).pid)


@needs_copies
def test_what_ends_every_template_is_an_error(server, monkeypatch):
    monkeypatch.setattr(forked, "TEMPLATE", "no.module")
    with pytest.raises(WorldError, match="No rank process could be started: what ranks are forked from ends"):
        server.start_rank(entry(ranks.echo))


@needs_copies
def test_a_template_that_gives_no_answer_is_an_error(server):
    heard_from(server)
    os.kill(template_of(server), signal.SIGSTOP)
    with pytest.raises(WorldError, match="gave no answer within"):
        server.start_rank(entry(ranks.echo), seconds=0.2)
    os.kill(template_of(server), signal.SIGCONT)
    rank = heard_from(server)
    assert lifetime.descendants(template_of(server)).keys() >= {rank.pid}


@pytest.mark.thorough
def test_nothing_is_left_after_close(source, tmp_path):
    end_sources()
    before = descriptors(), threading.active_count()
    others = lifetime.descendants(os.getpid())
    living = [source.start_rank(entry(ranks.swallow)) for _ in range(3)]
    for rank in living:
        heard(rank)
    below = set(lifetime.descendants(os.getpid())) - set(others)
    assert {rank.pid for rank in living} <= below
    source.close()
    source.close()
    end_sources()
    assert not any(map(lives, below))
    assert (descriptors(), threading.active_count()) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_closing_before_or_right_after_the_start_leaves_nothing(source, tmp_path):
    other = process_source(tmp_path, method="fork" if isinstance(source, forked.ForkedRanks) else "spawn")
    heard_from(other)  # from now on there is a fork server, where there is one at all
    other.close()
    before = descriptors()
    source.start()
    start = time.monotonic()
    source.close()
    assert time.monotonic() - start < 1
    assert descriptors() == before


def test_closing_what_never_started_is_fine(tmp_path):
    process_source(tmp_path).close()


def test_dead_ranks_keep_no_descriptor_once_they_are_forgotten(source):
    heard_from(source)
    before = len(descriptors())
    for _ in range(5):
        rank = source.start_rank({**entry(ranks.leave), "code": 0})
        status_of(source, rank)
    del rank
    assert until(lambda: len(descriptors()) <= before, SOON)  # others of this process may close one meanwhile


def test_works_in_a_thread_that_ends_before_the_ranks(source):
    born = []

    def work():
        born.append(source.start_rank(entry(ranks.echo)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(SOON)
    time.sleep(0.2)
    born[0].connection.send("late")
    assert heard(born[0])[0] == "late"
    assert born[0].status == ""


def test_files_of_multiprocessing_lie_in_the_directory(source, tmp_path):
    assert heard(source.start_rank(entry(ranks.open_shared_memory))) == str(tmp_path)


CLIENT = """
import json, os, signal, sys, time
from pathlib import Path
from samplercheck.worlds.processes.source import process_source
from tests.worlds.processes import ranks
signal.signal(signal.SIGINT, lambda *_: print("interrupted", flush=True))
source = process_source(Path(sys.argv[1]), method=sys.argv[2], opener=f"{ranks.HERE}:opened")
source.start()
pids = []
for name in sys.argv[3].split(","):
    rank = source.start_rank(ranks.entry(getattr(ranks, name)))
    found = rank.connection.recv()
    pids += [rank.pid, *(found if isinstance(found, tuple) else ())]
pids += [source._current.pid] if sys.argv[2] == "fork" else []
print(json.dumps(pids), flush=True)
if len(sys.argv) > 4:
    source.preload(sys.argv[4].encode())
time.sleep(600)
"""


@pytest.fixture
def client(tmp_path):
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, str(tmp_path), *arguments],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            start_new_session=True,
        )
        started.append(process)
        return process, json.loads(process.stdout.readline())

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
def test_a_killed_client_takes_all_with_it(client, method):
    process, pids = client(method, "swallow,hold_the_lock")
    assert all(map(lives, pids))
    process.kill()
    assert gone(pids, 5) is not None


@pytest.mark.thorough
@needs_copies
def test_a_killed_client_takes_daemons_and_hanging_imports_with_it(client, tmp_path, monkeypatch):
    (tmp_path / "loaded_lock.py").write_text("import ctypes; ctypes.PyDLL(None).pause()")
    monkeypatch.syspath_prepend(tmp_path)
    process, pids = client("fork", "start_others,close_everything", "loaded_lock")
    time.sleep(0.3)
    below = {pid for pid in lifetime.descendants(process.pid) if lives(pid)}
    assert below >= set(pids)
    assert len(below - set(pids)) == 2, "the fork server, and the template whose import hangs"
    process.kill()
    took = gone(below, 5)
    assert took is not None, [Path(f"/proc/{pid}/stat").read_text() for pid in below if lives(pid)]


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
def test_a_ctrl_c_reaches_the_client_alone(client, method):
    process, pids = client(method, "echo_once,swallow")
    os.killpg(process.pid, signal.SIGINT)
    assert process.stdout.readline() == b"interrupted\n"
    time.sleep(0.2)
    assert all(map(lives, pids))


@pytest.mark.thorough
def test_two_clients_at_once_do_not_clash(tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.worlds.processes import ranks\n"
        "from samplercheck.worlds.processes.source import process_source\n"
        "source = process_source(Path(sys.argv[1]))\n"
        "living = [source.start_rank({**ranks.entry(ranks.echo), 'word': sys.argv[2]}) for _ in range(4)]\n"
        "for rank in living: rank.connection.send(rank.pid)\n"
        "assert all(rank.connection.recv() == (rank.pid, rank.pid, sys.argv[2]) for rank in living)\n"
        "source.close()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    clients = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(number)], env=environment)
        for number in range(2)
    ]
    assert [client.wait(60) for client in clients] == [0] * 2
