"""Laws that want cases of their own: the phases that make those cases and judge by those laws alone.

Called by the phases of a search. What such a law wants costs too much to be asked of every small case.
"""

from __future__ import annotations

import time
from typing import Any

from samplercheck.engine._search import Search
from samplercheck.laws.law import Law, goes_through_a_loader, has_workers, is_patient
from samplercheck.search.loading import cases_with_workers
from samplercheck.search.patient import patient_cases
from samplercheck.search.profiles import Profile
from samplercheck.values.case import Case
from samplercheck.values.wording import pluralise

Options = tuple[tuple[tuple[str, Any], ...], ...]


def workers_phase(search: Search, profile: Profile, options: Options) -> None:
    """Run a few cases through a DataLoader with workers: each of them costs as much as many small cases."""
    laws = tuple(law for law in search.laws if law.wants is has_workers)
    if not laws or search.has_given_up:
        return
    loads = goes_through_a_loader(search.scope)
    may_spawn = profile.spawns and search.binding.contract.spawn
    spawns = loads and may_spawn and "own_loader" not in search.scope.traits
    cases = cases_with_workers(search.binding, options, loads=loads, spawns=spawns)
    spawned = ", and 1 spawned" if spawns else ""
    scope = f"few cases with 1 to {max(case.workers for case in cases)} forked workers{spawned}, "
    scope += f"for {_codes(laws)}; without workers anywhere else"
    with search.judging(laws):
        search.phase("workers", scope, cases, len(cases), counts=False, beat=1)


def frequencies_phase(search: Search, profile: Profile, options: Options) -> None:
    """Gather evidence about frequencies, more and more epochs for the laws that are not broken yet."""
    laws = tuple(law for law in search.laws if law.wants is is_patient)
    if not laws or search.has_given_up:
        return
    started, done = time.monotonic(), 0
    # Between two collectives a simulated rank is run from its start: only the shortest of those cases.
    patience = profile.patience[:1] if search.uses_collectives else profile.patience
    planned = len(patience) * len(patient_cases(search.binding, options, 1))
    for epochs in patience:
        with search.judging(_laws_left(search, laws)):
            done += _try_cases(search, patient_cases(search.binding, options, epochs))
    scope = f"{pluralise(planned, 'case')} of {_join_numbers(patience)} epochs, for {_codes(laws)}"
    search.enter_phase("frequencies", scope, done, planned, started)


def _try_cases(search: Search, cases: tuple[Case, ...]) -> int:
    """Try the cases until the target has hung too often; return their number."""
    for done, case in enumerate(cases):
        if search.has_given_up:
            return done
        if search.laws:
            search.try_case(case, counts=False)
    return len(cases)


def _join_numbers(patience: tuple[int, ...]) -> str:
    """Return numbers of epochs as a sentence does."""
    *first, last = (f"{epochs:,}" for epochs in patience)
    return f"{' and '.join(filter(None, [', '.join(first), last]))}"


def _laws_left(search: Search, laws: tuple[Law, ...]) -> tuple[Law, ...]:
    return tuple(law for law in laws if search.ledger.pages[law.code].smallest is None)


def _codes(laws: tuple[Law, ...]) -> str:
    return ", ".join(law.code for law in laws)
