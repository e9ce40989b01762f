"""Law SC804: the state of a loader counts what was delivered.

For loaders with a state of their own, and only where resuming works without workers: where it does not,
that is the finding of the laws about resuming. A sampler behind a loader is always ahead of it and not at
fault.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import RAISES, harm_of
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, pluralise

EXPERIMENT = "delivered"
PARTS = 3
HINT = (
    "whether the state counts batches as they leave the loader: indices that the sampler hands to workers "
    "are ahead by num_workers times prefetch_factor batches"
)
MISPLACED = "does not resume with workers where it stopped"
ELSEWHERE = (
    "how a worker finds its place once the state is loaded: what it has yielded counts steps within its own "
    "samples, which are every (world_size * num_workers)th where all workers of all ranks take turns."
)
SKIPS = (
    "what a worker skips once the state is loaded: the state is that of a run without workers. A worker has "
    "yielded a part of what it counts, and starts within its own samples."
)


def applies(scope: Scope) -> bool:
    """Whether a loader has a state that it says it can be resumed from."""
    resumable = scope.contract.resume in ("auto", "state_dict")
    keeps = "loader_state" in scope.traits and goes_through_a_loader(scope)
    return keeps and resumable and not scope.contract.endless


def sees(trace: Trace) -> bool:
    """Whether some rank was interrupted before its end and resumed rightly without workers."""
    return any(_resumes_at_home(record) for record in trace.of(EXPERIMENT))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that, resumed with workers, goes on elsewhere than it was interrupted."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        found = _find(rank, record) if _resumes_at_home(record) else None
        if found is not None:
            yield found
            return


def _find(rank: int, record: Record) -> Violation | None:
    workers = next(iter(record.notes["stopped"]), 0)
    if workers:
        why = record.notes["stopped"][workers]
        what = f"cannot be resumed with {pluralise(workers, 'worker')}: {why}"
        return _violation(rank, 0, what, RAISES)
    whole, before, rest = record.passes[PARTS:]
    if _is_rest(whole, before, rest):
        return None
    owed, workers = whole.items[len(before.items) :], record.notes["resumed"][1]
    is_right = record.notes.get("saved", False) and before.items == record.passes[1].items
    is_ahead = len(rest.items) < len(owed)  # what was fetched and not delivered never comes
    return _violation(
        rank,
        before.steps,
        f"interrupted after yielding {brief(before.items)} with {pluralise(workers, 'worker')}, went on with "
        f"{brief(rest.items) or 'nothing'} instead of {brief(owed) or 'nothing'}",
        harm_of(rest.items, owed, before.items),
        hint=SKIPS if is_right else HINT if is_ahead else ELSEWHERE,
    )


def _violation(rank: int, step: int, what: str, consequence: str, hint: str = HINT) -> Violation:
    """Say what was found, and where to look; what was not counted ahead of the loop is called otherwise."""
    return Violation(
        found=f"rank {rank}, {what}",
        rank=rank,
        epoch=0,
        step=step,
        hint=hint,
        fault="" if hint is HINT else MISPLACED,
        consequence=consequence,
        experiment=EXPERIMENT,
    )


def _resumes_at_home(record: Record) -> bool:
    """Whether it was interrupted and resumed without workers, rightly, and then with workers."""
    resumed = record.notes.get("resumed", ())
    if not resumed or resumed[0] != 0 or len(resumed) + len(record.notes["stopped"]) == 1:
        return False
    whole, before, rest = record.passes[:PARTS]
    return bool(whole.items) and not whole.strange and _is_rest(whole, before, rest)


def _is_rest(whole: Pass, before: Pass, rest: Pass) -> bool:
    """Whether two passes are, one after the other, a whole one; a pass ended at its end may begin again."""
    done = len(before.items)
    if done == len(whole.items) and rest.items == whole.items:
        return True
    return before.items == whole.items[:done] and rest.items == whole.items[done:]


LAW = Law(
    code="SC804",
    name="state-counts-delivered",
    statement="Saved progress counts what the training loop received, not what workers prefetched.",
    fault="counts prefetched batches as delivered",
    event="after a resume with workers that prefetch",
    consequence="loses data",
    judge=judge,
    reads=(EXPERIMENT,),
    applies=applies,
    sees=sees,
    wants=has_workers,
    compares=True,
    why=(
        "Workers ask for indices several batches ahead of the training loop. A state that is taken from the "
        "sampler at that moment counts batches that were not trained on, and a resumed run skips them: "
        "nothing fails, the data is just gone."
    ),
    fix=(
        "Count in the loader what it has yielded and hand that number to the sampler when the state is "
        "loaded, or use torchdata's StatefulDataLoader, which does so."
    ),
    intended='Declare resume="none" where the state of the loader is not meant for resuming.',
)
