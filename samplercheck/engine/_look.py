"""A look: few cases judged one after the other, until a certain law is broken.

Called where it is known what should be found: for planted faults, when the kit tests itself, and where a
process warms up. Nothing is explained, stored or reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from samplercheck.engine._ledger import Ledger
from samplercheck.engine._search import Search
from samplercheck.laws.law import PATIENT, Law, Scope, goes_through_a_loader, has_workers
from samplercheck.laws.selection import select_laws
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import Profile
from samplercheck.search.small_scope import scope_of
from samplercheck.search.special import cases_with_workers, patient_cases
from samplercheck.targets.binding import Binding
from samplercheck.targets.target import as_target
from samplercheck.values.case import Case
from samplercheck.worlds import World

LONGEST, WIDEST, EPOCHS = 8, 3, 3
LONGER = 24
"""In passes of so many samples a law sees what the smallest subsets and steps have no room for."""


def look(
    world: World,
    binding: Binding,
    scope: Scope,
    laws: tuple[Law, ...],
    cases: Iterable[Case],
    *,
    until: str = "",
) -> Ledger:
    """Try cases in order by the laws that apply, strict ones too; stop once ``until`` is broken."""
    search = Search(world, binding, scope, tuple(law for law in laws if law.applies(scope)), strict=True)
    page = search.ledger.pages.get(until)
    for case in cases:
        if search.has_given_up or (page is not None and page.smallest is not None):
            break
        search.try_case(case, counts=True)
    return search.ledger


def cases_to_look_at(law: Law, binding: Binding, profile: Profile, scope: Scope) -> Iterable[Case]:
    """Return the cases in which a law would show first: small and longer ones, or those that it wants."""
    options = combinations(binding.axes, 0)
    few = (options[0], options[-1]) if len(options) > 1 else options
    if law.wants in PATIENT:
        return (case for epochs in profile.patience for case in patient_cases(binding, few, epochs))
    if law.wants is has_workers:
        return cases_with_workers(binding, few, loads=goes_through_a_loader(scope))
    small = replace(profile, longest=LONGEST, widest=WIDEST, batches=(1, 2), seeds=(0,), epochs=EPOCHS)
    grid = scope_of(binding, small, few, collectives="collectives" in scope.traits)
    longer = replace(grid, longest=LONGER)
    return chain(grid.cases(), (case for case in longer.cases() if case.length == longer.lengths[-1]))


def warm_up(world: World) -> None:
    """Look at torch's own sampler, in a process that has nothing to do yet: what comes first is slow."""
    from torch.utils.data import DistributedSampler

    binding = as_target(DistributedSampler).bind()
    scope = Scope(contract=binding.contract, named=binding.named, kind="samples", traits=frozenset({"len"}))
    cases = [Case(length=LONGEST, world_size=2, shuffle=shuffle) for shuffle in (False, True)]
    laws = tuple(law for law in select_laws()[0] if not law.advice)  # evidence for advice would take longest
    look(world, binding, scope, laws, cases)
