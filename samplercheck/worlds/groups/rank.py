"""What runs inside a rank of a real process group, beside the target.

Executed by ``main`` in a process of its own, forked or spawned; ends with
the connection to the process that started it. May import torch and everything below the worlds.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import is_initialized  # the target's own questions may be noted

from samplercheck.experiments import ACTIONS
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped, fault_between_calls
from samplercheck.targets.binding import Binding
from samplercheck.targets.parcel import unpack
from samplercheck.values.errors import SamplerCheckError, TargetError
from samplercheck.values.record import Fault, Record
from samplercheck.worlds.groups.collectives import CollectiveNotes, GroupPace, activate, wrap_collectives
from samplercheck.worlds.groups.messages import KEPT_TARGETS, Done, Join, RunCase, receive, send
from samplercheck.worlds.in_rank.ambient import AmbientGenerators
from samplercheck.worlds.in_rank.deadlines import DeadlineExceeded
from samplercheck.worlds.in_rank.guard import ProcessGuard
from samplercheck.worlds.in_rank.surroundings import Surroundings, list_in_reverse, node_size_of
from samplercheck.worlds.processes.black_box import BlackBox
from samplercheck.worlds.processes.bootstrap import write_frames_to
from samplercheck.worlds.processes.lifetime import limit_memory

PATIENCE = timedelta(minutes=5)
"""What torch waits for in a collective; the process that watches the group is always quicker."""


def prepare() -> None:
    """Make this process ready to become a rank, or the template that ranks are forked from."""
    torch.set_num_threads(1)
    wrap_collectives()
    defaults()  # torch loads a module for it


def main(job: dict[str, Any], connection: Connection) -> None:
    """Serve cases until the connection closes."""
    prepare()
    if job["reverse"]:
        list_in_reverse()
    box = BlackBox(Path(job["notes"]))
    give_up = write_frames_to(Path(job["frames"]))
    guard = ProcessGuard(job["deadlines"], give_up, box, careful=True, hears_user=False)
    if job["memory"] is not None:
        limit_memory(job["memory"])
    with guard:
        Rank(job, connection, guard, box).serve()


def defaults() -> tuple[Any, ...]:
    """Return what a target may change for all of torch in its process."""
    return torch.get_default_device(), torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()


class Rank:
    """One rank of one group, for one case after another."""

    def __init__(
        self, job: dict[str, Any], connection: Connection | None, guard: ProcessGuard, box: BlackBox
    ) -> None:
        self._process = os.getpid()
        self._defaults = defaults()
        self.rank: int = job["rank"]
        self.size: int = job["world_size"]
        self.device = torch.device("cuda", self.rank) if job["backend"] == "nccl" else torch.device("cpu")
        self._connection = connection
        self.guard, self.box = guard, box
        self.notes = CollectiveNotes(box, guard)
        self._ambient = AmbientGenerators()
        self._surroundings = Surroundings()
        self._targets: dict[str, Binding] = {}
        self.pace: GroupPace | None = None

    def serve(self) -> None:
        """Answer every message; the end of the connection ends the rank."""
        assert self._connection is not None
        while True:
            try:
                message = receive(self._connection)
            except (EOFError, OSError):
                return
            answer = self._join(message) if isinstance(message, Join) else self.carry_out(message)
            self._end_copy()
            try:
                send(self._connection, answer)
            except TargetError as error:  # a result that cannot travel
                send(self._connection, Done(problem=str(error)))

    def _end_copy(self) -> None:
        """End a copy that the target has made of this process: its answer would pass for the next case's."""
        if os.getpid() != self._process:
            os._exit(0)

    def _join(self, message: Join) -> Done:
        """Open the process group, and a second one for the kit's own collectives."""
        self._place()
        try:
            if self.device.type == "cuda":
                torch.cuda.set_device(self.device)
            dist.init_process_group(
                message.backend,
                store=dist.FileStore(message.store, self.size),  # type: ignore[attr-defined]  # public all the same
                rank=self.rank,
                world_size=self.size,
                timeout=PATIENCE,
            )
            self.pace = GroupPace(dist.new_group(timeout=PATIENCE), self.notes, self.device)
            self.pace.meet(0)
        except Exception as error:  # noqa: BLE001  (whatever the backend raises on this machine)
            return Done(problem=f"{type(error).__name__}: {error}")
        activate(self.notes)
        return Done()

    def _place(self) -> None:
        """Set what launchers set, as in simulation; on GPUs, which LOCAL_RANK names, one node is one."""
        nodes = node_size_of(self.size) if self.device.type == "cpu" else self.size
        self._surroundings.place(self.rank, self.size, nodes)

    def carry_out(self, message: RunCase) -> Done:
        """Run the experiments of one case, as far as they go."""
        self.box.forget_place()
        self.box.enter_case(message.case, message.experiments)
        records: dict[str, Record] = {}
        fault: Fault | None = None
        problem = ""
        self.guard.attend(on=True)
        try:
            fault = self._experiment(self._seat(message), message.experiments, records)
        except SamplerCheckError as error:
            problem = str(error)
        except BaseException as error:  # noqa: BLE001  (the kit's own; the parent must learn of it)
            problem = f"the kit failed in rank {self.rank}: {error!r}\n{traceback.format_exc()}"
        finally:
            self.guard.attend(on=False)
        self._tidy()
        return Done(
            records=records,
            fault=fault,
            problem=problem,
            counts=self.notes.counts,
            failed_in_collective=self.notes.has_failed,
            spoiled=self._is_spoiled(),
        )

    def _is_spoiled(self) -> bool:
        """Whether the process is no longer as new; what fails on a GPU is the end of it for a process."""
        if self.device.type == "cuda":
            try:
                torch.cuda.synchronize(self.device)
            except RuntimeError:
                return True
        return self.notes.has_made_groups or not is_initialized() or defaults() != self._defaults

    def _seat(self, message: RunCase) -> Seat:
        """Return this rank's seat; whatever the target does, the others do the same at the same time."""
        case, binding = message.case, self._target(message)
        self.guard.set_length(case.length * binding.contract.repeats)
        self._place()
        self._ambient.enter(case, self.rank, shared=binding.contract.ambient_rng == "shared")
        seat = Seat(
            binding,
            case,
            self.rank,
            guard=self.guard,
            ambient=self._ambient,
            pace=self.pace,
        )
        self.notes.begin(seat)
        return seat

    def _experiment(self, seat: Seat, names: Sequence[str], records: dict[str, Record]) -> Fault | None:
        """Run the experiments one after the other; a fault ends them."""
        try:
            for number, name in enumerate(names):
                self._end_copy()
                self.box.at(self.rank, number)
                before = self.notes.total
                records[name] = seat.start(name)
                ACTIONS[name](seat)
                if self.notes.total > before:
                    seat.record.notes["collectives"] = self.notes.total - before
        except Stopped as stopped:
            return stopped.fault
        except DeadlineExceeded as error:
            return fault_between_calls(seat, error)
        return None

    def _target(self, message: RunCase) -> Binding:
        """Return the target of a case; its parcel comes with the first."""
        if message.parcel:
            while len(self._targets) >= KEPT_TARGETS:
                del self._targets[next(iter(self._targets))]
            self._targets[message.target] = unpack(message.parcel)
        return self._targets[message.target]

    def _tidy(self) -> None:
        self._surroundings.tidy()
        self.guard.end_case()
        with suppress(OSError, ValueError):  # a target may have closed its streams
            sys.stdout.flush()
