"""SC505: a wrapper deals out what it wraps, and changes nothing but the epoch.

Called by the engine for targets that name ``sampler`` or ``batch_sampler``; what is inside is the kit's
own. May import numpy, values and the private modules of this package.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from samplercheck.laws._ascending import first_descent, out_of_order
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, join_words, limit_indices, pluralise

ALIKE: Final = "alike"
UNLIKE: Final = "unlike"
SPOILT = "has batches that hold something else than when it yielded them"


def applies(scope: Scope) -> bool:
    """Whether the target wraps a sampler."""
    return not scope.named.isdisjoint(("sampler", "batch_sampler"))


def sees(trace: Trace) -> bool:
    """Whether a wrapped sampler was inspected."""
    return any("inner_changed" in record.notes for record in trace.of("wrapped"))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that changed its inner sampler, kept an epoch from it or broke its order."""
    for rank, record in enumerate(trace.of("wrapped")):
        notes = record.notes
        reached = tuple(notes.get("inner_epochs", ()))
        if changed := notes.get("inner_changed"):
            yield _change(rank, f"was changed: {join_words(list(changed))}")
            return
        if notes.get("inner_spoilt"):
            yield _spoilt(trace, rank)
            return
        expected = tuple(range(len(reached)))
        if notes.get("has_set_epoch") and trace.contract.sets_epochs and reached != expected:
            yield _epoch_kept(rank, reached, record.passes)
            return
        if notes.get("back_at", 0):
            yield _stays_ahead(rank, notes["back_at"])
            return
        if notes.get("plain_epoch", 1) != 1:
            yield _kept_from_inside(rank)
            return
    found = next(_other_order(trace), None) or _nowhere_to_set(trace)
    if found is not None:
        yield found


def _change(rank: int, what: str) -> Violation:
    return Violation(
        found=f"the inner sampler of rank {rank} {what}",
        rank=rank,
        hint="What is written to the inner sampler: leave its attributes as they are, or copy it.",
        fault="changes the sampler that it wraps",
        experiment="wrapped",
    )


def _spoilt(trace: Trace, rank: int) -> Violation:
    """Return that batches were changed, which harms where the wrapped sampler yields the same lists again."""
    without = "" if "drop_last" in trace.named or trace.case.drop_last else " without drop_last"
    return replace(
        _change(rank, SPOILT),
        hint="What changes a batch of the inner sampler: copy it first (batch + more, not batch += more).",
        consequence="wrong batches",
        fault="changes the wrapped sampler's batches",
        event=f"around a sampler{without} that keeps its batches (torch's own does not)",
    )


def _epoch_kept(rank: int, reached: Sequence[int], passes: Sequence[Pass]) -> Violation:
    """Return that an epoch does not get through, and that all passes are alike where they were."""
    are_alike = all(one.same_as(passes[0]) for one in passes)
    kind: EvidenceKind = (ALIKE if are_alike else UNLIKE) if len(passes) > 1 and passes[0].items[1:] else ""
    alike = ", and all epochs yield the same" if kind == ALIKE else ""
    epoch = next(number for number, inner in enumerate(reached) if number != inner)
    return Violation(
        found=f"in epoch {epoch} the inner sampler of rank {rank} was at epoch {reached[epoch]}{alike}",
        rank=rank,
        epoch=epoch,
        hint="set_epoch, which has to call that of the wrapped sampler as well.",
        fault="does not pass set_epoch on" if any(reached) else "set_epoch stops at the wrapper",
        experiment="wrapped",
        evidence=Evidence(kind=kind),
    )


def _stays_ahead(rank: int, epoch: int) -> Violation:
    return Violation(
        found=f"set_epoch(0) after the last epoch left the inner sampler of rank {rank} at epoch {epoch}",
        rank=rank,
        epoch=0,
        hint="set_epoch, which has to pass each epoch on: 0 too (where `if epoch` is false), and earlier.",
        fault="does not pass on an epoch that comes again",
        experiment="wrapped",
        event="when it goes back to epoch 0, as a second fit does",
    )


def _kept_from_inside(rank: int) -> Violation:
    return Violation(
        found=f"set_epoch(1) on rank {rank} did not reach the sampler inside torch's BatchSampler, which has "
        "no set_epoch of its own",
        rank=rank,
        epoch=1,
        hint="set_epoch: where batch_sampler has none, call batch_sampler.sampler.set_epoch.",
        fault="set_epoch does not get through BatchSampler",
        experiment="wrapped",
        evidence=Evidence(kind="plain"),
    )


def _nowhere_to_set(trace: Trace) -> Violation | None:
    """Say that no epoch is set through the wrapper: harmless where the script has the inner sampler."""
    notes = trace.of("wrapped")[0].notes
    orders = notes.get("inner_orders", ())
    moved = next((epoch for epoch, order in enumerate(orders) if order != orders[0]), None)
    if notes.get("is_told", True) or moved is None or not trace.contract.sets_epochs:
        return None
    return Violation(
        found=(
            "the wrapper has no set_epoch: a script that calls it on what it has got does not reach the "
            "inner sampler, which then yields the order of epoch 0 in every epoch"
        ),
        rank=0,
        epoch=moved,
        hint="Whether set_epoch is passed on, or the script calls that of the inner sampler itself.",
        fault="has no set_epoch to pass on",
        experiment="wrapped",
        grade="strict",
    )


def _spare(trace: Trace) -> int | None:
    """Return how many samples may stand out of order, as padding; None where no order is promised."""
    contract, owed = trace.contract, trace.owed
    if not owed.is_sequential:
        return None
    if owed.total is not None:
        return owed.padding
    strict = contract.coverage == "subset" and contract.tail == "keep" and contract.batches == "fixed"
    return 0 if strict and not contract.endless else None


def _other_order(trace: Trace) -> Iterator[Violation]:
    spare = _spare(trace)
    if spare is None:
        return
    first: dict[tuple[int, ...], Epoch] = {}
    for epoch in trace.epochs_of("wrapped"):
        orders = trace.of("wrapped")[epoch.ranks[0]].notes.get("inner_orders", ())
        if epoch.number >= len(orders) or not epoch.is_in_range:
            continue
        before = first.setdefault(tuple(epoch.ranks), epoch)
        placed = _as_places(epoch, orders[epoch.number])
        out = out_of_order(placed, trace.contract.repeats, spare)
        if out and orders[epoch.number] != orders[before.number] and epoch.same_order(before):
            yield _read_once(epoch, placed)
            return
        # What moves on by itself may be read ahead of the pass that deals it out.
        if out and trace.contract.epochs != "advance":
            yield _out_of_order(epoch, placed, sum(out))
            return


def _read_once(epoch: Epoch, placed: Epoch) -> Violation:
    column = next(column for column, one in enumerate(placed.passes) if first_descent(one) is not None)
    rank, items = epoch.ranks[column], epoch.passes[column].items
    return Violation(
        found=f"in epoch {epoch.number} rank {rank} yielded {brief(items)}, as in epoch 0, and the inner "
        "sampler another order",
        rank=rank,
        epoch=epoch.number,
        indices=limit_indices(items),
        hint=(
            "Where the inner sampler is read: in every pass, or once, when the wrapper is built. If one "
            'order for all epochs is meant, declare epochs="fixed", or order="sequential" for evaluation.'
        ),
        fault="reads the sampler that it wraps only once",
        experiment="wrapped",
    )


def _as_places(epoch: Epoch, order: Sequence[int]) -> Epoch:
    """Return the epoch with every sample replaced by its position in the inner sampler's order."""
    place = np.full(epoch.length, epoch.length, dtype=np.int64)
    place[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    passes = tuple(replace(one, items=array("q", place[one.indices].tobytes())) for one in epoch.passes)
    return Epoch(epoch.number, epoch.ranks, passes, epoch.length)


def _out_of_order(epoch: Epoch, placed: Epoch, out: int) -> Violation:
    falls = [first_descent(one) for one in placed.passes]
    column, at = next((column, at) for column, at in enumerate(falls) if at is not None)
    one, rank = epoch.passes[column], epoch.ranks[column]
    before, after = one.indices[at - 1 : at + 1].tolist()
    return Violation(
        found=f"in epoch {epoch.number} rank {rank} yielded {before} before {after}, and the inner sampler "
        f"yielded {after} before {before} ({pluralise(out, 'sample')} out of place on all ranks)",
        rank=rank,
        epoch=epoch.number,
        step=one.step_of(at),
        indices=(before, after),
        hint=(
            "How the inner sampler's order is dealt out. If another one is meant, declare "
            'order="shuffled" or order="free".'
        ),
        fault="reorders the sampler that it wraps",
        experiment="wrapped",
    )


LAW = Law(
    code="SC505",
    name="leaves-inner-alone",
    statement="What the target wraps is unchanged by wrapping and passes on set_epoch.",
    fault="mishandles the sampler that it wraps",
    clearer=((ALIKE, "epochs alike, set_epoch stops at the wrapper"),),
    consequence="wrong order",
    judge=judge,
    reads=("wrapped",),
    applies=applies,
    sees=sees,
    to_the_end=True,
    whatever_promised=True,
    why=(
        "A wrapper that keeps set_epoch to itself leaves the wrapped sampler in epoch 0: every epoch "
        "has the same order; so does every epoch of one that reads the wrapped sampler when it is built. One "
        "that changes the attributes of what it wraps changes it for everyone else who holds it, evaluation "
        "and checkpointing among them."
    ),
    fix=(
        "Pass set_epoch on to the inner sampler, read it in every pass and write nothing to it, and deal its "
        "order out as it comes."
    ),
    intended=(
        'A wrapper that makes an order of its own declares order="shuffled" or order="free", one that keeps '
        'the first order on purpose epochs="fixed".'
    ),
)
