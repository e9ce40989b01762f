"""Lockstep: a case whose ranks use collectives, run by deterministic re-execution.

Called by the simulated world when a rank has reached a collective. Every rank is run from the start
of an experiment to its next collective; when all members of a group wait in it, the results are
computed and the ranks run anew with them. Ranks that wait for one another for ever are found at
once. Imports torch, through the desk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.experiments import ACTIONS
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped, fault_between_calls
from samplercheck.record import Record
from samplercheck.trace import Trace
from samplercheck.words import in_epoch
from samplercheck.worlds.in_rank.guard import DeadlineExceeded
from samplercheck.worlds.simulation.desk import ELSEWHERE, Suspended
from samplercheck.worlds.simulation.progress import Standing, told
from samplercheck.worlds.simulation.results import Disagreement, results

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.record import Fault
    from samplercheck.worlds.in_rank.ambient import AmbientGenerators
    from samplercheck.worlds.in_rank.guard import ProcessGuard
    from samplercheck.worlds.in_rank.surroundings import Surroundings
    from samplercheck.worlds.simulation.desk import Desk

__all__ = ["Lockstep"]

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
    "randomness, the clock or state kept between runs decides it."
)
SEEDS = 2**63


class Lockstep:
    """Runs one case, experiment by experiment, all ranks from collective to collective."""

    def __init__(
        self,
        binding: Binding,
        case: Case,
        *,
        desk: Desk,
        guard: ProcessGuard,
        ambient: AmbientGenerators,
        surroundings: Surroundings,
        reopen: Callable[[int], Any],
        announce: Callable[[int, int], None] | None = None,
    ) -> None:
        self.binding = binding
        self.case = case
        self._desk = desk
        self._guard = _NotingGuard(guard)
        self._ambient = ambient
        self._surroundings = surroundings
        self._reopen = reopen
        self._announce = announce
        self._replayed = 0
        self._deadlock = ""
        self._not_carried = ""

    def trace(self, experiments: Sequence[str], kind: str = "") -> Trace:
        """Run the experiments; the first that a fault or a deadlock ends is the last."""
        records: dict[str, list[Record]] = {name: [] for name in experiments}
        faults: list[Fault] = []
        for number, name in enumerate(experiments):
            standings = self._play(name, number)
            records[name] = [standing.record for standing in standings]
            faults = [standing.fault for standing in standings if standing.fault is not None]
            if faults or self._deadlock or self._not_carried:
                break
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

    def _play(self, experiment: str, number: int) -> list[Standing]:
        """Run one experiment in all ranks, as far as it goes."""
        place = list(ACTIONS).index(experiment)
        # Each experiment meets its ranks' generators in another state, as it does in the fast path.
        ambient_case = self.case.but(seed=(self.case.seed + 7 * place) % SEEDS) if place else self.case
        standings = [Standing(rank) for rank in range(self.case.world_size)]
        running = standings
        while running:
            for standing in running:
                if self._announce is not None:
                    self._announce(standing.rank, number)
                self._run(standing, experiment, ambient_case)
                if self._not_carried or (standing.fault is not None and standing.fault.kind == "deadline"):
                    return standings
            running = self._answer(standings)
        if experiment in UNEVEN and self._deadlock:
            self._deadlock = ""
            for standing in standings:
                standing.record = Record()
        return standings

    def _run(self, standing: Standing, experiment: str, ambient_case: Case) -> None:
        """Run one rank from the start of the experiment to its next collective, or to its end."""
        self._replayed += standing.cost
        if self._replayed > MOST_REPLAYED:
            self._not_carried = (
                f"Experiment {experiment!r} uses more collectives than the {len(standing.answers)} that were "
                f"carried out: simulation runs every rank anew for each of them. {ELSEWHERE}"
            )
            return
        seat = self._seated(standing, ambient_case)
        standing.record = seat.start(experiment)
        suspended, fault = False, None
        self._guard.attend(on=True)
        try:
            ACTIONS[experiment](seat)
        except Stopped as stopped:
            fault = stopped.fault
        except DeadlineExceeded as error:
            fault = fault_between_calls(seat, error)
        except Suspended:
            suspended = True
        finally:
            self._guard.attend(on=False)
            self._surroundings.tidy(standing.rank, self.case.world_size, thoroughly=True)
        self._judge(standing, fault, suspended=suspended)

    def _seated(self, standing: Standing, ambient_case: Case) -> Seat:
        """Prepare a rank as if its process had just been started."""
        case, rank = self.case, standing.rank
        self._reopen(case.world_size)
        self._desk.begin(rank, standing.answers)
        self._surroundings.place(rank, case.world_size)
        self._ambient.enter(ambient_case, rank, shared=self.binding.contract.ambient_rng == "shared")
        return Seat(
            self.binding,
            case,
            rank,
            guard=self._guard,
            ambient=self._ambient,
            pass_through=(Suspended,),
            in_step=True,
        )

    def _judge(self, standing: Standing, fault: Fault | None, *, suspended: bool) -> None:
        """Take down how a run ended: at a collective, at its end, or as simulation cannot carry it."""
        turn, rank = self._desk.turn, standing.rank
        if turn.problem:
            self._not_carried = turn.problem
        elif turn.waiting is not None and not suspended:
            self._not_carried = f"Rank {rank} {SWALLOWED.format(name=turn.waiting.name)} {ELSEWHERE}"
        elif turn.waiting is not None:
            standing.waiting = turn.waiting
            standing.where = self._guard.where
        elif turn.used < len(turn.answers):
            ended = ENDED_EARLY.format(known=len(turn.answers), used=turn.used)
            self._not_carried = f"Rank {rank} {ended} {ELSEWHERE}"
        else:
            standing.fault = fault
            standing.record.notes["collectives"] = len(turn.answers)

    def _answer(self, standings: list[Standing]) -> list[Standing]:
        """Complete every collective in which its whole group waits; return the ranks that go on."""
        groups: dict[tuple[tuple[int, ...], int], list[Standing]] = {}
        for standing in standings:
            if standing.waiting is not None:
                key = (standing.waiting.members, standing.waiting.number)
                groups.setdefault(key, []).append(standing)
        going: list[Standing] = []
        for (members, _), asking in groups.items():
            if len(asking) == len(members) and not self._complete(asking):
                return []
            going += [standing for standing in asking if standing.waiting is None]
        if groups and not going:
            self._stand_still(standings, len(groups))
        return going

    def _complete(self, asking: list[Standing]) -> bool:
        """Give all members of a group their results; False when they have called different things."""
        requests = [standing.waiting for standing in asking if standing.waiting is not None]
        requests.sort(key=lambda request: request.place)
        try:
            given = results(requests)
        except Disagreement:
            self._deadlock = told(asking)
            return False
        except RuntimeError as error:  # torch's: this type of tensor cannot be reduced so
            self._not_carried = f"{told(asking)}, which simulation cannot compute ({error}). {ELSEWHERE}"
            return False
        for standing in asking:
            assert standing.waiting is not None
            standing.answered((standing.waiting, given[standing.waiting.place]))
        return True

    def _stand_still(self, standings: list[Standing], groups: int) -> None:
        """No collective can be completed any more."""
        text = told(standings)
        if groups > 1 and any(one.waiting is not None and one.waiting.asynchronous for one in standings):
            # A real rank goes on after async_op=True and may reach the group in which the others wait.
            self._not_carried = (
                f"{text}, some of them with async_op=True, which simulation completes at once. {ELSEWHERE}"
            )
        else:
            self._deadlock = text


class _NotingGuard:
    """Passes everything to the world's guard and remembers where the seat is."""

    def __init__(self, guard: ProcessGuard) -> None:
        self._guard = guard
        self._now: tuple[Any, ...] = ()
        self.rest = guard.rest
        self.is_deadline = guard.is_deadline
        self.reraise = guard.reraise
        self.stepping = guard.stepping
        self.attend = guard.attend
        self.stretch = guard.stretch

    def watch(self, seat: Seat, phase: str, epoch: int | None, items: array[int] | None) -> None:
        """Say that the target's code begins to run."""
        self._now = (seat.experiment, phase, epoch)
        self._guard.watch(seat, phase, epoch, items)

    @property
    def where(self) -> str:
        """Where the target's code was last called: "experiment 'epochs', epoch 1"."""
        experiment, phase, epoch = self._now
        during = {"build": ", while building", "len": ", in len()"}.get(phase, "")
        return f"experiment {experiment!r}{during}{in_epoch(epoch)}"
