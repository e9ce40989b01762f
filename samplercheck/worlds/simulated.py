"""The simulated world: all ranks in one thread of this process, one after the other.

Opened by the engine through ``open_world``. ``torch.distributed`` is really initialised, through a
backend registered with its public API, so a target finds its rank the way it does in training.
Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.distributed as dist

from samplercheck.experiments import ACTIONS, SCREENED, SKETCHED
from samplercheck.experiments.few_ranks import BY_FEW, ranks_that_repeat, repeat_as_usual
from samplercheck.experiments.passes import ask_lengths_alone
from samplercheck.experiments.screened import is_worth_it
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped, fault_between_calls
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.errors import WorldError
from samplercheck.values.record import Fault, Record
from samplercheck.values.stream import add_up_tables
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare
from samplercheck.worlds._long_passes import trace_case
from samplercheck.worlds.in_rank.ambient import AmbientGenerators, RestoredGenerators
from samplercheck.worlds.in_rank.deadlines import DeadlineExceeded, Deadlines
from samplercheck.worlds.in_rank.guard import ProcessGuard
from samplercheck.worlds.in_rank.surroundings import Surroundings, node_size_of
from samplercheck.worlds.processes.black_box import NOTHING, BlackBox
from samplercheck.worlds.simulation.collective_log import CollectiveLog, Suspended
from samplercheck.worlds.simulation.collectives import SimulatedGroup
from samplercheck.worlds.simulation.known_faults import KnownFaults
from samplercheck.worlds.simulation.lockstep import Lockstep
from samplercheck.worlds.simulation.opening import StandIns, open_group

USUAL, LENGTHS = "epochs", "lengths"
MOST_UNLIKE = 5
"""Screening that showed something so often is left out: the experiments are run one by one anyway."""


class SimulatedWorld:
    """Carries experiments to simulated ranks; a context manager that leaves no mark on the process.

    ``only`` are the ranks that are run of each case, None for all; those of targets with collectives are all.
    """

    name = "simulated"
    notes: Sequence[str] = ()

    def __init__(
        self,
        deadlines: Deadlines | None = None,
        give_up: Callable[[str], None] | None = None,
        *,
        black_box: BlackBox | None = None,
        careful: bool = False,
        known: KnownFaults | None = None,
        screens: bool = True,
    ) -> None:
        self.guard = ProcessGuard(deadlines or Deadlines(), give_up, black_box, careful=careful)
        self.actions: Mapping[str, Callable[[Seat], None]] = ACTIONS
        self._box = black_box
        self._known = known
        self.only: frozenset[int] | None = None
        self._ambient = AmbientGenerators()
        self._log = CollectiveLog()
        self._stand_ins = StandIns()
        self._group: SimulatedGroup | None = None
        self._generators = RestoredGenerators()
        self._spares, self._by_two, self._settled = True, False, set[str]()
        self._unlike = 0 if screens else MOST_UNLIKE  # so often did screening show something

    def __enter__(self) -> SimulatedWorld:
        if dist.is_initialized():
            raise WorldError(
                "World 'simulated' needs torch.distributed for itself, and this process has initialised it. "
                "Call torch.distributed.destroy_process_group() first, or run with isolate=True."
            )
        self._generators.__enter__()
        self._threads = torch.get_num_threads()
        torch.set_num_threads(1)  # passes are short, and on a busy machine threads wait for each other
        self._surroundings = Surroundings()
        self._stand_ins.install()
        self.guard.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._close_group()
        finally:
            self._stand_ins.remove()
            self.guard.__exit__()
            self._surroundings.restore()
            torch.set_num_threads(self._threads)
            self._generators.__exit__()

    def trace(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "", spare: Spare = "usual"
    ) -> Trace:
        """Run the experiments in every rank of one case and return what they recorded.

        To ``spare`` none is what a group of processes does, with which the trace is then compared.
        """
        self._spares, self._by_two = spare != "none" and self.guard.stepping is None, spare == "most"
        known = None if self._known is None else self._known.trace(binding, case, experiments, kind)
        return trace_case(self._trace, binding, case, experiments, kind) if known is None else known

    def _trace(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
        if self._box is not None:
            self._box.enter_case(case, experiments)
        self._open_group(case.world_size)
        self.guard.set_length(case.length * binding.contract.repeats)
        records: dict[str, list[Record]] = {name: [] for name in experiments}
        faults: list[Fault] = []
        some = ranks_that_repeat(case, binding.contract, by_two=self._by_two) if self._spares else None
        self._settled = set()
        try:
            for rank in range(case.world_size) if self.only is None else sorted(self.only):
                if self.only is not None:
                    _fill(records, rank - 1)
                self._put(rank, case.world_size)
                self._log.begin(rank)
                found = self._sit(binding, case, rank, records, repeats=some is None or rank in some)
                if self._log.is_stopped:
                    return self._in_lockstep(binding, case, experiments, kind)
                faults += found
                if SKETCHED in records and binding.contract.sharding == "ranks":
                    add_up_tables(records[SKETCHED])
                if found:
                    _fill(records, rank)
                    if found[-1].kind == "deadline":
                        break
        finally:
            self._surroundings.tidy()
            self.guard.end_case()
        if self.only is not None or (faults and faults[-1].kind == "deadline"):
            _fill(records, case.world_size - 1)
        trace = Trace(case, binding.contract, records, kind=kind, faults=faults, named=binding.named)
        trace.seen = self.only
        return trace

    def _put(self, rank: int, world_size: int) -> None:
        """Let this process be a rank of a world, for its group and its environment."""
        self._open_group(world_size)  # the rank before may have closed it, or opened one of its own
        self._log.place = rank
        self._surroundings.place(rank, world_size, node_size_of(world_size))

    def _sit(
        self, binding: Binding, case: Case, rank: int, records: dict[str, list[Record]], *, repeats: bool
    ) -> list[Fault]:
        """Run one rank's experiments one after the other; a fault ends its own, and a final one all."""
        shared = binding.contract.ambient_rng == "shared"
        self._ambient.enter(case, rank, shared=shared, seldom=self._spares)
        seat = Seat(binding, case, rank, guard=self.guard, ambient=self._ambient, pass_through=(Suspended,))
        seat.settled, seat.put = self._settled if self._spares else None, self._put
        seat.by_two = self._spares and self._by_two
        faults: list[Fault] = []
        self.guard.attend(on=True)
        try:
            self._run_all(seat, records, faults, repeats=repeats)
        except DeadlineExceeded as error:
            faults.append(fault_between_calls(seat, error))
        except Suspended:
            pass
        finally:
            self.guard.attend(on=False)
        if self._log.is_stopped or not self._ambient.came_too_late:
            return faults
        for kept in records.values():  # once in the life of a world
            del kept[rank:]
        self._settled.clear()
        return self._sit(binding, case, rank, records, repeats=repeats)

    def _run_all(
        self, seat: Seat, records: dict[str, list[Record]], faults: list[Fault], *, repeats: bool
    ) -> None:
        """Run the experiments, but for those that are known to show the usual passes.

        A rank that does not ``repeat`` is taken to yield the same as in its usual epochs.
        """
        usual: Record | None = None
        seat.asked = records.keys()
        for number, (name, kept) in enumerate(records.items()):
            if name in seat.known:
                kept.append(seat.known[name])
                continue
            if not repeats and name in BY_FEW and usual is not None:
                kept.append(repeat_as_usual(kept[0], usual))
                continue
            if self._box is not None:
                self._box.at(seat.rank, number)
            kept.append(seat.start(name))
            is_brief = not repeats and name == LENGTHS and usual is not None
            try:
                (ask_lengths_alone if is_brief else self.actions[name])(seat)
            except Stopped as stopped:
                faults.append(stopped.fault)
                if stopped.fault.is_final:
                    return
            if name == USUAL:
                usual = kept[-1]
                if repeats and self._unlike < MOST_UNLIKE and is_worth_it(seat):
                    self._screen(seat)

    def _screen(self, seat: Seat) -> None:
        """Let one object stand for seven experiments, unless that shows nothing again and again, or hangs."""
        seat.start(SCREENED)
        if self._box is not None:
            self._box.at(seat.rank, NOTHING)
        try:
            self.actions[SCREENED](seat)
            self._unlike += not seat.known
        except Stopped:  # the experiment that hung will say so
            self._unlike = MOST_UNLIKE

    def _in_lockstep(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
        """Run the case again, from collective to collective, now that a rank has reached one."""
        lockstep = Lockstep(
            binding=binding,
            case=case,
            actions=self.actions,
            log=self._log,
            guard=self.guard,
            ambient=self._ambient,
            surroundings=self._surroundings,
            open_group=self._open_group,
            announce=None if self._box is None else self._box.at,
        )
        try:
            trace = lockstep.trace(experiments, kind)
        except BaseException:
            self._close_group()
            raise
        if not trace.is_whole:
            self._close_group()  # a rank may have been stopped in the middle of torch's own bookkeeping
        return trace

    def _open_group(self, world_size: int) -> SimulatedGroup:
        group = self._group
        is_open = dist.group.WORLD is group
        if group is not None and is_open and group.size() == world_size:
            return group
        self._close_group()
        opened = self._group = open_group(world_size, self._log)
        return opened

    def _close_group(self) -> None:
        if dist.is_initialized():
            dist.destroy_process_group()
        self._group = None


def _fill(records: dict[str, list[Record]], rank: int) -> None:
    """Give the ranks up to this one an empty record of what they did not come to: a place is a rank."""
    for kept in records.values():
        kept.extend(Record() for _ in range(rank + 1 - len(kept)))
