"""Ranks that meet by files: in a directory that is theirs alone, past what former jobs have left."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from samplercheck.errors import WorldError
from samplercheck.worlds.job.files import FileServer, FileWire
from samplercheck.worlds.job.letters import Beat, Close, Hello, Log, Renew, number_in

SIZE = 3
LONGEST = 20.0


def first(size=SIZE, job=""):
    """What the first rank says of itself."""
    return Hello(0, size, "machine 0", os.urandom(16).hex(), job)


def meet(where, size=SIZE):
    """A job of so many ranks: the first one's server, and the wires of the others."""
    with ThreadPoolExecutor() as pool:
        hellos = [
            Hello(rank, size, f"machine {rank}", f"nonce{rank}{os.urandom(4).hex()}")
            for rank in range(1, size)
        ]
        wires = [pool.submit(FileWire, hello, where, LONGEST) for hello in hellos]
        server = FileServer(first(size), where)
        names = server.meet(LONGEST)
        assert names == {rank: f"machine {rank}" for rank in range(1, size)}
        return server, [one.result() for one in wires]


def test_ranks_meet_speak_and_leave_nothing_behind(tmp_path):
    server, wires = meet(tmp_path / "new" / "folder")
    assert server.tell([2], Renew(5)) == []
    assert server.tell([1, 2], Renew(6)) == []
    assert [wires[0].hear(), wires[1].hear(), wires[1].hear()] == [Renew(6), Renew(5), Renew(6)]
    wires[1].say(Beat("here"))
    assert server.hear([1, 2], LONGEST) == [(2, Beat("here"))]
    assert server.hear([1, 2], 0) == []
    for wire in wires:
        wire.close()
    closing = threading.Thread(target=server.close, args=([1, 2],))
    closing.start()
    while closing.is_alive():
        assert server.hear([1, 2], 0.1) in ([], [(1, None), (2, None)], [(1, None)], [(2, None)])
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_what_came_in_part_is_waited_for_and_what_is_no_log_is_the_end(tmp_path):
    log, reader = Log(tmp_path / "log"), Log(tmp_path / "log")
    log.append(Beat("one"))
    whole = log.path.read_bytes()
    for end in range(len(whole)):
        log.path.write_bytes(whole[:end])
        assert reader.read() == []
    log.path.write_bytes(whole + whole[: len(whole) // 2])
    assert reader.read() == [Beat("one")]
    log.path.write_bytes(whole + whole)
    assert reader.read() == [Beat("one")]
    log.path.unlink()
    with pytest.raises(EOFError):
        reader.read()
    os.mkfifo(log.path)
    with pytest.raises(EOFError, match="no plain file"):
        Log(log.path).read()


def test_ranks_of_two_jobs_in_one_directory_are_refused(tmp_path):
    with ThreadPoolExecutor() as pool:
        hellos = [Hello(1, SIZE, f"machine {name}", name) for name in "ab"]
        wires = [pool.submit(FileWire, hello, tmp_path, LONGEST) for hello in hellos]
        with pytest.raises(WorldError, match="Another running job uses"):
            FileServer(first(), tmp_path).meet(LONGEST)
        for wire in wires:
            with pytest.raises(WorldError, match="give each job a directory of its own"):
                wire.result()


@pytest.mark.thorough
def test_ranks_of_a_job_with_another_name_do_not_come_in(tmp_path):
    with ThreadPoolExecutor() as pool:
        strangers = [Hello(1, SIZE, "stranger", "a", "SLURM_JOB_ID=2"), Hello(1, SIZE + 1, "larger", "b", "")]
        wires = [pool.submit(FileWire, hello, tmp_path, LONGEST) for hello in strangers]
        server = FileServer(first(), tmp_path)
        assert server.meet(1.0) == {}
        for wire in wires:
            with pytest.raises(WorldError, match="Another running job uses"):
                wire.result()


@pytest.mark.thorough
def test_a_second_job_is_refused_while_the_first_goes_on(tmp_path):
    server, (wire, _) = meet(tmp_path)
    with pytest.raises(WorldError, match=r"Another running job uses .* \(machine 0\)"):
        FileServer(first(), tmp_path)
    with pytest.raises(WorldError, match="it began before this one"):
        FileWire(Hello(1, SIZE, "another", "other"), tmp_path, LONGEST)
    assert server.tell([1], Renew(2)) == []
    assert wire.hear() == Renew(2)


@pytest.mark.thorough
def test_what_a_former_job_left_is_recognised_and_removed(tmp_path):
    former = "f" * 32
    (tmp_path / former).mkdir()
    (tmp_path / "leader").write_text(former)
    Log(tmp_path / former / "all.log").append((None, Hello(0, SIZE, "machine 9", former)))
    Log(tmp_path / former / "all.log").append((None, Close()))
    Log(tmp_path / former / "rank-1-old.log").append(Hello(1, SIZE, "machine 9", "old"))
    began = time.monotonic()
    _, wires = meet(tmp_path)
    assert time.monotonic() - began < LONGEST
    assert number_in(tmp_path / "leader") not in ("", former)
    assert not (tmp_path / former).exists()
    assert len(wires) == SIZE - 1


def test_a_file_that_names_no_job_is_no_leader(tmp_path):
    for content in (b"../../etc", b"\xff" * 40, b"a" * 5_000, b""):
        (tmp_path / "leader").write_bytes(content)
        assert number_in(tmp_path / "leader") == ""
