"""The process groups of one run: which worlds take part, opened when they are needed, and what they bring.

Called by ``carry_out``. Worlds are opened through an opener that is handed in, so that anything
that keeps the protocols of ``worlds`` can stand in for them. The traces of the comparison world bring along
how the same case went in other worlds, their twins, with which laws compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from samplercheck.engine._early import Asked, EarlyWorld
from samplercheck.engine._judging import met_deadline
from samplercheck.experiments import AFRESH
from samplercheck.laws.law import Scope
from samplercheck.laws.twins import ALIKE
from samplercheck.search.profiles import Profile
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.errors import TargetError, UsageError
from samplercheck.values.trace import Trace
from samplercheck.worlds import (
    ATTACHED,
    GROUPS,
    GroupWorld,
    SeparateWorld,
    Spare,
    World,
    check_world,
    settings_for,
)
from samplercheck.worlds.in_rank.deadlines import Deadlines

AUTO = ("simulated", "gloo")
FRESH: dict[str, Any] = {"hash_seed": 1, "reverse": True}
"""Processes that differ from the others in what must not matter."""
COMPARED_WHEN_FRESH = ALIKE
ONLY_IN_GROUPS = ("in_step",)


@dataclass(frozen=True, slots=True)
class RunPlaces:
    """Where a run takes place: searched in simulation or not, and in which process groups.

    Without ``cases`` the groups are only used for what simulation cannot carry. One that is ``attached`` to a
    job takes place in its ranks alone; where it ``gathers`` by files, they have no group.
    """

    simulated: bool
    groups: tuple[str, ...]
    cases: int
    attached: bool = False
    gathers: bool = False


def places_of(worlds: Iterable[str] | None, profile: Profile) -> RunPlaces:
    """Return where a run takes place that asks for these worlds; nothing asked for is "auto"."""
    asked = (worlds,) if isinstance(worlds, str) else tuple(worlds or ())
    names: list[str] = []
    for name in asked or ("auto",):
        names += AUTO if name == "auto" else [check_world(name)]
    if ATTACHED in names:
        if len(set(names)) > 1:
            raise UsageError(f"World {ATTACHED!r} is the ranks of a job alone: name no other beside it.")
        return RunPlaces(simulated=False, groups=(ATTACHED,), cases=profile.group_cases_asked, attached=True)
    groups = tuple(name for name in GROUPS if name in names)
    is_named = any(name in GROUPS for name in asked)
    cases = profile.group_cases_asked if is_named else profile.group_cases
    return RunPlaces("simulated" in names, groups, cases if groups else 0)


def with_groups(scope: Scope) -> Scope:
    """Return what is known of a target in a run in which process groups take part."""
    return replace(scope, traits=scope.traits | {"groups"})


class Groups:
    """Opens worlds of process groups, closed with the run; ``absent`` says why one carries nothing."""

    def __init__(
        self, places: RunPlaces, binding: Binding, opener: Callable[..., Any], settings: Mapping[str, Any]
    ) -> None:
        self.places = places
        self.absent: dict[str, str] = {}
        self._binding = binding
        self._opener = opener
        self._settings = settings
        self._opened: dict[tuple[str, tuple[Any, ...]], GroupWorld | None] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Groups:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, *, fresh: bool) -> None:
        """Begin to start what will be needed, so that it is ready when the small scope is done."""
        if self.places.cases:
            for name in self.places.groups:
                self.world(name)
            if fresh:
                self.fresh()

    def world(self, name: str) -> GroupWorld | None:
        """Return a world that takes part, opened and with the target under way to it, or None."""
        return self._world(name, {})

    def fresh(self, *, lists_alike: bool = True) -> GroupWorld | None:
        """Return a world of other processes: another hash seed, another order of starts and files.

        All of its processes list files in one order; unless ``lists_alike``, that is not the order of others.
        """
        if self.places.attached:
            return None
        there = [name for name in self.places.groups if self.world(name) is not None]
        others = FRESH if lists_alike else {**FRESH, "reverse": False}
        return self._world(there[0], others) if there else None

    def another(self, name: str) -> GroupWorld | None:
        """Return a world like that of this name, in whose processes nothing has run."""
        return self._open_world(name, {})

    def begin(self, name: str, binding: Binding, asked: Sequence[Asked], kind: str, *, fresh: bool) -> None:
        """Begin to carry out cases before they are asked for, in one world and, ``fresh``, beside it."""
        compared = [case for case, names in asked if set(COMPARED_WHEN_FRESH) <= set(names)]
        alike = [(case, COMPARED_WHEN_FRESH) for case in compared]
        for world, its in ((self.world(name), asked), (self.fresh() if fresh else None, alike)):
            if isinstance(world, EarlyWorld):
                world.begin(binding, its, kind)

    def hurry(self, deadlines: Deadlines) -> None:
        """Wait no longer than this for any rank from now on."""
        self._settings = {**self._settings, "deadlines": deadlines}
        for world in self._opened.values():
            if world is not None:
                world.hurry(deadlines)

    def room_for(self, case: Case) -> GroupWorld | None:
        """Return the first world that can carry a case, None where there is none."""
        for name in self.places.groups:
            world = self.world(name)
            if world is not None and case.world_size <= world.most_ranks:
                return world
        return None

    @property
    def most_ranks(self) -> int:
        """The largest world that any of those opened until now carries."""
        return max((world.most_ranks for world in self._opened.values() if world is not None), default=0)

    def _world(self, name: str, others: dict[str, Any]) -> GroupWorld | None:
        key = name, tuple(others.values())
        if key not in self._opened:
            self._opened[key] = self._open_world(name, others)
        return self._opened[key]

    def _open_world(self, name: str, others: dict[str, Any]) -> GroupWorld | None:
        settings = settings_for(name, self._settings)
        opened: GroupWorld = self._opener(name, **settings, **others)
        world = self._stack.enter_context(EarlyWorld(opened) if isinstance(opened, SeparateWorld) else opened)
        if world.unavailable:
            self.absent[name] = world.unavailable
            return None
        try:
            world.prepare(self._binding)
        except TargetError as error:
            if not self.places.simulated:
                raise
            self.absent[name] = str(error)
            return None
        return world


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
        if self._simulated is None or met_deadline(real):
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
