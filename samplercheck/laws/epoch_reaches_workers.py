"""Law SC803: set_epoch takes effect where workers are kept.

Judged with one worker, whose order is the stream's own, so that luck has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._ways import EXPERIMENT, Taken, home_of, is_judged, others_of
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices

AHEAD = "the next epoch is drawn before set_epoch is called"
DRAWN_AHEAD = (
    "when the sampler is iterated for the next epoch: a loader that keeps one iterator for all epochs lets "
    "its workers read ahead, so that the order is made before set_epoch is called. Begin a new iterator in "
    "__iter__, as a DataLoader with persistent_workers=True does"
)
KEPT_BY_COPIES = (
    "where the epoch is stored: workers that go on running have copies of the dataset and see no attribute "
    "that is set later. Keep it in one tensor with share_memory_(), or count the epochs in __iter__, which "
    "every worker calls once in each"
)


def applies(scope: Scope) -> bool:
    """Whether a loader's epochs are set and can differ."""
    contract = scope.contract
    may_differ = scope.can_shuffle or contract.order == "free"
    return goes_through_a_loader(scope) and contract.sets_epochs and may_differ


def sees(trace: Trace) -> bool:
    """Whether some rank was run with one worker that is kept, and has two epochs that differ without it."""
    return is_judged(trace) and any(_with_kept_worker(trace))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank whose kept worker repeats the epoch that it began with."""
    for rank, home, kept in _with_kept_worker(trace):
        first, passes = home[0], kept.passes
        is_of_sampler = _is_set_on_samplers(trace.of(EXPERIMENT)[rank])
        for alone, loaded in zip(home[1:], passes[1:], strict=False):
            if loaded.same_as(passes[0]) and passes[0].same_as(first) and not alone.same_as(first):
                seen = kept.violation(
                    found=(
                        f"rank {rank} yielded {brief(loaded.items)} in epoch 0 and again after "
                        f"set_epoch({loaded.epoch}), with a persistent worker; without workers epoch "
                        f"{loaded.epoch} {_unlike(alone, loaded)}"
                    ),
                    rank=rank,
                    epoch=loaded.epoch,
                    indices=limit_indices(loaded.items),
                    hint=DRAWN_AHEAD if is_of_sampler else KEPT_BY_COPIES,
                    fault=AHEAD if is_of_sampler else "",
                )
                yield seen if trace.contract.keeps_workers else replace(seen, grade="strict")
                return


def _is_set_on_samplers(record: Record) -> bool:
    """Whether set_epoch goes to a loader's samplers alone, which stay in the main process."""
    return "loader" in record.notes["roles"] and not {"stream", "own_set_epoch"} & {*record.notes["roles"]}


def _unlike(alone: Pass, loaded: Pass) -> str:
    """Say what a pass is, or from which step on it is another one: a long one is cut where it is brief."""
    step, text = alone.first_difference(loaded), brief(alone.items)
    if text != brief(loaded.items):
        return f"is {text}"
    return f"has {brief(alone.at(step))} in step {step}, and not {brief(loaded.at(step))}"


def _with_kept_worker(trace: Trace) -> Iterator[tuple[int, tuple[Pass, ...], Taken]]:
    """Yield each rank with its epochs without workers and with one that is kept."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        home = home_of(record)
        if all(one.same_as(home[0]) for one in home):
            continue
        for taken in others_of(record):
            if taken.persistent and taken.workers == 1 and len(taken.passes) > 1:
                yield rank, home, taken


LAW = Law(
    code="SC803",
    name="epoch-reaches-workers",
    statement="set_epoch takes effect with persistent workers and after iterators were made.",
    fault="set_epoch does not reach the workers",
    event="with persistent workers",
    consequence="wrong order",
    judge=judge,
    reads=(EXPERIMENT,),
    applies=applies,
    sees=sees,
    wants=has_workers,
    compares=True,
    on_sight=True,
    picture="beside",
    why=(
        "Workers have the copy of the dataset that was made when they started. An epoch that is set in the "
        "main process never reaches them, every epoch repeats the first order, and where a part is dropped "
        "it is always the same part."
    ),
    fix=(
        "Keep the epoch in shared memory, or let every worker count its own passes. Samplers live in the "
        "main process and are not concerned."
    ),
    intended=(
        'Declare epochs="fixed" where one order for all epochs is meant, and keeps_workers=False where no '
        "loader with persistent workers is used."
    ),
)
