"""Group: the ranks of one process group, which carry out case after case.

Lives in the process of the run; every wait has an end. Imports values alone, no torch.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from samplercheck.errors import WorldError
from samplercheck.worlds.groups.deadlock import Standstill, disagreement
from samplercheck.worlds.groups.member import Member
from samplercheck.worlds.groups.messages import KEPT_TARGETS, Case, Join

if TYPE_CHECKING:
    from pathlib import Path

    from samplercheck import case
    from samplercheck.record import Fault, Record
    from samplercheck.worlds.processes.source import Nursery

__all__ = ["Carried", "Group"]

STALE = "a rank ended before the case began, twice: what earlier cases leave behind ends it"
POLL = 0.02
LONGEST_START = 60.0
LOOK = 0.02
"""How often the ranks are looked at while they work; what they send is heard at once."""


@dataclass(slots=True, kw_only=True)
class Carried:
    """What became of a case: everything recorded, or why not.

    It is stale where a rank was lost before it began: what an earlier case had left behind ended it.
    """

    records: dict[str, list[Record]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    deadlock: str = ""
    problem: str = ""
    is_stale: bool = False


class Group:
    """The warm ranks of one world size; ``is_usable`` turns false with the first that is lost."""

    def __init__(
        self,
        nursery: Nursery,
        world_size: int,
        directory: Path,
        *,
        backend: str,
        settings: dict[str, Any],
        reverse: bool = False,
    ) -> None:
        self.world_size = world_size
        self.is_usable = True
        self._nursery = nursery
        self._held: list[str] = []
        order = range(world_size)[::-1] if reverse else range(world_size)
        self._members: list[Member] = []
        directory.mkdir()
        try:
            for rank in order:
                job = {**settings, "rank": rank, "world_size": world_size, "backend": backend}
                self._members.append(Member(nursery, job, directory))
            self._tell(Join(backend=backend, store=str(directory / "store")))
            self._hear(until=time.monotonic() + LONGEST_START)
            self._check_joined(backend)
        except BaseException:
            self.close()
            raise

    def _check_joined(self, backend: str) -> None:
        """Refuse to go on where the ranks have not found one another."""
        reasons = [one.done.problem if one.done else one.status or "no answer" for one in self._members]
        reasons = [reason for reason in reasons if reason]
        if reasons:
            raise WorldError(
                f"World {backend!r} could not open a process group of {self.world_size} ranks: {reasons[0]}."
            )

    def carry_out(self, case: case.Case, target: str, parcel: bytes, experiments: tuple[str, ...]) -> Carried:
        """Carry out the experiments of one case in all ranks."""
        self.is_usable = False  # until the case is known to have left no mark
        sent = None if target in self._held else parcel
        self._tell(Case(case=case, target=target, parcel=sent, experiments=experiments))
        deadlock = self._hear()
        if any(member.was_elsewhere(case.token) for member in self._members if member.is_lost):
            return Carried(problem=STALE, is_stale=True)
        carried = self._carried(experiments, deadlock)
        self.is_usable = not (carried.problem or carried.deadlock or self._is_marked())
        if sent is not None:
            self._held = [*self._held, target][-KEPT_TARGETS:]
        return carried

    def _tell(self, message: Any) -> None:
        for member in self._members:
            member.tell(message)

    def _hear(self, until: float | None = None) -> str:
        """Listen until all have answered, one is lost, or none can go on; return why none can."""
        standstill, looked = Standstill(self._members), time.monotonic()
        while True:
            owing = [member for member in self._members if member.owes_answer]
            if not owing:
                return disagreement(self._members)
            heard = [member for member in owing if member.is_connected]
            wait([*(member.process.connection for member in heard), *self._nursery.waitable], POLL)
            for member in heard:
                member.hear()
            now = time.monotonic()
            if now - looked < LOOK:
                continue
            self._nursery.hear()
            for member in self._members:
                member.look(now - looked)
            looked = now
            if any(member.is_lost for member in self._members) or (until is not None and now > until):
                return ""
            if stands := standstill.told(now):
                return stands

    def _carried(self, experiments: tuple[str, ...], deadlock: str) -> Carried:
        ranks = sorted(self._members, key=lambda member: member.rank)
        lost = [member for member in ranks if member.is_lost]
        answers = [member.done for member in ranks if member.done is not None]
        problems = [answer.problem for answer in answers if answer.problem]
        # Who was in a collective when another rank was lost has failed because of that.
        faults = [
            answer.fault
            for answer in answers
            if answer.fault is not None and not (lost and answer.failed_talking)
        ]
        faults = sorted(faults + [member.fault() for member in lost], key=lambda fault: fault.rank)
        whole = len(answers) == self.world_size
        records = {
            name: [answer.records[name] for answer in answers if name in answer.records]
            for name in experiments
            if whole
        }
        return Carried(
            records=records, faults=faults, deadlock=deadlock, problem=problems[0] if problems else ""
        )

    def _is_marked(self) -> bool:
        """Whether the case has left a rank behind, or groups and counts that are no longer as new."""
        answers = [member.done for member in self._members]
        return any(
            answer is None
            or answer.spoiled
            or answer.failed_talking
            or answer.said != (answers[0].said if answers[0] is not None else {})
            or (answer.fault is not None and answer.fault.kind == "deadline")
            for answer in answers
        )

    def close(self) -> None:
        """End all ranks at once."""
        self.is_usable = False
        for member in self._members:
            member.close()
