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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from samplercheck.targets.parcel import pack_named
from samplercheck.values.errors import SamplerCheckError, WorldError
from samplercheck.worlds.groups.messages import Done, RunCase
from samplercheck.worlds.job.files import FileHearth, FileWire
from samplercheck.worlds.job.lone import LoneRank
from samplercheck.worlds.job.place import JobPlace, job_name, machine_name, place_from
from samplercheck.worlds.job.ranks import JobRank, sizes_of, where_in
from samplercheck.worlds.job.talk import LONGEST_MEETING, Hub, Line
from samplercheck.worlds.job.wires import SocketHearth, SocketWire
from samplercheck.worlds.job.words import CaseTurn, Close, Finish, Hello, Renew
from samplercheck.worlds.processes.private import PrivateDirectory

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.targets.binding import Binding

LONGEST_CASE, LONGEST_SAMPLE = 300.0, 20e-6
GONE = (
    "The first rank of the job has ended, so the run is over: see what it printed, and start the job again."
)
NOT_MET = (
    "The ranks of the job did not meet ({}). They need the first rank's machine at {}, port {}, and each "
    "other at the addresses that their machines' names have: where such a name leads to 127.0.0.1, set "
    "GLOO_SOCKET_IFNAME to the network interface that leads to the other machines (ip address lists them)."
)
_sessions: dict[str, JobSession] = {}


def join_job(gather: str = "") -> JobSession:
    """Return the session of this process, opened once; its ranks meet by files in ``gather``, if given."""
    if gather not in _sessions:
        place = _find_place(meets=not gather)
        _sessions[gather] = JobSession(place, Path(gather).absolute() if gather else None)
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


class JobSession:
    """The process among the ranks of its job."""

    def __init__(self, place: JobPlace, gather: Path | None = None) -> None:
        self.place = place
        self.sizes = sizes_of(place.size)
        self._private = PrivateDirectory()
        self._turns = 0
        self.rank: JobRank | LoneRank
        self._line: Line | None = None
        self.hub = self._meet_by_files(place, gather) if gather else self._meet_by_sockets(place)
        if self.hub is not None:
            self.hub.meet()

    def _meet_by_files(self, place: JobPlace, gather: Path) -> Hub | None:
        """Find the other ranks in a directory; no process group is asked for anything."""
        self.rank = LoneRank(place, self._private.path, hears_user=place.rank == 0)
        hello = Hello(place.rank, place.size, machine_name(), secrets.token_hex(16), job_name(os.environ))
        if place.rank == 0:
            return Hub(place.size, FileHearth(hello, gather))
        self._line = Line(FileWire(hello, gather, LONGEST_MEETING), lambda: where_in(self.rank.box))
        return None

    def _meet_by_sockets(self, place: JobPlace) -> Hub | None:
        """Let the ranks know by a collective where the first one is, once; they come there."""
        leads = place.rank == 0
        hearth = SocketHearth(place.size, secrets.token_bytes(32)) if leads else None
        told: list[Any] = [None if hearth is None else (_names_of(place), hearth.port, hearth.key)]
        dist.broadcast_object_list(told, src=0)
        self.rank = JobRank(place, self._private.path, hears_user=leads)
        if hearth is not None:
            return Hub(place.size, hearth)
        wire = SocketWire((place.rank, machine_name()), *told[0])
        self._line = Line(wire, lambda: where_in(self.rank.box))
        return None

    @property
    def leads(self) -> bool:
        """Whether this is the first rank, which searches and reports."""
        return self.hub is not None

    def send_off(self, binding: Binding) -> tuple[str, bytes]:
        """Return the name of a target and its parcel; ranks that meet by files have it from their command."""
        if isinstance(self.rank, LoneRank):
            return self.rank.learn(binding), b""
        return pack_named(binding)

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
            assert self._line is not None
            self._line.close()

    def follow(self, bind: Callable[[], Binding]) -> Finish:
        """Do what the first rank asks for until a run is over; return how.

        Ranks that meet by files ``bind`` the target themselves.
        """
        assert self._line is not None
        if isinstance(self.rank, LoneRank):
            with suppress(SamplerCheckError):  # which the first rank says, of the same target
                self.rank.learn(bind())
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
        except TypeError as error:  # what files do not take
            self._line.say(Done(problem=str(error)))
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
