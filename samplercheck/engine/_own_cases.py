"""Laws that want cases of their own: the phases that make those cases and judge by those laws alone.

Called by the phases of a search. What such a law wants costs too much to be asked of every small case.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import shrinking
from samplercheck.laws import terminates
from samplercheck.laws.law import PATIENT, Law, always, can_resume, goes_through_a_loader, has_workers
from samplercheck.search.axes import Options
from samplercheck.search.dear import within
from samplercheck.search.frontier import describe_frontier, frontier_cases, sweep_cases
from samplercheck.search.numbers import (
    cases_about_budgets,
    cases_beyond_numbers,
    cases_of_far_labels,
    cases_of_full_bins,
)
from samplercheck.search.profiles import Profile
from samplercheck.search.special import (
    UNTIL_ALL_CAME,
    cases_of_epochs,
    cases_of_one_label,
    cases_with_workers,
    drawn_beyond_numbers,
    long_cases,
    patient_cases,
    wide_cases,
)
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_SAMPLES, far_epochs
from samplercheck.values.wording import join_words, pluralise

EPOCHS = ("epochs",)
SHARE_OF_NUMBERS = 4
"""Cases beyond the numbers in a target's code take no more than such a part of the frontier's time."""
DEAREST_OF_LONG = 16
"""What takes more times the usual for each sample is given no case of very many samples or epochs here."""


def workers_phase(search: Search, profile: Profile, options: Options) -> None:
    """Run a few cases through a DataLoader with workers: each of them costs as much as many small cases."""
    laws = tuple(law for law in search.laws if law.wants is has_workers)
    if not laws or search.has_given_up:
        return
    loads = goes_through_a_loader(search.scope)
    may_spawn = profile.spawns and search.binding.contract.spawn
    spawns = loads and may_spawn and "own_loader" not in search.scope.traits
    streams = loads and "stream" in search.scope.traits
    cases = cases_with_workers(search.binding, options, loads=loads, streams=streams, spawns=spawns)
    spawned = ", and 1 spawned" if spawns else ""
    scope = f"few cases with 1 to {max(case.workers for case in cases)} forked workers{spawned}, "
    scope += f"for {_codes(laws)}; without workers anywhere else"
    own = search.shard.select(cases)
    search.allow()
    with search.judging(laws):
        search.phase("workers", scope, own, len(own), counts=False, beat=1)
        if not loads and not any(search.ledger.pages[law.code].judged for law in laws):
            _try_cases(search, search.shard.select(cases_of_one_label(search.binding, options)))


def epochs_phase(search: Search, profile: Profile, options: Options) -> None:
    """Judge every law in few cases of many epochs, behind which far epochs are visited."""
    if search.has_given_up or not search.laws:
        return
    epochs = profile.patience[0]
    cases = cases_of_epochs(search.binding, options, epochs)
    far = [f"{epoch:,}" for case in cases[:1] for epoch in far_epochs(case, search.binding.contract)]
    far = far[:-1] if "near_epochs" in search.scope.traits else far
    scope = f"{pluralise(len(cases), 'case')} of {epochs} epochs"
    scope += f", then epochs {', '.join(far)}" if far else ""
    own = search.shard.select(cases)
    search.allow()
    with shrinking(search):
        search.phase("epochs", scope, own, len(own), counts=False, goes_beyond=True)


def frontier_phases(search: Search, profile: Profile, options: Options, seed: int, most_ranks: int) -> None:
    """Try the cases of the frontier: light ones by every law, heavy ones by those that read epochs alone."""
    search.allow(0)
    choose = partial(
        frontier_cases,
        search.binding,
        options,
        seed=seed,
        stops=can_resume(search.scope),
        collectives=search.uses_collectives,
    )
    chosen = choose(profile=profile)
    search.spares_samples |= chosen != choose(profile=replace(profile, frontier_total=sys.maxsize))
    ends = not (search.uses_collectives or search.binding.contract.endless)
    swept = sweep_cases(search.binding, options, profile, seed)[:: search.dear_pass] if ends else []
    if search.waits > 1:
        swept = within(swept, profile.frontier_total, search.binding.contract, profile.steep)
    beyond = cases_beyond_numbers(search.binding, options)
    affordable = profile.frontier_total // SHARE_OF_NUMBERS
    beyond = within(beyond, affordable, search.binding.contract, profile.steep)
    makers = cases_about_budgets, cases_of_full_bins, cases_of_far_labels
    above = [*(case for make in makers for case in make(search.binding, options)), *beyond]
    chosen = sorted({*chosen[0], *above}), sorted({*chosen[1], *swept}.difference(chosen[0]))
    light, heavy = ([case for case in cases if case.world_size <= most_ranks] for cases in chosen)
    narrow = tuple(law for law in search.laws if law.reads == EPOCHS and law.wants is always)
    # Where a fault hides all there is to judge in each small case, wide ones show nothing more.
    pages = [search.ledger.pages[law.code] for law in narrow]
    are_blocked = search.shard.is_whole and any(page.unjudged and not page.judged for page in pages)
    narrow = () if are_blocked else narrow
    light = [] if are_blocked and goes_on_for_ever(search) else light
    for name, cases, laws in (("frontier", light, search.laws), ("wide", heavy, narrow)):
        if not cases or not laws or search.has_given_up:
            continue
        own = search.shard.select(cases)
        few = () if laws is search.laws else EPOCHS
        with shrinking(search), search.judging(laws, experiments=few):
            describe = partial(describe_tried, search, len(search.course), cases)
            search.phase(name, describe, own, len(own), counts=False, goes_beyond=laws is search.laws)


def goes_on_for_ever(search: Search) -> bool:
    """Whether the target yields on in each small case: larger ones would only do so for longer."""
    blockers = {code for page in search.ledger.pages.values() for code in page.blockers}
    return blockers == {terminates.LAW.code}


def describe_tried(search: Search, before: int, cases: list[Case], label: str = "") -> str:
    """Return how far the cases that were tried reach, of those behind so many others; of a shard, all do."""
    tried = (case for case in search.course[before:] if case not in search.left_out)
    return label + describe_frontier(tried if search.shard.is_whole else cases)


def frequencies_phase(search: Search, profile: Profile, options: Options) -> None:
    """Gather evidence about frequencies, more and more epochs for the laws that are not broken yet.

    Beside them what has to be so in each epoch by itself is judged in the fewest of those many. That ranks
    draw apart wants as many even where nothing else does.
    """
    laws = tuple(law for law in search.laws if law.wants in PATIENT)
    each = tuple(
        law for law in search.laws if law.reads == EPOCHS and law.wants is always and not law.to_the_end
    )
    contract = search.binding.contract
    draws = contract.coverage == "sampled" and not search.is_of_loaders
    # Between two collectives a simulated rank is run from its start: only the shortest of those cases.
    if not (laws or (draws and each)) or search.has_given_up or search.uses_collectives:
        return
    search.allow()
    started, done = time.monotonic(), 0
    waits_long = bool(laws) and is_cheap(search) and "near_epochs" not in search.scope.traits
    patience = profile.patience[1:] if waits_long else profile.patience[1:2]
    if (contract.comes_in_time or draws) and waits_long:
        patience = tuple(dict.fromkeys((*patience, UNTIL_ALL_CAME)))
    whole = [patient_cases(search.binding, options, epochs) for epochs in patience]
    if contract.comes_in_time:  # in fewer epochs what is to come in time may not come
        patience = tuple(dict.fromkeys((*patience, UNTIL_ALL_CAME)))
        make = wide_cases if is_cheap(search) else patient_cases
        whole.append(make(search.binding, options, UNTIL_ALL_CAME)[-1:])
    long = long_cases(search.binding, options) if is_cheap(search) else ()
    search.spares_samples |= not is_cheap(search)
    beyond = drawn_beyond_numbers(search.binding, options) if laws and is_cheap(search) else ()
    planned = [search.shard.select(cases) for cases in (*whole, beyond, long)]
    for number, cases in enumerate(planned):
        asked = (*laws, *(each if not number else ()))
        with search.judging(tuple(law for law in asked if search.ledger.pages[law.code].smallest is None)):
            done += _try_cases(search, cases)
    each_of = join_words([f"{epochs:,}" for epochs in patience])
    scope = f"{pluralise(sum(map(len, whole)), 'case')} of {each_of} epochs"
    scope += f", {len(beyond)} beyond numbers in the code" if beyond else ""
    scope += f" and one of {MANY_SAMPLES:,} samples" if long else ""
    scope += f", for {_codes(laws or each)}"
    search.enter_phase("frequencies", search.shard.describe(scope), done, sum(map(len, planned)), started)


def is_cheap(search: Search) -> bool:
    """Whether thousands of samples in tens of epochs are tried in little time."""
    return search.dear_pass == 1 and search.dear_sample <= DEAREST_OF_LONG


def _try_cases(search: Search, cases: Sequence[Case]) -> int:
    """Try the cases until the target has hung too often or the time is up; return their number."""
    if not search.laws:
        return len(cases)
    for done, (case, known) in enumerate(search.look_at(cases, len(cases), counts=False)):
        if search.has_given_up or search.is_late:
            return done
        search.try_case(case, counts=False, known=known)
    return len(cases)


def _codes(laws: tuple[Law, ...]) -> str:
    return ", ".join(law.code for law in laws)
