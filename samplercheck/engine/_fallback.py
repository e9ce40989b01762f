"""The world that a run searches in: simulated ranks, and process groups for what those cannot carry.

Made by ``carry_out``. Once a target has been found hanging, it is waited for no longer than it has ever
needed: a first hang meets the whole deadline. What the target has taken until then for calls of the same kind
is known, so that any other hang costs seconds; where it never came back from such a call, a second whole
deadline is met first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from samplercheck.engine._groups import Groups
from samplercheck.engine._growth import Growth
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.trace import Trace
from samplercheck.values.wording import pluralise
from samplercheck.worlds import HomeWorld, Spare
from samplercheck.worlds.in_rank.deadlines import Deadlines

CERTAIN = 2

TOO_SLOW = "not tried: the target takes time that grows faster than the data, or too much for each sample"


class Patience:
    """Counts the hangs of a run and tells its worlds, once, how long to wait from then on."""

    def __init__(self, home: HomeWorld, tell_groups: Callable[[Deadlines], None]) -> None:
        self._guard = home.guard
        self._tell_groups = tell_groups
        self._phases: list[str] = []
        self._has_learnt = False

    def note(self, trace: Trace) -> None:
        """Learn from a trace in which a rank hung, or from the first one after it that comes back."""
        if self._has_learnt:
            return
        self._phases += [fault.phase for fault in trace.faults if fault.kind == "deadline"][:1]
        if len(self._phases) < CERTAIN and not any(map(self._guard.has_come_back, self._phases)):
            return
        self._has_learnt = True
        self._guard.deadlines = self._guard.learn_deadlines()
        self._tell_groups(self._guard.deadlines)


class WorldWithFallback:
    """The simulated world, which passes what it cannot carry on to a process group."""

    name = "simulated"

    def __init__(self, home: HomeWorld, groups: Groups) -> None:
        self.home = home
        self.guard = home.guard
        self.patience = Patience(home, groups.hurry)
        self.growth = Growth(home)
        self._groups = groups
        self._moved: dict[str, dict[Case, str]] = {}

    def forbids(self, case: Case) -> bool:
        """Whether a case is not run, because the target is too slow for it."""
        return self.growth.forbids(case)

    def trace(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "", spare: Spare = "usual"
    ) -> Trace:
        """Run the experiments in simulation or, where it says that it cannot, in a process group.

        A case that is not run at all, because it has ended this process before or because the target is too
        slow for it, has no world.
        """
        if self.growth.forbids(case):
            return leave_out(binding, case, experiments, kind)
        trace = self.home.trace(binding, case, experiments, kind, spare)
        if trace.faults and self.growth.explains(binding, trace):
            return leave_out(binding, case, experiments, kind)
        self.patience.note(trace)
        if not trace.not_carried or not trace.world:
            return trace
        world = self._groups.room_for(case)
        if world is None:
            return trace
        real = world.trace(binding, case, experiments, kind)
        self.patience.note(real)
        if not real.not_carried:
            self._moved.setdefault(world.name, {})[case] = trace.not_carried
        return real

    @property
    def has_moved(self) -> bool:
        """Whether any case was passed on."""
        return bool(self._moved)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what was passed on, and why the first of it was."""
        return tuple(
            f"{pluralise(len(moved), 'case')} ran in {name} instead of simulation: "
            f"{next(iter(moved.values()))}"
            for name, moved in self._moved.items()
        )


def leave_out(binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
    """Return the trace of a case that is too long for the target to be tried with."""
    return Trace(
        case,
        binding.contract,
        {name: [] for name in experiments},
        kind=kind,
        named=binding.named,
        not_carried=TOO_SLOW,
        world="",  # what is not run is not for another world to carry
    )
