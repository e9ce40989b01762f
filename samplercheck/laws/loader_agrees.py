"""Law SC801: what comes through a DataLoader does not depend on its workers.

Judged pass by pass in cases that have workers. The order that several workers of a stream bring
together is their own: there the law about workers that share is asked (SC802). Kept workers that repeat
their first epoch are the finding of the law about epochs that reach them (SC803).
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._ways import EXPERIMENT, Taken, home_of, is_judged, others_of
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief


def applies(scope: Scope) -> bool:
    """Whether a loader is what is tested, or a sampler whose passes are counted, which a loader may upset."""
    counts = scope.contract.epochs == "advance" and scope.contract.ambient_rng == "independent"
    return goes_through_a_loader(scope) or counts


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first pass of each rank, in the first way, that is not as without workers."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        home = home_of(record)
        for taken in others_of(record):
            found = _early_end(rank, taken) or _unlike(trace, rank, home, taken)
            if found is not None:
                yield found
                break


def _early_end(rank: int, taken: Taken) -> Violation | None:
    if not taken.stopped:
        return None
    return taken.violation(
        found=f"rank {rank} ends without workers, but {taken.text}: {taken.stopped}",
        rank=rank,
        epoch=len(taken.passes),
        hint="what datasets and collate functions hold that a worker process cannot have as well",
        consequence="would hang" if "too long" in taken.stopped else "crashes",
    )


def _unlike(trace: Trace, rank: int, home: tuple[Pass, ...], taken: Taken) -> Violation | None:
    if taken.workers > 1 and "stream" in trace.of(EXPERIMENT)[rank].notes["roles"]:
        return None
    # Loaders draw on the global generator when they start workers: only until then all are in one state.
    judged = 1 if trace.contract.ambient_rng == "shared" else len(home)
    for loaded in taken.passes[:judged]:
        alone = home[loaded.epoch]
        if not alone.same_as(loaded) and not _stands_still(trace, loaded, taken):
            step = alone.first_difference(loaded)
            return taken.violation(
                found=(
                    f"rank {rank} yields {_describe(loaded, step)} at step {step} of epoch {alone.epoch} "
                    f"{taken.text}, and {_describe(alone, step)} without workers"
                ),
                rank=rank,
                epoch=alone.epoch,
                step=step,
                indices=loaded.at(step),
                hint=(
                    "what __iter__ counts or spends before the first next(): a DataLoader with workers calls "
                    "iter() twice on a batch sampler when it starts; and what is kept in the process"
                ),
            )
    return None


def _stands_still(trace: Trace, one: Pass, taken: Taken) -> bool:
    """Whether kept workers only repeat their first epoch: they have not heard of another one."""
    kept = trace.contract.sets_epochs and taken.persistent
    return kept and one is not taken.passes[0] and one.same_as(taken.passes[0])


def _describe(one: Pass, step: int) -> str:
    items = one.at(step)
    return brief(items) if items else ("an empty batch" if step < one.steps else "nothing more")


LAW = Law(
    code="SC801",
    name="loader-agrees",
    statement=(
        "Through a DataLoader, for any number of workers, prefetch and persistence, the batches are the "
        "sampler's."
    ),
    consequence="wrong order",
    judge=judge,
    reads=(EXPERIMENT,),
    applies=applies,
    sees=is_judged,
    wants=has_workers,
    compares=True,
    picture="beside",
    why=(
        "num_workers is turned to make training faster, and nobody expects other data from it. A sampler "
        "that counts in __iter__ is an epoch ahead as soon as there are workers, and a dataset that keeps "
        "state keeps as many copies of it as there are workers."
    ),
    fix=(
        "Let what is yielded depend on seed, epoch and position alone. Count passes where the first sample "
        "is asked for, and leave nothing to the state of the process. Give a sampler a generator of its own: "
        "a DataLoader draws on the one that it is given whenever workers start."
    ),
)
