"""The world ``attached``: the ranks of a job that runs already, in its own process group.

Opened by the engine in the first rank of the job, for the whole run; the other ranks follow. There is no
simulation in these processes, whose torch.distributed is the job's.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from samplercheck.experiments import ACTIONS
from samplercheck.experiments.seat import Seat
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare
from samplercheck.worlds._long_passes import trace_case
from samplercheck.worlds.groups.group import CaseOutcome
from samplercheck.worlds.groups.messages import Done, RunCase
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.job.session import LeadingSession, join_job
from samplercheck.worlds.job.talk import RankLostError

MOST_BROKEN = 3
LAST_LOOK = 1.0
SPOILED = "the groups of the job failed in {} cases, and are not asked again"
NO_SIZE = "no group of {} ranks was made: the job is tried with {} ranks"
APART = "the ranks did not enter the same collectives: {} waited in one until it failed"


class AttachedWorld:
    """Carries experiments to the ranks of a running job; a context manager that may be entered again."""

    name = "attached"

    def __init__(self, deadlines: Deadlines | None = None, gather: str = "") -> None:
        session = join_job(gather)
        assert isinstance(session, LeadingSession)
        self._session = session
        self.guard = self._session.rank.guard
        if deadlines is not None:
            self.guard.deadlines = deadlines
        self.actions: Mapping[str, Callable[[Seat], None]] = ACTIONS
        self.most_ranks = self._session.place.size
        self.sizes = self._session.sizes
        self.unavailable = ""
        self._parcel = cache(self._session.rank.send_off)
        self._entered = self._broken = 0
        self._old: Any = None

    def __enter__(self) -> AttachedWorld:
        self._entered += 1
        if self._entered == 1:
            self._session.hub.begin()
            self.guard.__enter__()
            if threading.current_thread() is threading.main_thread():
                self._old = signal.signal(signal.SIGTERM, self._end)
        return self

    def __exit__(self, *_: object) -> None:
        self._entered -= 1
        if not self._entered:
            self.guard.__exit__()
            if self._old is not None:
                signal.signal(signal.SIGTERM, self._old)

    def _end(self, *_: object) -> None:
        """End the run with what is known, once: a launcher ends all ranks where one is lost."""
        if self.guard.interrupted:
            return
        self.guard.interrupted = True
        raise KeyboardInterrupt

    @property
    def notes(self) -> tuple[str, ...]:
        """The ranks that were lost."""
        hub = self._session.hub
        if self.guard.interrupted:
            hub.settle(LAST_LOOK)  # a launcher may end this rank before it is known which one was lost
        return tuple(hub.lost[rank] for rank in sorted(hub.lost))

    def prepare(self, binding: Binding) -> None:
        """Pack the target; ``TargetError`` where it cannot travel."""
        self._parcel(binding)

    def hurry(self, deadlines: Deadlines) -> None:
        """Wait no longer than this in this rank; the others keep to what they have."""
        self.guard.deadlines = deadlines

    def trace(
        self,
        binding: Binding,
        case: Case,
        experiments: Sequence[str],
        kind: str = "",
        spare: Spare = "usual",  # noqa: ARG002  (nothing is left out in real ranks)
    ) -> Trace:
        """Run the experiments in the first ranks of the job and return what they recorded."""
        return trace_case(self._carry, binding, case, experiments, kind)

    def _carry(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
        outcome = CaseOutcome.of_all(partial(self._outcome, binding, case), tuple(experiments))
        return outcome.as_trace(binding, case, kind, "" if outcome.problem else self.name)

    def _why_not(self, size: int) -> str:
        """Say why a case of so many ranks is not carried out; empty where it is."""
        if size not in self.sizes:
            return NO_SIZE.format(size, ", ".join(map(str, self.sizes)))
        return SPOILED.format(self._broken) if self._broken >= MOST_BROKEN else ""

    def _outcome(self, binding: Binding, case: Case, experiments: tuple[str, ...]) -> CaseOutcome:
        if why := self._why_not(case.world_size):
            return CaseOutcome(records={name: [] for name in experiments}, problem=why)
        target, parcel = self._parcel(binding)
        request = RunCase(case=case, target=target, parcel=parcel, experiments=experiments)
        try:
            answers = self._session.run_case(request)
        except RankLostError:
            self.guard.interrupted = True  # the run ends as with Ctrl-C: with what is known, and who is lost
            raise KeyboardInterrupt from None
        ranks = [answers[rank] for rank in sorted(answers)]
        faults = [one.fault for one in ranks if one.fault is not None and not one.failed_in_collective]
        return CaseOutcome(
            records={name: [one.records.get(name) or Record() for one in ranks] for name in experiments},
            faults=faults,
            deadlock=self._describe_deadlock(ranks, case.world_size, is_caused=bool(faults)),
            problem=next((one.problem for one in ranks if one.problem), ""),
        )

    def _describe_deadlock(self, ranks: list[Done], size: int, *, is_caused: bool) -> str:
        """Say which ranks waited in vain; the groups are made again, as a collective has failed in them."""
        waited = [rank for rank, one in enumerate(ranks) if one.failed_in_collective]
        if not waited and all(one.counts == ranks[0].counts for one in ranks):
            return ""
        self._broken += 1
        if self._broken < MOST_BROKEN:
            self._session.renew(size)
        who = ", ".join(f"rank {rank}" for rank in waited) or "no rank"
        return "" if is_caused else APART.format(who)
