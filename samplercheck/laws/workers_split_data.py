"""Law SC802: the workers of a stream share it.

Judged over all ranks that share an epoch, because streams are dealt out to rank and worker together as
often as to ranks first. Nothing is said of the order: it is the workers' own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._drawn import drawn_alike
from samplercheck.laws._passes import are_inside, count_samples
from samplercheck.laws._ways import EVENTS, EXPERIMENT, Taken, home_of, is_judged, others_of
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.values.finding import Grade, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices, name_samples, owner, pluralise, steps_of

TWO, TWICE = 2, "twice or more"
REPEATED = "repeats data", "workers repeat each other's samples"
LOST = "loses data", "workers lose samples"
IN_PLACE = "loses data", "workers repeat samples in place of others"

OVERLAP = (
    "The number by which a worker takes its part: rank * num_workers + worker, of world_size * num_workers. "
    "Here the parts overlap."
)
ORDERS = (
    "Whether all workers cut their parts from one order: a seed that holds a worker's number gives each of "
    "them an order of its own, and its parts overlap with those of others."
)
PART = (
    "The number by which a worker takes its part: rank * num_workers + worker. Here it is below 0, and reads "
    "from the dataset's end without an error."
)
HINT = (
    "how __iter__ gives each worker a part of its own of what the rank has, by get_worker_info(): as in "
    "part[worker.id::worker.num_workers]"
)

WHOLE_PART = "What each worker counts to: cut the rank's part first, and let its workers share what is left."
AGAIN = (
    "What __iter__ changes on the object: a persistent worker takes its next pass from the same copy, and "
    "cuts what it had cut before. Keep its part in local variables."
)


def applies(scope: Scope) -> bool:
    """Whether the target is a finite stream."""
    return "stream" in scope.traits and goes_through_a_loader(scope) and not scope.contract.endless


def sees(trace: Trace) -> bool:
    """Whether several workers of each rank that was run yielded something, in one way at least."""
    if not is_judged(trace):
        return False
    ways = zip(*map(others_of, trace.of(EXPERIMENT)), strict=True)
    return any(taken[0].workers > 1 and all(one.passes for one in taken) for taken in ways)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what several workers double and what they lose, over all ranks, and who then gets less."""
    records = trace.of(EXPERIMENT)
    if trace.contract.coverage == "sampled":
        yield from drawn_alike(trace)
        return
    for ranks in trace.shares:
        homes = [home_of(records[rank])[0] for rank in ranks]
        for together in zip(*[others_of(records[rank]) for rank in ranks], strict=True):
            if together[0].workers == 1 or not all(taken.passes for taken in together):
                continue
            for look_at in (_strays, _apart, _longer, _uneven, _later):
                found = list(look_at(trace, ranks, homes, together))
                if found:
                    yield from found
                    return


def _strays(
    trace: Trace, ranks: tuple[int, ...], homes: Sequence[Pass], together: tuple[Taken, ...]
) -> Iterator[Violation]:
    """Yield the first rank whose workers alone yield what is no sample of the dataset."""
    for rank, home, taken in zip(ranks, homes, together, strict=True):
        indices, length = taken.passes[0].indices, trace.case.length
        strays = indices[~are_inside(indices, length)]
        if len(strays) and are_inside(home.indices, length).all():
            workers = pluralise(taken.workers, "worker")
            yield taken.violation(
                found=(
                    f"rank {rank} yielded {brief(strays)} with {workers}: the dataset has 0 to "
                    f"{length - 1}, and without workers nothing else comes"
                ),
                rank=rank,
                epoch=0,
                indices=limit_indices(strays),
                hint=PART if strays.min() < 0 else HINT,
                consequence="repeats data" if strays.min() < 0 else "crashes",
                fault="workers yield what is no sample",
            )
            return


def _apart(
    trace: Trace, ranks: tuple[int, ...], homes: Sequence[Pass], together: tuple[Taken, ...]
) -> Iterator[Violation]:
    """Yield what is doubled or lost; what does not divide between all workers, they may pad or drop."""
    length = trace.case.length
    before = count_samples(homes, length)
    after = count_samples([taken.passes[0] for taken in together], length)
    tail, allowed = trace.owed.tail, trace.owed.spare(together[0].workers)
    # Workers may pad with other samples than a rank does alone, and drop others.
    once = trace.owed.repeats
    differences = (
        (TWICE, np.maximum(after - np.maximum(before, once), 0), "pad", *REPEATED),
        ("never", np.maximum(np.minimum(before, once) - after, 0), "drop", *LOST),
    )
    seen = [one for one in differences if one[1].sum() > (allowed if tail == one[2] else 0)]
    for often, beyond, _, *harm in seen:
        samples, lost = np.flatnonzero(beyond), np.flatnonzero(seen[-1][1])
        is_both = beyond is not seen[-1][1]
        consequence, fault = IN_PLACE if is_both else harm
        times = "twice" if often == TWICE and (after[samples] == TWO).all() else often
        what = f"{times} and {name_samples(lost)} never" if is_both else times
        workers = pluralise(together[0].workers, "worker")
        yield together[0].violation(
            found=(
                f"{owner(ranks)} yielded {name_samples(samples)} {what} with {workers}, and without "
                f"workers {_times(before[samples])}"
            ),
            rank=ranks[0] if len(ranks) == 1 else None,
            epoch=0,
            indices=limit_indices(samples),
            hint=HINT if not is_both else OVERLAP if trace.owed.places > 1 else ORDERS,
            consequence=consequence,
            fault=fault,
            # What a rank loses by itself, at its end or in a buffer, each of its workers loses.
            supposes=("SC102",) if fault == LOST[1] and (before < once).any() else (),
        )


def _longer(
    trace: Trace, ranks: tuple[int, ...], homes: Sequence[Pass], together: tuple[Taken, ...]
) -> Iterator[Violation]:
    """Yield that a part of the dataset, whose size is promised, is larger with workers."""
    contract, workers = trace.contract, together[0].workers
    before, after = (sum(len(one.items) for one in some) for some in (homes, [t.passes[0] for t in together]))
    sized = contract.cycle > 1 or contract.frequencies in ("uniform", "fixed")
    if contract.coverage == "subset" and sized and after - before > trace.owed.spare(workers):
        yield together[0].violation(
            found=f"{owner(ranks)} yielded {after} samples with {workers} workers, and {before} without",
            rank=ranks[0] if len(ranks) == 1 else None,
            epoch=0,
            hint=WHOLE_PART,
            kind="grows",
            consequence="wrong step count",
            fault="with workers the part of the dataset is larger",
        )


def _later(
    trace: Trace, ranks: tuple[int, ...], _: Sequence[Pass], together: tuple[Taken, ...]
) -> Iterator[Violation]:
    """Yield what kept workers double or lose in a later epoch, unless that begins as the first one did."""
    records, alike = trace.of(EXPERIMENT), [sorted(one.passes[0].items) for one in together]
    epochs = min(len(one.passes) for one in together) if trace.contract.ambient_rng == "independent" else 1
    for epoch in range(1, epochs):
        later = tuple(
            replace(one, passes=one.passes[epoch:], numbers=one.numbers[epoch:]) for one in together
        )
        if [sorted(one.passes[0].items) for one in later] == alike:
            continue  # set_epoch may not have reached them
        homes = [home_of(records[rank])[epoch] for rank in ranks]
        found = list(_apart(trace, ranks, homes, later))
        if found:
            kept = later[0].persistent
            grade: Grade = "strict" if kept and not trace.contract.keeps_workers else "harm"
            for one in found:
                hint = AGAIN if kept else one.hint
                said, event = f"in epoch {epoch} {one.found}", EVENTS["kept"] if kept else one.event
                yield replace(one, found=said, hint=hint, epoch=epoch, grade=grade, event=event)
            return


def _uneven(
    trace: Trace, ranks: tuple[int, ...], homes: Sequence[Pass], together: tuple[Taken, ...]
) -> Iterator[Violation]:
    """Yield that ranks which are even without workers are not with them; each may keep a unit of a tail.

    Where no step waits for all ranks, they may be as uneven as they are.
    """
    if not trace.contract.even_steps:
        return
    may = together[0].workers * trace.owed.unit if trace.owed.tail == "keep" else 0
    numbers = [one.steps for one in homes], [taken.passes[0].steps for taken in together]
    if trace.contract.batches == "fixed" and not _are_uneven(numbers, may):
        numbers = [len(one.items) for one in homes], [len(taken.passes[0].items) for taken in together]
    if not _are_uneven(numbers, may):
        return
    before, after = numbers
    ahead, behind = after.index(max(after)), after.index(min(after))
    by_batch = trace.batched and after[behind] == together[behind].passes[0].steps
    yield together[behind].violation(
        found=(
            f"rank {ranks[ahead]} yields {steps_of(after[ahead], batched=by_batch)} {together[0].text}, rank "
            f"{ranks[behind]} yields {after[behind]}; without workers {before[ahead]} and {before[behind]}"
        ),
        rank=ranks[behind],
        epoch=0,
        step=together[behind].passes[0].steps,
        hint="how the epoch is cut for ranks and workers: with these workers the ranks come out uneven",
        consequence="would hang",
        fault="with workers, the ranks yield unequal numbers",
    )


def _are_uneven(numbers: tuple[list[int], list[int]], may: int) -> bool:
    """Whether the second numbers differ by more than may be, and the first do not."""
    before, after = (max(one) - min(one) for one in numbers)
    return before <= may < after


def _times(counts: NDArray[np.int64]) -> str:
    return "once" if (counts == 1).all() else "not as often"


LAW = Law(
    code="SC802",
    name="workers-split-data",
    former="workers-share",
    statement=(
        "The workers of one rank split a stream between them: nothing twice, nothing lost, and even ranks "
        "stay even. Where samples are drawn with replacement, no two workers draw the same."
    ),
    fault="workers repeat or lose samples",
    event="in a DataLoader with workers",
    consequence="repeats data",
    judge=judge,
    reads=(EXPERIMENT,),
    applies=applies,
    sees=sees,
    wants=has_workers,
    compares=True,
    why=(
        "Every worker of a DataLoader has a copy of an iterable dataset and iterates it. Unless the copies "
        "share it out among themselves, each sample comes as many times as there are workers, the epoch is "
        "as many times longer, and validation counts everything several times. Where they share it out over "
        "all ranks at once, some ranks may get less than others, and those wait forever."
    ),
    fix=(
        "Ask torch.utils.data.get_worker_info() in __iter__, not in __init__, and yield the worker's part of "
        "the rank's part. With fewer shards than workers, some workers have nothing to do: split samples "
        "then, or start fewer workers."
    ),
    intended='Declare coverage="sampled" where every worker draws by itself, from a seed of its own.',
)
