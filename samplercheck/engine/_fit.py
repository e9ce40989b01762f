"""How far a profile looks at one target: as far as its kind, and what its passes take, leave time for.

Called by the phases of a run, before those that it decides on. What is measured is coarse, so that it is the
same in each run.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from statistics import mean

from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._growth import (
    LONG,
    SHORT,
    SMALL,
    class_of,
    count_times,
    idle_seconds,
    plain_case,
    times_given_up,
)
from samplercheck.engine._judging import has_hung, judge
from samplercheck.engine._search import Search
from samplercheck.laws.law import can_resume
from samplercheck.search.axes import Options
from samplercheck.search.dear import (
    SELDOM,
    USUAL,
    fewer_by,
    for_dear_passes,
    for_dear_samples,
    thin_small,
    usual_case,
)
from samplercheck.search.frontier import cost_of
from samplercheck.search.profiles import (
    Profile,
    for_batches,
    for_loaders,
    for_resuming,
    for_streams,
)
from samplercheck.search.small_scope import SmallScope, scope_of
from samplercheck.targets.names import may_start_threads
from samplercheck.values.case import Case

RANKS, EPOCHS = 4, 3
MEASURED = 8
"""So many small cases tell what one takes: they differ by length, world, batch and features."""
TIMES = 4
"""So many times what is quick is measured, and the least is taken: others use the machine as well."""
ENOUGH, SURELY, FAR = 0.1, 1.0, 8_192
"""Seconds of a case after which a longer one would tell no more, and after which it tells so for certain; and
the samples of the longest."""
WIDEST_TOGETHER = 32
"""Ranks that wait for each other: the more they are, the longer each of them takes."""
FEWEST_WAITS = 8
"""So often a case waits by itself of which each pass does."""
WAITS = 0.01
"""Seconds that a case may wait for threads of the target, of which the small scope has many hundreds."""
OF_LOADERS, FEWEST_IN_GROUPS = 2 / 3, 3
"""Of the cases for process groups loaders get such a part, and dear targets one in so many at least."""
LESS_OF_BROKEN = 2
"""Where small cases break a law, time is needed to explain it, and so many times less is left to look far.

Of a shard another one may be broken, and all choose from the same cases."""
DEAREST = 4**4
"""So many times the usual is what does not end in time."""


def fit_to_kind(profile: Profile, search: Search) -> Profile:
    """Return the profile with the reach that a target of this kind can be looked at with in the same time."""
    if search.is_of_loaders:
        profile = for_loaders(profile)
    elif "stream" in search.scope.traits:
        profile = for_streams(profile)
    elif search.kind == "batches":
        profile = for_batches(profile, sized="batch_size" in search.binding.named)
    return for_resuming(profile) if can_resume(search.scope) else profile


def fit_small(profile: Profile, search: Search, fallback: WorldWithFallback, options: Options) -> Profile:
    """Return the profile with as large a small scope as passes that cost so much leave time for."""
    if search.is_of_loaders or search.uses_collectives:
        return profile
    ends = fallback.growth.look_at_short(search.binding, options[0], search.kind)
    search.course += fallback.growth.measured
    if not ends:
        return profile
    search.waits = _times_waited(search, options)
    search.dear_pass = max(fallback.growth.dear_pass, search.waits)
    return for_dear_passes(profile, search.dear_pass)


def scope_in_time(search: Search, profile: Profile, options: Options) -> tuple[SmallScope, Sequence[Case]]:
    """Return the small scope with its cases, and set out of how ``every`` many all laws judge one.

    It is the shorter half where even what the others are judged by takes the time that there is; what did not
    end when it was measured says nothing of the other cases.
    """
    scope_within = partial(scope_of, search.binding, options=options, collectives=search.uses_collectives)
    scope = scope_within(profile=profile)
    cases = search.shard.select(scope.cases())
    search.every = thinning_of(search, profile, cases)
    if search.every < SELDOM or search.dear_case == DEAREST or not search.shard.is_whole:
        return scope, cases
    half = scope_within(profile=replace(profile, most_small=scope.size // 2))
    return half, list(half.cases())


def thinning_of(search: Search, profile: Profile, cases: Sequence[Case]) -> int:
    """Return out of how many small cases all laws judge one, so that all fit their seconds."""
    if math.isinf(profile.small_seconds) or not cases:
        return 1
    some = cases[len(cases) // (2 * MEASURED) :: math.ceil(len(cases) / MEASURED)]
    usual = usual_case(len(cases), profile.small_seconds)
    measure = partial(_mean_seconds, search, some)
    search.dear_case = class_of(measure, TIMES, usual, of=len(some)) or DEAREST
    return thin_small(len(cases), search.dear_case, profile.small_seconds)


def cases_in_groups(search: Search, cases: int) -> int:
    """Return how many of so many cases real process groups are given; fewer where each takes long."""
    loaded = int(cases * OF_LOADERS) if search.is_of_loaders else cases
    return loaded // min(FEWEST_IN_GROUPS, fewer_by(search.dear_case))


def _times_waited(search: Search, options: Options) -> int:
    """Return how many times too long a case waits, for threads, files or the clock.

    On a busy machine any case waits, for the processor: that does not count, nor what never gives it up.
    """
    stop = 1 if can_resume(search.scope) else None
    case = plain_case(search.binding, SMALL, options[0]).but(batch_size=1, stop=stop)
    waited = []
    for _ in range(2):
        given_up, began = times_given_up(), idle_seconds()
        if not try_briefly(search, case):
            return 1
        waits = may_start_threads(search.binding.factory) or times_given_up() - given_up >= FEWEST_WAITS
        waited.append(waits * (idle_seconds() - began))
    return count_times(min(waited), WAITS)


def widest_world(profile: Profile, search: Search, fallback: WorldWithFallback, most_real: int) -> int:
    """Return how many ranks worlds beyond the small scope may have; ``most_real`` can be processes."""
    # Large worlds of what has moved to process groups are as large as real ones can be.
    most = most_real if fallback.has_moved else sys.maxsize
    if not search.uses_collectives:
        return most
    return min(most, max(WIDEST_TOGETHER, profile.large_world // WIDEST_TOGETHER))


def fit_large(profile: Profile, search: Search, fallback: WorldWithFallback, options: Options) -> Profile:
    """Return the profile with as many and as large cases as its seconds pay for."""
    if not profile.frontier or search.has_given_up:
        return profile
    before = len(fallback.growth.measured)
    if not search.avoided.holds_of(plain_case(search.binding, LONG, options[0])):
        fallback.growth.look(search.binding, options[0], search.kind)
    search.course += fallback.growth.measured[before:]
    profile = replace(profile, steep=fallback.growth.steep)
    if not profile.examples and search.shard.is_whole and search.ledger.broken:
        profile = replace(profile, frontier_seconds=profile.frontier_seconds / LESS_OF_BROKEN)
    steep = fallback.growth.steep
    short = steep[0] if steep else SHORT
    longest = short if steep or not profile.examples else LONG
    measured = partial(_times_a_sample, cache(partial(_seconds_of_short, search)), search, options, short)
    search.dear_sample = max(measured(RANKS, longest), search.waits)
    fitted = for_dear_samples(profile, search.dear_sample)
    if search.dear_sample == 1 or not profile.examples:
        return fitted
    # A rank that yields all samples by itself takes longer for each than ranks that share them, and drawing
    # by weights takes the longer, the more samples there are. That decides on large cases alone.
    far = short if steep else min(FAR, fitted.large_work)
    at_most = max(measured(ranks, far, 2) for ranks in (1, RANKS))
    return for_dear_samples(profile, search.dear_sample, at_most)


def _times_a_sample(
    first: Callable[[Case], float | None],
    search: Search,
    options: Options,
    short: int,
    ranks: int,
    longest: int,
    times: int = TIMES,
) -> int:
    """Return how many times the usual whole cases take for each sample, by one or two that tell the most.

    ``first`` measures a short one, and each but once: where it takes long enough, it is all that is needed.
    """
    stop = EPOCHS if can_resume(search.scope) else None
    case = plain_case(search.binding, short, options[0], ranks).but(epochs=EPOCHS, stop=stop)
    seconds = first(case)
    if seconds is None or seconds >= ENOUGH:
        return DEAREST if seconds is None else count_times(seconds / _cost_of(search, case), USUAL)
    case = case.but(length=longest)  # once more at least: the first one warms caches
    return class_of(partial(_seconds_of, search, case), times, USUAL * _cost_of(search, case)) or DEAREST


def _cost_of(search: Search, case: Case) -> int:
    return cost_of(case, search.binding.contract)


def _seconds_of(search: Search, case: Case) -> float | None:
    """Return the seconds of a case, with all experiments and laws; None if it does not end.

    Those of the processor, unless the target waits by itself.
    """
    clock = time.monotonic if search.waits > 1 else time.process_time
    began = clock()
    return clock() - began if try_briefly(search, case) else None


def _mean_seconds(search: Search, cases: Iterable[Case]) -> float | None:
    """Return the seconds that cases take on average, before one does not end; None if that is the first."""
    taken: list[float] = []
    for case in cases:
        # With more epochs it is none of the small cases, each of which is run once.
        seconds = _seconds_of(search, case.but(epochs=case.epochs + 1))
        if seconds is None:
            break
        taken.append(seconds)
    return mean(taken) if taken else None


def _seconds_of_short(search: Search, case: Case) -> float | None:
    """Return the seconds of a case that may be all that is measured; of two runs where one may mislead."""
    seconds = _seconds_of(search, case)
    if seconds is None or not ENOUGH <= seconds < SURELY:
        return seconds
    again = _seconds_of(search, case)
    return None if again is None else min(seconds, again)


def try_briefly(search: Search, case: Case) -> bool:
    """Run a case, unless it is left out, and judge it, but keep nothing of it; return whether it ended."""
    if search.avoided.holds_of(case):
        return False
    search.course.append(case)
    experiments, pages = search.checks_of(case)
    trace = search.world.trace(search.binding, case, experiments, search.kind)
    for law, _ in pages:
        judge(law, trace)
    return not has_hung(trace)
