"""Lockstep: a case whose ranks use collectives, run by deterministic re-execution.

Called by the simulated world when a rank has reached a collective. Every rank is run from the start of an
experiment to its next collective; when all members of a group wait in it, the results are computed and the
ranks run again with them, but for parts that have ended, such as trials of resuming. Ranks that wait for one
another without end are found at once. Imports torch, through the collective log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch.distributed as dist

from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped, fault_between_calls
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.record import Fault, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import EXPERIMENTS, in_epoch
from samplercheck.worlds.in_rank.ambient import AmbientGenerators
from samplercheck.worlds.in_rank.deadlines import DeadlineExceeded
from samplercheck.worlds.in_rank.guard import ProcessGuard
from samplercheck.worlds.in_rank.surroundings import Surroundings, node_size_of
from samplercheck.worlds.simulation.collective_log import (
    ELSEWHERE,
    CollectiveLog,
    RankProgress,
    Suspended,
    describe_progress,
)
from samplercheck.worlds.simulation.results import Disagreement, results

MOST_REPLAYED = 1_500_000
"""What the re-runs of one case may cost, in tensors written: some seconds. Counted and not timed, so that
the same case ends in the same way everywhere."""
UNEVEN = frozenset({"nonsense"})
"""Experiments in which not every rank does the same: ranks may wait in vain, and are not to blame."""
SWALLOWED = (
    "swallowed the interruption that suspends it in {name} in simulation (a bare 'except:', "
    "'except BaseException' or a return in 'finally'; write 'except Exception')."
)
ENDED_EARLY = (
    "was run again with the results of its {known} collectives and ended after {used} of them: real "
    "randomness, the clock or state left between runs decides it."
)
SEEDS, PARTS_APART = 2**63, 1_009


@dataclass(slots=True, kw_only=True, eq=False)
class Lockstep:
    """Runs one case, experiment by experiment, all ranks from collective to collective.

    ``open_group`` opens a group of a size, ``announce`` is told the rank and the number of its experiment.
    """

    binding: Binding
    case: Case
    actions: Mapping[str, Callable[[Seat], None]]
    log: CollectiveLog
    guard: ProcessGuard
    ambient: AmbientGenerators
    surroundings: Surroundings
    open_group: Callable[[int], Any]
    announce: Callable[[int, int], None] | None = None
    _replayed: int = 0
    _deadlock: str = ""
    _not_carried: str = ""

    def trace(self, experiments: Sequence[str], kind: str = "") -> Trace:
        """Run the experiments; the first that a final fault or a deadlock ends is the last."""
        records: dict[str, list[Record]] = {name: [] for name in experiments}
        faults: list[Fault] = []
        for number, name in enumerate(experiments):
            ranks = self._play(name, number)
            records[name] = [progress.record for progress in ranks]
            found = [progress.fault for progress in ranks if progress.fault is not None]
            faults += found
            if self._deadlock or self._not_carried or any(fault.is_final for fault in found):
                break
            if found and dist.is_initialized():
                dist.destroy_process_group()  # a rank may have been stopped in the middle of its bookkeeping
        return Trace(
            self.case,
            self.binding.contract,
            records,
            kind=kind,
            faults=faults,
            named=self.binding.named,
            deadlock=self._deadlock,
            not_carried=self._not_carried,
        )

    def _play(self, experiment: str, number: int) -> list[RankProgress]:
        """Run one experiment in all ranks, as far as it goes."""
        place = list(self.actions).index(experiment)
        # Each experiment meets its ranks' generators in another state, as it does in the fast path.
        ambient_case = self.case.but(seed=(self.case.seed + 7 * place) % SEEDS) if place else self.case
        ranks = [RankProgress(rank, self.log) for rank in range(self.case.world_size)]
        running = ranks
        while running:
            for progress in running:
                if self.announce is not None:
                    self.announce(progress.rank, number)
                self._run(progress, experiment, ambient_case)
                if self._not_carried or (progress.fault is not None and progress.fault.kind == "deadline"):
                    return ranks
            running = self._answer(ranks)
        if experiment in UNEVEN and self._deadlock:
            self._deadlock = ""
            for progress in ranks:
                progress.record = Record()
        return ranks

    def _run(self, progress: RankProgress, experiment: str, ambient_case: Case) -> None:
        """Run one rank from the part of the experiment that it is in to its next collective, or its end."""
        self._replayed += progress.cost
        if self._replayed > MOST_REPLAYED:
            self._not_carried = (
                f"Experiment {experiment!r} uses more collectives than the {len(progress.answers)} that were "
                f"carried out: simulation runs every rank again for each of them. {ELSEWHERE}"
            )
            return
        seat = self._take_seat(progress, ambient_case)
        seat.start(experiment)
        progress.record = seat.record = progress.kept.copy()
        suspended, fault = False, None
        self.guard.attend(on=True)
        try:
            self.actions[experiment](seat)
        except Stopped as stopped:
            fault = stopped.fault
        except DeadlineExceeded as error:
            fault = fault_between_calls(seat, error)
        except Suspended:
            suspended = True
        finally:
            self.guard.attend(on=False)
            self.surroundings.tidy()
        self._judge(progress, fault, suspended=suspended)

    def _take_seat(self, progress: RankProgress, ambient_case: Case) -> Seat:
        """Prepare a rank as if its process had just been started."""
        case, rank = self.case, progress.rank
        self.open_group(case.world_size)
        self.log.begin(rank, progress.answers, progress.past)
        progress.met = 0
        self.surroundings.place(rank, case.world_size, node_size_of(case.world_size))
        if progress.results:  # as its generators would have gone on, each part meets them in another state
            apart = PARTS_APART * len(progress.results)
            ambient_case = ambient_case.but(seed=(ambient_case.seed + apart) % SEEDS)
        self.ambient.enter(ambient_case, rank, shared=self.binding.contract.ambient_rng == "shared")
        return Seat(
            self.binding,
            case,
            rank,
            guard=self.guard,
            ambient=self.ambient,
            pass_through=(Suspended,),
            memory=progress,
        )

    def _judge(self, progress: RankProgress, fault: Fault | None, *, suspended: bool) -> None:
        """Take down how a run ended: at a collective, at its end, or as simulation cannot carry it."""
        log, rank = self.log, progress.rank
        if log.problem:
            self._not_carried = log.problem
        elif log.waiting is not None and not suspended:
            self._not_carried = f"Rank {rank} {SWALLOWED.format(name=log.waiting.name)} {ELSEWHERE}"
        elif log.waiting is not None:
            progress.waiting = log.waiting
            progress.where = _describe_place(*self.guard.last_call)
        elif log.used < len(log.answers):
            ended = ENDED_EARLY.format(known=len(log.answers), used=log.used)
            self._not_carried = f"Rank {rank} {ended} {ELSEWHERE}"
        else:
            progress.fault = fault
            progress.record.notes["collectives"] = len(log.answers)

    def _answer(self, ranks: list[RankProgress]) -> list[RankProgress]:
        """Complete every collective in which its whole group waits; return the ranks that go on."""
        groups: dict[tuple[tuple[int, ...], int], list[RankProgress]] = {}
        for progress in ranks:
            if progress.waiting is not None:
                key = (progress.waiting.members, progress.waiting.number)
                groups.setdefault(key, []).append(progress)
        going: list[RankProgress] = []
        for (members, _), asking in groups.items():
            if len(asking) == len(members) and not self._complete(asking):
                return []
            going += [progress for progress in asking if progress.waiting is None]
        if groups and not going:
            self._end_in_deadlock(ranks, len(groups))
        return going

    def _complete(self, asking: list[RankProgress]) -> bool:
        """Give all members of a group their results; False when they have called different things."""
        requests = [progress.waiting for progress in asking if progress.waiting is not None]
        requests.sort(key=lambda request: request.place)
        try:
            given = results(requests)
        except Disagreement:
            self._deadlock = describe_progress(asking)
            return False
        except RuntimeError as error:  # torch's: this type of tensor cannot be reduced so
            why = f"which simulation cannot compute ({error}). {ELSEWHERE}"
            self._not_carried = f"{describe_progress(asking)}, {why}"
            return False
        for progress in asking:
            assert progress.waiting is not None
            progress.add_answer((progress.waiting, given[progress.waiting.place]))
        return True

    def _end_in_deadlock(self, ranks: list[RankProgress], groups: int) -> None:
        """No collective can be completed any more."""
        text = describe_progress(ranks)
        if groups > 1 and any(rank.waiting is not None and rank.waiting.asynchronous for rank in ranks):
            # A real rank goes on after async_op=True and may reach the group in which the others wait.
            self._not_carried = (
                f"{text}, where some may go on at once (async_op=True), and simulation waits. {ELSEWHERE}"
            )
        else:
            self._deadlock = text


def _describe_place(seat: Seat, phase: str, epoch: int | None) -> str:
    """Say where the target's code was called: ", while building", or ", by a second object, epoch 1"."""
    during = {"build": "while building", "len": "in len()"}.get(phase, "")
    words = during or EXPERIMENTS.get(seat.experiment, "")
    return f"{f', {words}' if words else ''}{in_epoch(epoch)}"
