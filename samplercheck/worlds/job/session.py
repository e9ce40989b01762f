"""Session: one process of a job, attached to the others once, for all runs that it takes part in.

The first rank leads: it decides the cases, and what it has to say at the end all ranks hear. Imports torch.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from samplercheck.values.errors import WorldError
from samplercheck.worlds.groups.messages import Done
from samplercheck.worlds.job.place import JobPlace, machine_name, place_from
from samplercheck.worlds.job.ranks import JobRank, where_in
from samplercheck.worlds.job.talk import LONGEST_MEETING, CaseTurn, Close, Finish, Hub, Line, Renew
from samplercheck.worlds.job.wires import SocketHearth, SocketWire
from samplercheck.worlds.processes.private import PrivateDirectory

if TYPE_CHECKING:
    from samplercheck.worlds.groups.messages import RunCase

LONGEST_CASE, LONGEST_SAMPLE = 300.0, 20e-6
GONE = (
    "The first rank of the job has gone, and with it the run: see what it printed, and start the job again."
)
NOT_MET = (
    "The ranks of the job did not meet ({}). They need the first rank's machine at {}, port {}, and each "
    "other at the addresses that their machines' names have: where such a name leads to 127.0.0.1, set "
    "GLOO_SOCKET_IFNAME to the network interface that leads to the other machines (ip address lists them)."
)
_sessions: list[JobSession] = []


def join_job() -> JobSession:
    """Return the session of this process, opened once."""
    if not _sessions:
        _sessions.append(JobSession(_find_place()))
    return _sessions[0]


def _find_place() -> JobPlace:
    """Return the place of this process in its job, whose process group is open afterwards."""
    if dist.is_initialized():
        local = os.environ.get("LOCAL_RANK", "0")
        rank, size = dist.get_rank(), dist.get_world_size()
        address = os.environ.get("MASTER_ADDR", "")
        return JobPlace(rank=rank, size=size, local=int(local), address=address, port=0)
    place = place_from(os.environ)
    said: dict[str, object] = {"RANK": place.rank, "WORLD_SIZE": place.size, "LOCAL_RANK": place.local}
    said |= {"MASTER_ADDR": place.address, "MASTER_PORT": place.port}
    for name, value in said.items():
        os.environ.setdefault(name, str(value))
    try:
        dist.init_process_group("gloo", timeout=timedelta(seconds=LONGEST_MEETING))
    except RuntimeError as error:
        raise WorldError(NOT_MET.format(error, place.address, place.port)) from None
    return place


class JobSession:
    """The process among the ranks of its job."""

    def __init__(self, place: JobPlace) -> None:
        self.place = place
        self._private = PrivateDirectory()
        self._turns = 0
        leads = place.rank == 0
        hearth = SocketHearth(place.size, secrets.token_bytes(32)) if leads else None
        told: list[Any] = [None if hearth is None else (_names_of(place), hearth.port, hearth.key)]
        dist.broadcast_object_list(told, src=0)
        self.rank = JobRank(place, self._private.path, hears_user=leads)
        self._line: Line | None = None
        self.hub = None if hearth is None else Hub(place.size, hearth)
        if self.hub is not None:
            self.hub.meet()
        else:
            wire = SocketWire((place.rank, machine_name()), *told[0])
            self._line = Line(wire, lambda: where_in(self.rank.box))

    @property
    def leads(self) -> bool:
        """Whether this is the first rank, which searches and reports."""
        return self.hub is not None

    def begin(self) -> None:
        """Begin a run in the first rank."""
        assert self.hub is not None
        self.hub.begin()

    def run_case(self, message: RunCase) -> dict[int, Done]:
        """Run a case in the first ranks of the job; a rank that is lost raises RankLostError."""
        assert self.hub is not None
        self._turns += 1
        others = self.hub.run_case(CaseTurn(self._turns, message))
        own = self.rank.run_case(self._turns, message)
        return {0: own, **self.hub.collect(others, LONGEST_CASE + LONGEST_SAMPLE * message.case.length)}

    def renew(self, size: int) -> None:
        """Make the groups of a size again in all ranks."""
        assert self.hub is not None
        self.hub.tell(Renew(size))
        self.rank.renew(size)

    def finish(self, finish: Finish) -> None:
        """Let all ranks hear how a run has ended."""
        assert self.hub is not None
        self.hub.end(finish)

    def close(self) -> None:
        """End together: where one rank ends before the others, its launcher ends these."""
        self._private.close()
        if self.hub is not None:
            self.hub.close()
            return
        with suppress(WorldError):
            while not isinstance(self._hear(), Close):
                continue

    def follow(self) -> Finish:
        """Do what the first rank asks for until a run is over; return how."""
        assert self._line is not None
        old = _outlive_endings()
        try:
            with self.rank.guard:
                while True:
                    message = self._hear()
                    if isinstance(message, Finish):
                        return message
                    if isinstance(message, Renew):
                        self.rank.renew(message.size)
                    elif isinstance(message, CaseTurn):
                        self._say(self.rank.run_case(message.number, message.case))
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def _say(self, answer: Done) -> None:
        assert self._line is not None
        try:
            self._line.say(answer)
        except OSError:
            raise WorldError(GONE) from None

    def _hear(self) -> Any:
        assert self._line is not None
        try:
            return self._line.hear()
        except EOFError:
            raise WorldError(GONE) from None


def _outlive_endings() -> dict[int, Any]:
    """Let this rank live on when its launcher ends the job, until the first rank has said its last."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: None)}


def _names_of(place: JobPlace) -> tuple[str, ...]:
    """Return by which names this machine may be reached, the likeliest first."""
    names = [place.address] if place.address else []
    with suppress(OSError):
        names += [socket.gethostname(), socket.gethostbyname(socket.gethostname())]
    return tuple(dict.fromkeys([*names, "127.0.0.1"]))
