"""Law SC801: what comes through a DataLoader does not depend on its workers.

Judged pass by pass in cases that have workers. The order that several workers of a stream bring
together is their own: there the law about workers that share is asked (SC802). Kept workers that repeat
their first epoch are the finding of the law about epochs that reach them (SC803).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samplercheck.laws._passes import harm_of
from samplercheck.laws._ways import EXPERIMENT, Taken, home_of, is_judged, others_of, starts_differ
from samplercheck.laws.law import Law, Scope, goes_through_a_loader, has_workers
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, pluralise

ENOUGH = 32
"""So many samples do not come in one order twice, not even through a buffer of two."""
SHORT = (
    "who makes the batches: of a stream each worker makes its own, and ends with what is left. Where that is "
    'meant, declare batches="variable"'
)


TWICE = (
    "what __iter__ counts, draws or resets before the first next(): a DataLoader with workers calls iter() "
    "twice when it starts, and uses the second iterator alone"
)
APART = (
    "what goes another way with workers: each of them draws in its own copy of the dataset, they read ahead "
    "over what comes next, and a DataLoader calls iter() twice when it starts"
)
COPIED = (
    "what the dataset keeps on the object: every worker has a copy of its own, and nothing that happens to "
    "the object in the main process or in another worker reaches it"
)
RESEEDED = (
    "what seeds the order in a worker: get_worker_info().seed and torch.initial_seed() are others whenever "
    "workers start. Seed it by seed and epoch, and by the worker's number"
)
HELD = "what datasets and collate functions hold that a worker process cannot have as well"
STARVED = (
    "a worker whose part of the data is empty, as there are fewer samples or shards than workers of all "
    "ranks: in a loop without an end it never yields anything. Let it raise, or take from others' parts"
)
COUNTED = (
    "Where passes are counted: workers that are started for each pass count in their copies, which end with "
    "them, so that every pass is the first. Let set_epoch name the epoch, before the loader is opened"
)
RESUMED = "in a DataLoader with workers, after a resume"
NOT_ON = "does not resume where it stopped, with workers"
REORDERED = "with workers a DataLoader gives another order"
EACH_TIME = "every start of workers has another order"
REFILLED = (
    "what becomes of a batch after it was yielded: a DataLoader hands the list itself to its workers, which "
    "read it when the next ones have been asked for. Yield a new list each time"
)


def applies(scope: Scope) -> bool:
    """Whether a loader is tested, or a sampler that counts passes or goes on, which a loader may upset."""
    contract, resumes = scope.contract, "resumes" in scope.traits
    moves = contract.epochs == "advance" or (resumes and contract.epochs != "fixed")
    counts = moves and contract.ambient_rng == "independent"
    goes_on = resumes and contract.epochs == "fixed" and not contract.endless
    # A loader is handed the batches themselves, and asks for more of them before workers read the first.
    batches = scope.kind == "batches" and not contract.endless
    # Ranks that wait for one another are run without workers.
    is_alone = not {"loader", "collectives"} & scope.traits
    return goes_through_a_loader(scope) or ((counts or goes_on or batches) and is_alone)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first pass of each rank, in the first way, that is not as without workers."""
    for rank, record in enumerate(trace.of(EXPERIMENT)):
        home = home_of(record)
        for taken in others_of(record):
            found = _early_end(trace, rank, taken) or _unlike(trace, rank, home, taken)
            if found is not None:
                yield found
                break


def _early_end(trace: Trace, rank: int, taken: Taken) -> Violation | None:
    if not taken.stopped:
        return None
    hangs = "too long" in taken.stopped
    goes = "goes on" if trace.contract.endless else "ends"
    starves = hangs and trace.contract.endless and trace.case.length < taken.workers * trace.owed.places
    return taken.violation(
        found=f"rank {rank} {goes} without workers, but {taken.text}: {taken.stopped}",
        rank=rank,
        epoch=len(taken.passes),
        hint=STARVED if starves else HELD,
        consequence="would hang" if hangs else "crashes",
    )


def _unlike(trace: Trace, rank: int, home: tuple[Pass, ...], taken: Taken) -> Violation | None:
    if taken.workers > 1 and "stream" in trace.of(EXPERIMENT)[rank].notes["roles"]:
        return _cut_short(trace, rank, home, taken)
    for loaded in taken.passes:
        alone = home[loaded.epoch]
        if not alone.same_as(loaded) and not _may_differ(trace, rank, loaded, taken):
            step = alone.first_difference(loaded)
            record = trace.of(EXPERIMENT)[rank]
            notes, fault = record.notes, _fault(alone, loaded)
            is_reseeded = fault == REORDERED and "stream" in notes["roles"] and starts_differ(record)
            hint = _hint(notes, is_first_again=loaded.epoch > 0 and loaded.same_as(taken.passes[0]))
            resumed = notes.get("goes_on")
            when = f"resumed after {pluralise(trace.case.stop or 1, 'step')}, " if resumed else ""
            is_first = bool(resumed) and loaded is taken.passes[0] and not step
            is_rest = is_first and _goes_on_elsewhere(alone, loaded)
            return taken.violation(
                found=(
                    f"{when}rank {rank} yields {_describe(loaded, step)} at step {step} of epoch "
                    f"{alone.epoch} {taken.text}, and {_describe(alone, step)} without workers"
                ),
                kind="resumed" if resumed else "",
                rank=rank,
                epoch=alone.epoch,
                step=step,
                indices=loaded.at(step),
                hint=RESEEDED if is_reseeded else hint,
                event=RESUMED if is_rest else "",
                consequence="not reproducible"
                if is_reseeded
                else _harm(alone, loaded, is_rest=is_rest, ahead=bool(notes.get("ahead"))),
                fault=EACH_TIME if is_reseeded else NOT_ON if is_rest else fault,
            )
    return None


def _goes_on_elsewhere(alone: Pass, loaded: Pass) -> bool:
    """Whether one of two passes is the end of the other, as if the place had been lost that was restored."""
    end, whole = sorted((alone.items, loaded.items), key=len)
    return 0 < len(end) < len(whole) and whole[-len(end) :] == end


def _harm(alone: Pass, loaded: Pass, *, is_rest: bool, ahead: bool) -> str:
    """Say what is worse than another order: what is lost, or what comes of the rest of an epoch."""
    if ahead:
        return "loses data"
    return harm_of(loaded.items, alone.items) if is_rest else ""


def _fault(alone: Pass, loaded: Pass) -> str:
    """Say what is wrong where it is not the batches that the law names."""
    if loaded.sizes is not None or alone.sizes is not None:
        return ""
    return REORDERED if sorted(alone.items) == sorted(loaded.items) else ""


def _hint(notes: dict[str, Any], *, is_first_again: bool) -> str:
    if notes.get("ahead"):
        return REFILLED
    if "stream" in notes["roles"]:
        return COUNTED if is_first_again else COPIED
    return APART if {"loader", "own_loader"} & {*notes["roles"]} else TWICE


def _cut_short(trace: Trace, rank: int, home: tuple[Pass, ...], taken: Taken) -> Violation | None:
    """Return the pass in which several workers leave more short batches than there may be.

    Nothing is lost by that: it is advice, of the grade strict, where the target leaves workers to others.
    """
    contract, size = trace.contract, trace.case.batch_size
    if "batch_size" not in trace.named or contract.batches != "fixed" or contract.endless:
        return None
    may = 0 if contract.tail_unit == "batch" and trace.owed.tail != "keep" else 1
    for loaded in taken.passes:
        alone = home[loaded.epoch]
        short = [step for step, items in enumerate(loaded.batches()) if len(items) < size]
        usual = sum(len(items) < size for items in alone.batches())
        if loaded.sizes is not None and alone.sizes is not None and len(short) > max(may, usual):
            return taken.violation(
                found=(
                    f"rank {rank} yields {pluralise(len(short), 'batch', 'batches')} of fewer than {size} "
                    f"samples in epoch {alone.epoch} {taken.text}, and {usual} without workers"
                ),
                rank=rank,
                epoch=alone.epoch,
                step=short[0],
                indices=loaded.at(short[0]),
                hint=SHORT,
                grade="harm" if "num_workers" in trace.named else "strict",
                consequence="uneven batches",
            )
    return None


def _may_differ(trace: Trace, rank: int, one: Pass, taken: Taken) -> bool:
    """Whether a pass with workers may be another one than without them, as far as this law asks.

    Kept workers that only repeat their first epoch have not heard of another one, which law SC803 finds.
    Where the process's generator may be drawn on, loaders draw on it when they start workers, and hand a
    stream a seed that is drawn: its order is its own then, and only so many samples never come alike twice.
    A loop opens a walk without an end once; a second iterator would lose what workers had read ahead.
    """
    first, contract = taken.passes[0], trace.contract
    is_first, repeats = one is first, one is not first and one.same_as(first)
    if contract.endless and contract.is_one_walk and not is_first:
        return True
    if contract.ambient_rng == "independent":
        return repeats and taken.persistent and contract.sets_epochs
    if "stream" not in trace.of(EXPERIMENT)[rank].notes["roles"]:
        return not is_first
    home = home_of(trace.of(EXPERIMENT)[rank])
    if is_first:
        return contract.coverage == "sampled" or sorted(one.items) == sorted(home[0].items)
    stands_still = repeats and not taken.persistent and not home[one.epoch].same_as(home[0])
    return not stands_still or len(one.items) < ENOUGH


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
    fault="with workers a DataLoader gives other batches",
    event="in a DataLoader with workers",
    consequence="wrong order",
    judge=judge,
    reads=(EXPERIMENT,),
    applies=applies,
    sees=is_judged,
    wants=has_workers,
    compares=True,
    picture="beside",
    why=(
        "num_workers is turned to make training faster, and is not expected to change the data. A sampler "
        "that counts in __iter__ is an epoch ahead as soon as there are workers, and a dataset that keeps "
        "state keeps as many copies of it as there are workers."
    ),
    fix=(
        "Let what is yielded depend on seed, epoch and position alone. Count passes where the first sample "
        "is asked for, and leave nothing to the state of the process. Yield a new list for each batch. Give "
        "a sampler a generator of its own: a DataLoader draws on the one that it is given whenever workers "
        "start."
    ),
)
