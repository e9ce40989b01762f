"""Sessions: one process of a job, attached to the others once, for all runs that it takes part in.

The first rank leads: it decides the cases, and what it has to say at the end all ranks hear. Imports torch.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch.distributed as dist

from samplercheck.targets.binding import Binding
from samplercheck.values.errors import WorldError
from samplercheck.worlds.groups.messages import Done, RunCase
from samplercheck.worlds.job.files import FileServer, FileWire
from samplercheck.worlds.job.letters import CaseTurn, Close, Finish, Hello, Renew
from samplercheck.worlds.job.place import JobPlace, job_name, machine_name, place_from
from samplercheck.worlds.job.ranks import GroupedRank, JobRank, LoneRank, sizes_of, where_in
from samplercheck.worlds.job.talk import LONGEST_MEETING, Hub, Line, Server, Wire
from samplercheck.worlds.job.wires import SocketServer, SocketWire
from samplercheck.worlds.processes.private import PrivateDirectory

LONGEST_CASE, LONGEST_SAMPLE = 300.0, 20e-6
GONE = (
    "The first rank of the job has ended, so the run is over: see what it printed, and start the job again."
)
NOT_MET = (
    "The ranks of the job did not meet ({}). They need the first rank's machine at {}, port {}, and each "
    "other at the addresses that their machines' names have: where such a name leads to 127.0.0.1, set "
    "GLOO_SOCKET_IFNAME to the network interface that leads to the other machines (ip address lists them)."
)
_sessions: dict[str, LeadingSession | FollowingSession] = {}


def join_job(gather: str) -> LeadingSession | FollowingSession:
    """Return the session of this process, opened once; its ranks meet by files in ``gather``, if given."""
    if gather not in _sessions:
        place = _find_place(meets=not gather)
        met = _meet_by_files(place, Path(gather).absolute()) if gather else _meet_by_sockets(place)
        _sessions[gather] = met
    return _sessions[gather]


def _find_place(*, meets: bool) -> JobPlace:
    """Return the place of this process in its job; where ranks meet, its process group is open afterwards."""
    if dist.is_initialized():
        local = os.environ.get("LOCAL_RANK", "0")
        rank, size = dist.get_rank(), dist.get_world_size()
        address = os.environ.get("MASTER_ADDR", "")
        return JobPlace(rank=rank, size=size, local=int(local), address=address, port=0)
    place = place_from(os.environ, meets=meets)
    if not meets:
        return place
    said: dict[str, object] = {"RANK": place.rank, "WORLD_SIZE": place.size, "LOCAL_RANK": place.local}
    said |= {"MASTER_ADDR": place.address, "MASTER_PORT": place.port}
    for name, value in said.items():
        os.environ.setdefault(name, str(value))
    try:
        dist.init_process_group("gloo", timeout=timedelta(seconds=LONGEST_MEETING))
    except RuntimeError as error:
        raise WorldError(NOT_MET.format(error, place.address, place.port)) from None
    return place


def _meet_by_files(place: JobPlace, gather: Path) -> LeadingSession | FollowingSession:
    """Find the other ranks in a directory; no process group is asked for anything."""
    private = PrivateDirectory()
    rank = LoneRank(place, private.path)
    hello = Hello(place.rank, place.size, machine_name(), secrets.token_hex(16), job_name(os.environ))
    if place.rank == 0:
        return LeadingSession(place, rank, private, FileServer(hello, gather))
    return FollowingSession(rank, private, FileWire(hello, gather, LONGEST_MEETING))


def _meet_by_sockets(place: JobPlace) -> LeadingSession | FollowingSession:
    """Let the ranks know by a collective where the first one is, once; they come there."""
    private = PrivateDirectory()
    server = SocketServer(place.size, secrets.token_bytes(32)) if place.rank == 0 else None
    told: list[Any] = [None if server is None else (_names_of(place), server.port, server.key)]
    dist.broadcast_object_list(told, src=0)
    rank = GroupedRank(place, private.path)
    if server is not None:
        return LeadingSession(place, rank, private, server)
    return FollowingSession(rank, private, SocketWire((place.rank, machine_name()), *told[0]))


class LeadingSession:
    """The first rank of a job, which searches and reports."""

    def __init__(self, place: JobPlace, rank: JobRank, private: PrivateDirectory, server: Server) -> None:
        self.place = place
        self.sizes = sizes_of(place.size)
        self.rank = rank
        self._private = private
        self._turns = 0
        self.hub = Hub(place.size, server)
        self.hub.meet()

    def run_case(self, message: RunCase) -> dict[int, Done]:
        """Run a case in the first ranks of the job; a rank that is lost raises RankLostError."""
        self._turns += 1
        others = self.hub.run_case(CaseTurn(self._turns, message))
        own = self.rank.run_case(self._turns, message)
        return {0: own, **self.hub.collect(others, LONGEST_CASE + LONGEST_SAMPLE * message.case.length)}

    def renew(self, size: int) -> None:
        """Make the groups of a size again in all ranks."""
        self.hub.tell(Renew(size))
        self.rank.renew(size)

    def close(self) -> None:
        """End together: where one rank ends before the others, its launcher ends these."""
        self._private.close()
        self.hub.close()


class FollowingSession:
    """Another rank of a job, which does what the first one asks for."""

    def __init__(self, rank: JobRank, private: PrivateDirectory, wire: Wire) -> None:
        self._rank = rank
        self._private = private
        self._line = Line(wire, lambda: where_in(rank.box))

    def follow(self, bind: Callable[[], Binding]) -> Finish:
        """Do what the first rank asks for until a run is over; return how.

        Ranks that meet by files ``bind`` the target themselves.
        """
        self._rank.learn(bind)
        old = _outlive_endings()
        try:
            with self._rank.guard:
                while True:
                    message = self._hear()
                    if isinstance(message, Finish):
                        return message
                    if isinstance(message, Renew):
                        self._rank.renew(message.size)
                    elif isinstance(message, CaseTurn):
                        self._say(self._rank.run_case(message.number, message.case))
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)

    def close(self) -> None:
        """End when the first rank does: where one rank ends before the others, its launcher ends these."""
        self._private.close()
        with suppress(WorldError):
            while not isinstance(self._hear(), Close):
                continue
            self._line.close()

    def _say(self, answer: Done) -> None:
        try:
            self._line.say(answer)
        except TypeError as error:  # what files do not take
            self._line.say(Done(problem=str(error)))
        except OSError:
            raise WorldError(GONE) from None

    def _hear(self) -> Any:
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
