"""The comparison world: its traces bring along how the same case went in other worlds, their twins.

Used by the engine for process groups. Laws compare a trace with its twins; evidence is gathered
through the same world, so that it has twins too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from samplercheck.experiments import AFRESH
from samplercheck.laws.twins import ALIKE
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.trace import Trace
from samplercheck.worlds import GroupWorld, Spare, World

COMPARED_WHEN_FRESH = ALIKE
ONLY_IN_GROUPS = ("in_step",)


class ComparisonWorld:
    """A world of process groups with the simulated one beside it and, where asked for, fresh processes.

    ``note`` hears of what is recorded in the groups. Attached to a job there is nothing beside it, and no
    twin of what is ``only_in_groups``.
    """

    def __init__(
        self,
        real: GroupWorld,
        simulated: World | None,
        fresh: GroupWorld | None,
        note: Callable[[Trace], None] = lambda _: None,
        *,
        only_in_groups: tuple[str, ...] = (),
    ) -> None:
        self._note, self._only_in_groups = note, (*ONLY_IN_GROUPS, *only_in_groups)
        self.name = real.name
        self._real = real
        self._simulated = simulated
        self._fresh = fresh

    @property
    def has_fresh(self) -> bool:
        """Whether there are fresh processes to compare with."""
        return self._fresh is not None

    def trace(
        self,
        binding: Binding,
        case: Case,
        experiments: Sequence[str],
        kind: str = "",
        spare: Spare = "usual",  # noqa: ARG002  (nothing is left out where ranks are real)
    ) -> Trace:
        """Run the experiments in the process group and return its trace with its twins.

        A case with a fault in what is compared gets no fresh twin, and one that hung none at all: it would
        hang once more. What was stopped and saved in the group is resumed in the fresh processes.
        """
        real = self._real.trace(binding, case, experiments, kind)
        self._note(real)
        if self._simulated is None or any(fault.kind == "deadline" for fault in real.faults):
            return real
        both = tuple(name for name in experiments if name not in self._only_in_groups)
        twins = {"simulated": self._simulated.trace(binding, case, both, kind, spare="none")}
        can_compare = real.narrow(COMPARED_WHEN_FRESH).is_whole
        if self._fresh is not None and can_compare and set(COMPARED_WHEN_FRESH) <= set(experiments):
            twins["fresh"] = self._fresh.trace(binding, case, COMPARED_WHEN_FRESH, kind)
            saved = [record.notes.get("saved") for record in real.of("saved")]
            if saved and all(saved):
                going_on = copy(binding)
                going_on.saved = tuple(tuple(one) for one in saved if one)
                twins["resumed"] = self._fresh.trace(going_on, case, (AFRESH,), kind)
        real.twins = twins
        return real
