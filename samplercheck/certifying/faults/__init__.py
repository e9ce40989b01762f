"""Faults: whether this kit would have noticed, had this target been wrong.

Known faults are planted into a target, one after the other, and judged by the laws of the run. Each is
aimed at one law, which must see it. Called by ``examine`` and by the kit's selftest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from torch.utils.data import IterableDataset

from samplercheck.certifying.faults import ranks, resuming, reuse, yields
from samplercheck.certifying.faults.mutant import KnownFault, MutantFactory
from samplercheck.engine import cases_to_look_at, look
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.law import Law, Scope
from samplercheck.search.profiles import Profile
from samplercheck.targets.splitters import Split
from samplercheck.targets.target import Target
from samplercheck.worlds import World

KNOWN_FAULTS: tuple[KnownFault, ...] = (
    *yields.FAULTS, *ranks.FAULTS, *reuse.EPOCH_FAULTS, *reuse.FAULTS, *yields.BATCH_FAULTS, *resuming.FAULTS,
)  # fmt: skip
"""Every fault that the kit can plant."""
STREAMS = {
    fault.kind: type(
        f"Streamed{fault.kind.__name__}", (fault.kind, IterableDataset), {"__module__": __name__}
    )
    for fault in KNOWN_FAULTS
    if not issubclass(fault.kind, IterableDataset)
}
"""The same mutants as streams, which they have to be for a DataLoader and for reading samples with parts."""
globals().update({kind.__name__: kind for kind in STREAMS.values()})  # where pickle finds them
LAWS = {law.code: law for law in ALL_LAWS}


@dataclass(frozen=True, slots=True)
class FaultResult:
    """What became of one planted fault: after how many cases, and in which, its law saw it; who else did."""

    fault: KnownFault
    cases: int
    case: str
    laws: tuple[str, ...]

    @property
    def is_caught(self) -> bool:
        """Whether the law that it is aimed at saw it."""
        return self.fault.aim in self.laws


def mark_splitter(target: Target, scope: Scope) -> Scope:
    """Return what is known of a target with what matters to faults alone: a splitter yields one step."""
    if not isinstance(target.factory, Split):
        return scope
    return replace(scope, traits=scope.traits | {"splitter"})


def select_faults(scope: Scope) -> tuple[KnownFault, ...]:
    """Return the faults that have an effect on such a target, by rule, before any is planted."""
    return tuple(fault for fault in KNOWN_FAULTS if fault.is_for(scope, LAWS))


def plant(
    faults: Iterable[KnownFault],
    target: Target,
    scope: Scope,
    world: World,
    laws: tuple[Law, ...],
    profile: Profile,
) -> Iterator[FaultResult]:
    """Plant each of the faults and say what ``laws`` make of it in few cases, the smallest first."""
    binding = target.bind()
    binding.own_batch = scope.own_batch
    for fault in faults:
        kind = STREAMS.get(fault.kind, fault.kind) if ranks.is_stream(scope) else fault.kind
        factory = MutantFactory(binding, kind)
        mutant = Target(factory=factory, name=target.name, contract=target.contract, axes=target.axes).bind()
        cases = cases_to_look_at(LAWS[fault.aim], binding, profile, scope)
        ledger = look(world, mutant, scope, laws, cases, until=fault.aim)
        page = ledger.pages.get(fault.aim)
        smallest = page.smallest if page is not None else None
        broken = tuple(result.law.code for result in ledger.broken)
        yield FaultResult(fault, len(ledger.small), smallest.case.token if smallest else "", broken)
