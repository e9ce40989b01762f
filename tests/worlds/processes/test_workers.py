"""Workers answer side by side, in order; what one that ended had to do comes back; none outlives its pool."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from samplercheck.worlds.processes.workers import WorkerEnd, WorkerPool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")


def pool_of(serve, number=2):
    return WorkerPool(number, lambda box, give_up: lambda request: serve(box, request))


def replies(pool, requests):
    return list(pool.carry_out((("key", one), one) for one in requests))


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_replies_come_in_the_order_of_requests_and_from_all_workers():
    def serve(_, request):
        time.sleep(0.05 if request % 2 else 0)
        return request, os.getpid()

    with pool_of(serve) as pool:
        told = replies(pool, range(40))
    assert [key for key, _, _ in told] == [("key", number) for number in range(40)]
    assert [reply[0] for _, _, reply in told] == list(range(40))
    assert {worker for _, worker, _ in told} == {0, 1}
    processes = {reply[1] for _, _, reply in told}
    assert len(processes) == 2
    assert os.getpid() not in processes
    assert not any(map(is_running, processes))


def test_a_pool_is_used_again_and_what_needs_no_worker_gets_no_reply():
    with pool_of(lambda _, request: -request) as pool:
        assert [reply for *_, reply in replies(pool, [1, None, 2])] == [-1, None, -2]
        assert [reply for *_, reply in replies(pool, [3])] == [-3]
        assert replies(pool, []) == []


def test_requests_are_taken_as_they_are_needed():
    taken = []

    def requests():
        for number in range(10_000):
            taken.append(number)
            yield number, number

    with pool_of(lambda _, request: request) as pool:
        replies = pool.carry_out(requests())
        next(replies)
        assert len(taken) < 200
        replies.close()


@pytest.mark.parametrize("how", ["exits", "is killed"])
def test_what_a_worker_had_to_do_that_ended_is_given_back(how):
    def serve(box, request):
        box.enter_stage(2)
        if request == 5:
            os._exit(3) if how == "exits" else os.kill(os.getpid(), signal.SIGKILL)
        return request

    with pool_of(serve) as pool:
        told = {key[1]: reply for key, _, reply in replies(pool, range(20))}
        assert len(pool) == 1
        assert isinstance(told[5], WorkerEnd)
        assert told[5].status == ("exit status 3" if how == "exits" else "SIGKILL")
        others = [told[number] for number in range(20) if number != 5]
        assert {reply is None or reply == number for number, reply in told.items() if number != 5} == {True}
        assert others.count(None) <= 1
        assert [reply for *_, reply in replies(pool, [1, 2])] == [1, 2]  # by the one that is left


def test_where_all_workers_have_ended_nobody_replies():
    def serve(_, request):
        os._exit(1)

    with pool_of(serve) as pool:
        told = [reply for *_, reply in replies(pool, range(6))]
        assert sum(isinstance(reply, WorkerEnd) for reply in told) == 2
        assert len(pool) == 0
        assert [reply for *_, reply in replies(pool, [1, 2])] == [None, None]


@pytest.mark.thorough
def test_a_worker_that_stands_still_is_ended():
    def serve(box, request):
        if request == 3:
            box.allow(0.1)
            box.watch(on=True)
            time.sleep(60)
        return request

    began = time.monotonic()
    with pool_of(serve) as pool:
        told = [reply for *_, reply in replies(pool, range(8))]
    assert isinstance(told[3], WorkerEnd)
    assert told[3].status == "hung"
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_an_error_of_the_server_is_no_answer(error):
    def serve(_, request):
        if request == 1:
            raise error
        return request

    with pool_of(serve) as pool:
        told = [reply for *_, reply in replies(pool, range(4))]
    assert [reply for reply in told if isinstance(reply, int)] == [0, 2, 3] or error is SystemExit
    assert not isinstance(told[1], int)


def test_what_cannot_travel_is_no_answer():
    with pool_of(lambda _, request: threading.Lock() if request else 0) as pool:
        assert [reply for *_, reply in replies(pool, [0, 1, 0])] == [0, None, 0]


def test_giving_up_half_way_ends_workers_that_are_busy():
    def serve(_, request):
        if request > 2:
            time.sleep(60)
        return os.getpid()

    began = time.monotonic()
    with pool_of(serve) as pool:
        *_, process = next(pool.carry_out((number, number) for number in range(9)))
        assert len(pool) == 0
        assert not is_running(process)
    assert time.monotonic() - began < 20


def test_one_job_needs_no_worker():
    with pool_of(lambda _, request: request, number=1) as pool:
        assert len(pool) == 0
