"""Group: the ranks of one process group, which carry out case after case.

Lives in the process of the run; every wait has an end. Imports values alone, no torch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.errors import WorldError
from samplercheck.values.record import Fault, Record
from samplercheck.values.trace import Trace
from samplercheck.worlds.groups.member import DeadlockWatch, Member, describe_disagreement
from samplercheck.worlds.groups.messages import KEPT_TARGETS, Join, RunCase
from samplercheck.worlds.processes.source import STOPPED, ProcessSource

STALE = "a rank ended before the case began, twice: what earlier cases leave behind ends it"
POLL = 0.02
LONGEST_START = 60.0
LOOK = 0.02
"""How often the ranks are looked at while they work; what they send is heard at once."""


@dataclass(slots=True, kw_only=True)
class CaseOutcome:
    """What became of a case: everything recorded, or why not.

    It is stale where a rank was lost before it began: what an earlier case had left behind ended it.
    """

    records: dict[str, list[Record]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    deadlock: str = ""
    problem: str = ""
    is_stale: bool = False

    @classmethod
    def of_all(
        cls, carry_out: Callable[[tuple[str, ...]], CaseOutcome], experiments: tuple[str, ...]
    ) -> CaseOutcome:
        """Carry experiments out in all ranks, those behind one that failed by themselves: together again."""
        outcome = carry_out(experiments)
        rest = outcome.left_of(experiments)
        return outcome.and_then(cls.of_all(carry_out, rest)) if rest else outcome

    def left_of(self, experiments: tuple[str, ...]) -> tuple[str, ...]:
        """Return the experiments behind the first that failed; none where nothing more is asked of a rank.

        A rank that fails ends its case, and the others know nothing of it.
        """
        if self.deadlock or self.problem or not self.faults or any(one.is_final for one in self.faults):
            return ()
        return experiments[min(experiments.index(one.experiment) for one in self.faults) + 1 :]

    def as_trace(self, binding: Binding, case: Case, kind: str, world: str) -> Trace:
        """Return the trace of the case; without a ``world`` no other one carries it either."""
        return Trace(
            case,
            binding.contract,
            self.records,
            kind=kind,
            faults=self.faults,
            named=binding.named,
            deadlock=self.deadlock,
            not_carried=self.problem,
            world=world,
        )

    def and_then(self, later: CaseOutcome) -> CaseOutcome:
        """Return what became of a case whose last experiments were carried out later."""
        faults = [fault for fault in self.faults if fault.experiment not in later.records]
        records = {**self.records, **later.records}
        return replace(later, records=records, faults=[*faults, *later.faults])


class Group:
    """The warm ranks of one world size; ``is_usable`` turns false with the first that is lost.

    ``settings`` are what every rank is started with: its backend, deadlines, memory, and the order of all.
    """

    def __init__(
        self, source: ProcessSource, world_size: int, directory: Path, settings: dict[str, Any]
    ) -> None:
        self.world_size = world_size
        self.is_usable = True
        self._source = source
        self._held: list[str] = []
        self._members: list[Member] = []
        backend, ranks = settings["backend"], range(world_size)
        directory.mkdir()
        try:
            for rank in reversed(ranks) if settings["reverse"] else ranks:
                job = {**settings, "rank": rank, "world_size": world_size}
                self._members.append(Member(source, job, directory))
            self._send(Join(backend=backend, store=str(directory / "store")))
            self._hear(joins_until=time.monotonic() + LONGEST_START)
            self._check_joined(backend)
        except BaseException:
            self.close()
            raise

    def _check_joined(self, backend: str) -> None:
        """Refuse to go on where the ranks have not found one another."""
        reasons = [*self._reasons(), *("no answer" for member in self._members if member.done is None)]
        if reason := next(filter(None, reasons), ""):
            raise WorldError(
                f"World {backend!r} could not open a process group of {self.world_size} ranks: {reason}. "
                "samplercheck doctor says what this machine has."
            )

    def _reasons(self) -> list[str]:
        """Say of each rank why it is not in the group, as far as that is known."""
        return [member.done.problem if member.done else member.status for member in self._members]

    def carry_out(self, request: RunCase) -> CaseOutcome:
        """Carry out the experiments of one case in all ranks."""
        self.is_usable = False  # until the case is known to have left no mark
        is_held = request.target in self._held
        self._send(replace(request, parcel=b"") if is_held else request)
        deadlock = self._hear()
        if any(member.was_elsewhere(request.case.token) for member in self._members if member.is_lost):
            return CaseOutcome(problem=STALE, is_stale=True)
        outcome = self._outcome(request.experiments, deadlock)
        self.is_usable = not (outcome.problem or outcome.deadlock or self._is_marked())
        if not is_held:
            self._held = [*self._held, request.target][-KEPT_TARGETS:]
        return outcome

    def _send(self, message: Any) -> None:
        for member in self._members:
            member.send(message)

    def _hear(self, joins_until: float | None = None) -> str:
        """Listen until all have answered, one is lost, or none can go on; return why none can.

        Of ranks that join, one that could not ends it too: the others wait for it.
        """
        watch, looked = DeadlockWatch(self._members), time.monotonic()
        while True:
            if self._source.has_stopped:
                raise WorldError(STOPPED)
            owing = [member for member in self._members if member.owes_answer]
            if not owing:
                return describe_disagreement(self._members)
            heard = [member for member in owing if member.is_connected]
            wait([*(member.process.connection for member in heard), *self._source.waitable], POLL)
            for member in heard:
                member.hear()
            now = time.monotonic()
            if now - looked < LOOK:
                continue
            self._source.hear()
            for member in self._members:
                member.look(now - looked, joins=joins_until is not None)
            looked = now
            if any(member.is_lost for member in self._members):
                return ""
            if joins_until is not None and (now > joins_until or any(self._reasons())):
                return ""
            if deadlock := watch.look(now):
                return deadlock

    def _outcome(self, experiments: tuple[str, ...], deadlock: str) -> CaseOutcome:
        ranks = sorted(self._members, key=lambda member: member.rank)
        lost = [member for member in ranks if member.is_lost]
        answers = [member.done for member in ranks if member.done is not None]
        problems = [answer.problem for answer in answers if answer.problem]
        # Who was in a collective when another rank was lost has failed because of that.
        faults = [
            answer.fault
            for answer in answers
            if answer.fault is not None and not (lost and answer.failed_in_collective)
        ]
        faults = sorted(faults + [member.fault() for member in lost], key=lambda fault: fault.rank)
        if any(fault.kind == "deadline" for fault in faults):
            deadlock = ""  # who waits for a rank that hangs waits for no other reason
        whole = len(answers) == self.world_size
        records = {
            # A place is a rank: one that did not come to an experiment has an empty record of it.
            name: [answer.records.get(name) or Record() for answer in answers if whole]
            for name in experiments
        }
        return CaseOutcome(
            records=records, faults=faults, deadlock=deadlock, problem=problems[0] if problems else ""
        )

    def _is_marked(self) -> bool:
        """Whether the case has left a rank behind, or groups and counts that are no longer as new."""
        answers = [member.done for member in self._members]
        return any(
            answer is None
            or answer.spoiled
            or answer.failed_in_collective
            or answer.counts != (answers[0].counts if answers[0] is not None else {})
            or (answer.fault is not None and answer.fault.kind == "deadline")
            for answer in answers
        )

    def close(self) -> None:
        """End all ranks at once."""
        self.is_usable = False
        for member in self._members:
            member.close()
