"""Sensitivity: whether this kit would have noticed, had this target been wrong.

Known faults are planted into the target itself, one after the other, and judged by the laws of the run.
Each is aimed at one law, which must see it. Called by ``examine``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from samplercheck.certifying.sensitivity import batches, epochs, ranks, resuming, reuse, yields
from samplercheck.certifying.sensitivity._mutant import Planting
from samplercheck.engine import cases_to_look_at, look
from samplercheck.laws import ALL_LAWS
from samplercheck.splitters import Split
from samplercheck.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.binding import Binding
    from samplercheck.certifying.sensitivity._planted import Planted
    from samplercheck.laws.law import Law, Scope
    from samplercheck.search.profiles import Profile
    from samplercheck.worlds import World

__all__ = ["PLANTED", "Seen", "fitting", "plant", "told_apart"]

PLANTED: tuple[Planted, ...] = (
    *yields.FAULTS,
    *ranks.FAULTS,
    *epochs.FAULTS,
    *reuse.FAULTS,
    *batches.FAULTS,
    *resuming.FAULTS,
)
"""Every fault that the kit can plant."""
LAWS = {law.code: law for law in ALL_LAWS}


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of one planted fault: after how many cases, and in which, its law saw it; who else did."""

    fault: Planted
    cases: int
    case: str
    laws: tuple[str, ...]

    @property
    def is_caught(self) -> bool:
        """Whether the law that it is aimed at saw it."""
        return self.fault.aim in self.laws


def told_apart(target: Target, scope: Scope) -> Scope:
    """Return what is known of a target with what matters to faults alone: a splitter yields one step."""
    if not isinstance(target.factory, Split):
        return scope
    return replace(scope, traits=scope.traits | {"splitter"})


def fitting(scope: Scope) -> tuple[Planted, ...]:
    """Return the faults that have an effect on such a target, by rule, before any is planted."""
    return tuple(fault for fault in PLANTED if fault.is_for(scope, LAWS))


def plant(
    target: Target, scope: Scope, world: World, laws: tuple[Law, ...], profile: Profile
) -> Iterator[Seen]:
    """Plant each fault that fits and say what ``laws`` make of it in few cases, the smallest first."""
    binding = target.bind()
    for fault in fitting(scope):
        mutant = _planted(target, binding, fault)
        cases = cases_to_look_at(LAWS[fault.aim], binding, profile, scope)
        ledger = look(world, mutant, scope, laws, cases, until=fault.aim)
        page = ledger.pages.get(fault.aim)
        smallest = page.smallest if page is not None else None
        broken = tuple(one.law.code for one in ledger.broken)
        yield Seen(fault, len(ledger.small), smallest.case.token if smallest else "", broken)


def _planted(target: Target, binding: Binding, fault: Planted) -> Binding:
    factory = Planting(binding, fault.kind)
    return Target(factory=factory, name=target.name, contract=target.contract, axes=target.axes).bind()
