"""Telling cases: the few in which a contract that is to be proposed would show that it does not hold.

Read by ``_proposing``, which judges them once, under the contract that small cases have left, and by the
judge of contracts. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from samplercheck.engine.contracts._coverage import BATCH, RANKS, UNEVEN
from samplercheck.engine.contracts._orders import usual_length
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.search.axes import Options, batch_of
from samplercheck.search.numbers import cases_beyond_numbers
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.search.special import (
    DRAWN,
    SURELY,
    cases_with_workers,
    long_cases,
    patient_cases,
    wide_cases,
)
from samplercheck.targets.binding import Binding
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_EPOCHS

LONGEST, WIDEST = 8, 3
EPOCHS, SHORTEST = 3, 4
MOST_DROPPED = {"length": 11, "world_size": 4}
"""Three samples are dropped, and as many at most are of one length."""
PLAIN = tuple(
    Case(length=length, world_size=ranks, features=(("labels", (0,) * length),))
    for ranks, length in product(range(1, RANKS + 1), range(2, UNEVEN + 1, 3))
)
"""Cases in which no label is rare, so that nothing is to be balanced."""


def telling_cases(
    what: Target, scope: Scope, options: Options, *, is_dear: bool = False, is_long: bool = False
) -> list[Case]:
    """Return cases that show what few small ones cannot: laps, epochs, what is dropped, borders, a worker.

    Of what ``is_dear`` to run the worker alone; ``is_long`` asks for one of thousands of samples, too.
    """
    if "collectives" in scope.traits:
        return []
    binding = what.bind()
    binding.own_batch = scope.own_batch
    ranks = 1 if what.contract.sharding == "none" else RANKS - 1
    workers = _cases_of_a_worker(binding, options) if goes_through_a_loader(scope) else []
    if is_dear:
        return workers

    def case(length: int, world_size: int, asked: int = 1, **others: Any) -> Case:
        size = batch_of(binding, asked, world_size)
        usual = {"shuffle": "shuffle" in scope.named, "options": options[0], "epochs": MANY_EPOCHS}
        return Case(length=length, world_size=world_size, batch_size=size, **{**usual, **others})

    # A walk whose laps are shuffled comes to every sample some time, however ranks share its later laps.
    goes_on_in_order = what.contract.endless and "shuffle" in scope.named
    cycle = what.contract.cycle
    shortest = max(SHORTEST, ranks * batch_of(binding, 1, ranks))
    return [
        case(shortest, ranks),
        case(usual_length(scope), 1),
        *([case(shortest, ranks, shuffle=False)] if goes_on_in_order else ()),
        *([case(shortest + 1, ranks)] if what.contract.endless and ranks > 1 else ()),
        *([case(**MOST_DROPPED, drop_last=True)] if ranks > 1 and "drop_last" in scope.named else ()),
        *([case(usual_length(scope) - 1, ranks, epochs=2 * cycle)] if cycle > 1 else ()),
        case(2 * usual_length(scope) * ranks + ranks, ranks, BATCH, epochs=EPOCHS),
        *cases_beyond_numbers(binding, options)[:1],
        *(_long_cases(binding, options) if is_long else ()),
        *workers,
    ]


def few_cases(binding: Binding, options: Options, few: int) -> tuple[Case, ...]:
    """Return cases of the small scope, spread over it: boundaries lie everywhere in it."""
    scope = scope_of(binding, find_profile("quick"), options)
    longest = LONGEST if binding.own_batch.size <= LONGEST else scope.lengths[-1]
    near = [one for one in scope.cases() if 0 < one.length <= longest and one.world_size <= WIDEST]
    every = max(1, -(-len(near) // few))
    return tuple(near[::every])


def list_with_workers(
    binding: Binding, scope: Scope, laws: Iterable[Law], options: Options
) -> tuple[Case, ...]:
    """Return cases with workers, which share a stream or ask a sampler ahead; a loader's are few."""
    if not any(law.wants is has_workers for law in laws):
        return ()
    loads, streams = goes_through_a_loader(scope), "stream" in scope.traits
    if loads and not streams:
        return ()
    return cases_with_workers(binding, options[:1], loads=loads, streams=streams)


def _long_cases(binding: Binding, options: Options) -> tuple[Case, ...]:
    """Return a case of thousands of samples and, where each is to come in time, those of as many epochs.

    Those are many samples, and a few that leave a tail, of three labels, of which it may be the last one.
    """
    if not binding.contract.comes_in_time:
        return long_cases(binding, options)
    few = [case for case in patient_cases(binding, options[:1], SURELY) if case.length == DRAWN[-1][0]]
    return (*long_cases(binding, options), *wide_cases(binding, options, SURELY), *few)


def _cases_of_a_worker(binding: Binding, options: Options) -> list[Case]:
    """Return the case in which a worker that is kept shows that no epoch reaches it."""
    cases = cases_with_workers(binding, options[:1], loads=True)
    return [case for case in cases if case.workers == 1 and case.length > SHORTEST]
