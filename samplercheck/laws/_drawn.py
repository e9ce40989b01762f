"""What is drawn with replacement: whether ranks or workers draw alike, and how many draws a pass shows.

Called by laws, and by what they ask of passes. Imports numpy and values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._ways import EXPERIMENT, Taken, home_of, others_of
from samplercheck.laws.law import GROUPING, Scope, draws_apart
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.values.owed import MANY_LAPS
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

ALONE, FEWEST_DRAWS, ENOUGH = 1, 2, 99
LONG_BEFORE, FEWEST_BEFORE = 2, 13
"""So many epochs before, and so many unlike passes, below which luck is never out of the question."""
FEWEST_DRAWN = 4
"""Unlike samples, or chunks, in what two workers draw alike: with fewer more epochs are not asked for."""
ALIKE = (
    "why all ranks draw with the same seed: draw once for all and deal that out, or seed by a hash of "
    'seed, epoch and rank. If every rank is to draw alike, declare sharding="none"'
)
IN_TURN = (
    "what a rank draws by: seed + epoch + {} is the same for rank 1 in epoch 0 and rank 0 in epoch {}. Seed "
    "by a hash of seed, epoch and rank"
)

IN_WORKERS = "what seeds the draw: the worker's number, or its seed, has to enter there as well"
IN_RANKS = "what seeds the draw in a worker: the rank has to enter there beside the worker's number"


def draws_in_laps(contract: Contract) -> bool:
    """Whether what ranks share is drawn in one pass without an end, so that its laps stand for epochs."""
    return draws_apart(contract) and contract.epochs == "fixed"


def can_tell_draws(trace: Trace) -> bool:
    """Whether several places draw, in epochs or in many laps that were noted."""
    noted = all("laps" in record.notes for record in trace.of("epochs"))
    return trace.owed.places > 1 and (noted or not draws_in_laps(trace.contract))


def same_draws(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that draws what another one draws, or has drawn some epochs before."""
    return same_walks(trace) if draws_in_laps(trace.contract) else _same_epochs(trace)


def _same_epochs(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that draws in every epoch what another one draws, or has drawn epochs before."""
    whole, places = trace.series[0], trace.owed.places
    walked = tuple(epoch for place, epoch in enumerate(whole) if epoch.number == place)  # and not jumped to
    for later, course in enumerate((whole, walked)):
        drawn = [[epoch.passes[place].items.tobytes() for epoch in course] for place in range(places)]
        first: dict[tuple[bytes, ...], int] = {}
        for place in range(places):
            first.setdefault(tuple(drawn[place][: len(course) - later]), place)
        alike = [place for place in range(places) if first.get(tuple(drawn[place][later:]), place) != place]
        if (not later or len(course) == ALONE + 1) and _may_be_padding(trace, course, alike):
            continue
        for place in alike:
            repeated = tuple(drawn[place][later:])
            different = len({*repeated} - {b""})
            luck = bound_on_luck(places, different)
            if later and different == ALONE:  # of two epochs the samples of a pass tell, if in no other order
                different = len(np.unique(chunks_of(course[later].passes[place].indices)))
                luck = min(1.0, places * (places - 1) / factorial(min(different, ENOUGH)))
            if different >= FEWEST_DRAWS:
                yield _violation(course, first[repeated], place, luck, later=later)
                return
    yield from _drawn_before(walked, places)


def _drawn_before(course: tuple[Epoch, ...], places: int) -> Iterator[Violation]:
    """Yield the first rank that draws what another has drawn a number of epochs before, if that is no luck.

    Any number may be it, so that each of them could have been by luck.
    """
    drawn = [[epoch.passes[place].items.tobytes() for epoch in course] for place in range(places)]
    number, begins = len(course), dict[bytes, list[int]]()
    for place, walk in enumerate(drawn):
        begins.setdefault(walk[0], []).append(place)
    found = [
        (later, place, other)
        for place, walk in enumerate(drawn)
        if len({*walk}) >= FEWEST_BEFORE
        for later in range(LONG_BEFORE, number)
        for other in begins.get(walk[later], ())
        if other != place and walk[later:] == drawn[other][: number - later]
    ]
    for later, place, other in sorted(found):
        luck = number * bound_on_luck(places, len({*drawn[place][later:]} - {b""}))
        if luck <= NEGLIGIBLE:
            yield _violation(course, other, place, luck, later=later)
            return


def _may_be_padding(trace: Trace, course: tuple[Epoch, ...], places: list[int]) -> bool:
    """Whether all shares of these places may be what fills up the last round of one common draw."""
    owed, by_batch = trace.owed, trace.contract.batches == "variable"  # whole ones fill up the round
    taken = [[epoch.passes[place] for place in places] for epoch in course]
    most = max((sum(one.steps if by_batch else len(one.items) for one in some) for some in taken), default=0)
    return owed.tail == "pad" and most < owed.places * owed.unit


def walks_apart(scope: Scope) -> bool:
    """Whether ranks share an endless walk whose batches labels or lengths make, so that no two read alike."""
    contract = scope.contract
    walks = contract.endless and contract.coverage == "once" and contract.order != "free"
    return walks and contract.sharding == "ranks" and bool(GROUPING & scope.named)


def same_walks(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that yields in endless passes, from their first step on, what another one yields.

    Of whole rounds of batches at least, so that ranks that take turns are at different places of a lap. Of
    draws as far as their laps differ.
    """
    whole, is_drawn = trace.series[0], trace.contract.coverage == "sampled"
    first: dict[tuple[bytes, ...], int] = {}
    for place, rank in enumerate(whole[0].ranks):
        long = trace.of("epochs")[rank].notes.get("laps", ())
        walk = np.array(long or whole[0].passes[place].items, dtype=np.int64)
        passes = (one.passes[place].indices.tobytes() for one in whole)
        other = first.setdefault((walk.tobytes(), *passes), place)
        if other == place:
            continue
        laps = walk[: len(walk) // MANY_LAPS * MANY_LAPS].reshape(MANY_LAPS, -1) if is_drawn else walk
        different = len(np.unique(laps, axis=0))
        if different < FEWEST_DRAWS:
            continue
        begin, places = walk[: trace.case.length], trace.owed.places
        rounds = len(walk) * places // trace.case.length
        of_walks = min(1.0, places**2 * min(1 / factorial(min(different, ENOUGH)), 2.0 ** (1 - rounds)))
        drew = f"drew the same samples in each of {MANY_LAPS} laps"
        did = drew if is_drawn else "yield the same samples, step by step"
        yield Violation(
            found=f"ranks {whole[0].ranks[other]} and {rank} {did}: {brief(begin.tolist())}",
            rank=rank,
            epoch=0,
            indices=limit_indices(np.unique(begin if is_drawn else walk).tolist()),
            hint=ALIKE,
            chance=bound_on_luck(places, different) if is_drawn else of_walks,
            fault=f"ranks {'draw' if is_drawn else 'yield'} the same samples",
            evidence=Evidence(kind="laps" if is_drawn else ""),
        )
        return


def bound_on_luck(places: int, *different: int) -> float:
    """Return how likely it is at most that two of so many places draw the same by luck, or one after another.

    Whatever draws are likely, independent ones meet d different ones with d ** -d at most, in each epoch.
    """
    return min(1.0, places * (places - 1) * prod(float(number) ** -number for number in different))


def _violation(course: tuple[Epoch, ...], other: int, place: int, chance: float, *, later: int) -> Violation:
    epoch = course[later]
    drawn, one, two = epoch.passes[place].items, epoch.ranks[other], epoch.ranks[place]
    what = f"ranks {one} and {two} drew the same samples in each of {len(course)} epochs"
    before = "an epoch" if later == ALONE else f"{later} epochs"
    if later:
        number = len(course) - later
        when = f"in each of {number} epochs " if number > ALONE else ""
        what = f"rank {two} drew {when}what rank {one} had drawn {before} before"
    return Violation(
        found=f"{what}: {brief(drawn) or 'nothing'} in epoch {epoch.number}",
        rank=two,
        epoch=epoch.number,
        indices=limit_indices(sorted({*drawn})),
        hint=IN_TURN.format("rank" if later == ALONE else f"{later} * rank", later) if later else ALIKE,
        chance=chance,
        fault=f"ranks repeat each other's draws {before} later" if later else "ranks draw the same samples",
        evidence=Evidence(kind="in turn" if later else ""),
    )


def may_be_one_chunk(one: Pass) -> bool:
    """Whether a pass may be a single chunk of the dataset, drawn once or again and again."""
    items = one.indices
    size = next(iter(np.flatnonzero(items == items[0])[1:]), len(items)) if len(items) else 0
    if size == len(items):
        return len(chunks_of(items)) < FEWEST_DRAWS
    return np.array_equal(items[size:], items[:-size])


def chunks_of(items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the samples with which chunks begin: behind each of them, samples follow each other in order."""
    begins: NDArray[np.bool_] = np.diff(items, prepend=items[:1] - 2) != 1
    return np.compress(begins, items)


def drawn_alike(trace: Trace) -> Iterator[Violation]:
    """Yield that two workers draw the same in every epoch; kept ones tell by the most draws."""
    for ranks in trace.shares:
        ways = zip(*[others_of(trace.of(EXPERIMENT)[rank]) for rank in ranks], strict=True)
        alike = [one for together in ways if (one := _two_alike(trace, ranks, together)) is not None]
        if alike:
            yield replace(alike[0], chance=min(one.chance for one in alike))
            return


def _two_alike(trace: Trace, ranks: tuple[int, ...], together: tuple[Taken, ...]) -> Violation | None:
    """Say that two workers, of a rank or of two, draw the same samples in every epoch; None if none do."""
    first: dict[tuple[bytes, ...], tuple[int, int]] = {}
    for rank, taken in zip(ranks, together, strict=True):
        for worker, drawn in enumerate(_draws_of(taken)):
            unlike = {one.tobytes(): one for one in drawn}
            # A shard is one draw, however many samples it has.
            different = [len(np.unique(chunks_of(one))) for one in unlike.values()]
            if sum(different) < FEWEST_DRAWN:
                continue
            of, other = first.setdefault(tuple(one.tobytes() for one in drawn), (rank, worker))
            if (of, other) != (rank, worker) and (of == rank or _differ_alone(trace, of, rank, taken)):
                two = f"workers {other} and {worker} of rank {rank}"
                two = two if of == rank else f"worker {other} of rank {of} and worker {worker} of rank {rank}"
                return taken.violation(
                    found=f"{two} drew the same samples {taken.text}, {brief(drawn[0])}",
                    rank=rank if of == rank else None,
                    epoch=0,
                    indices=limit_indices(np.unique(drawn[0])),
                    hint=IN_WORKERS if of == rank else IN_RANKS,
                    chance=bound_on_luck(len(ranks) * taken.workers, *different),
                )
    return None


def _draws_of(taken: Taken) -> list[list[NDArray[np.int64]]]:
    """Return what each worker draws, pass by pass; nothing where there is one worker alone."""
    workers = taken.workers
    # A loader asks its workers in turn, for as long as all of them have something.
    turns = [one.indices[: len(one.items) // workers * workers].reshape(-1, workers) for one in taken.passes]
    return [[one[:, worker] for one in turns] for worker in range(workers)] if workers > ALONE else []


def _differ_alone(trace: Trace, one: int, two: int, taken: Taken) -> bool:
    """Whether two ranks draw apart without workers, and no worker's part may be what fills up a round."""
    homes = [home_of(trace.of(EXPERIMENT)[rank]) for rank in (one, two)]
    by_batch, round_size = trace.contract.batches == "variable", trace.owed.places * taken.workers
    least = min(one.steps if by_batch else len(one.items) for one in taken.passes) // taken.workers
    differ = not all(mine.same_as(other) for mine, other in zip(*homes, strict=False))
    return differ and least >= round_size * trace.owed.unit
