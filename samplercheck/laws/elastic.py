"""SC705: a run goes on in a world of another size.

Judged by the engine where the contract says ``elastic=True`` (docs/rules.md D5). Imports values, numpy and
the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, zip_longest
from operator import eq

import numpy as np

from samplercheck.laws._alike import is_drawn_by_process
from samplercheck.laws._moves import Move, moves_of
from samplercheck.laws._passes import RAISES, harm_of
from samplercheck.laws._resumes import say_why, was_resumed, words
from samplercheck.laws.law import Law, Scope, can_resume, first_few
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.owed import compute_owed
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import join_numbers, limit_indices, name_samples, pluralise

EXPERIMENT = "elastic"
WHOLE = 4
"""Passes of a run that moved: before its stop, what was left, the epoch after, and that of an
uninterrupted run."""

COUNTED = (
    "Whether the state counts the samples of all ranks together (not steps, or items of one), and the rest "
    "of that order is dealt out to the new ranks."
)
ORDERED = (
    "Whether the order depends on the number of ranks, as by its seed: an epoch that was begun in one order "
    "went on in another. Keep world_size out of what shuffles it."
)
"""What is said where orders differ as well, of which the next epoch shows those of both worlds."""
UNEVEN = "ranks resume for different numbers of steps"
OLD_TOTAL = (
    "What the rest is padded or cut to: a total that was computed for the old number of ranks, or restored "
    "from the state, is no multiple of the new one."
)

LEFT_BEHIND = (
    "What load_state_dict() leaves for later epochs: a total or a start that was right for the rest of the "
    "resumed one is to be computed again in set_epoch()."
)


def applies(scope: Scope) -> bool:
    """Whether the contract promises that another world can go on."""
    return scope.contract.elastic and can_resume(scope)


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the moves after which samples are missing or doubled, or the next epoch is another."""
    for move in moves_of(trace, EXPERIMENT, whole=WHOLE):
        if move.error is not None:
            rank, error = move.error
            yield _violation(trace, move, f"rank {rank} {say_why(error)}", consequence=RAISES)
        else:
            yield from _coverage(trace, move)
            yield from _next_epoch(trace, move)


def _coverage(trace: Trace, move: Move) -> Iterator[Violation]:
    """Yield that what was done and the rest together are not the epoch, where that is known."""
    if trace.owed.total is None or not move.is_plain(trace) or not _is_in_range(trace, move):
        return
    there = compute_owed(trace.case.but(world_size=move.world), trace.contract, batched=trace.batched)
    done = sum(len(one.items) for one in move.done.values())
    if not trace.contract.sets_epochs and there.total is not None and done >= there.total:
        return  # in the new world the epoch is over, and nothing says which one comes
    steps = [passes[0].steps for _, passes in sorted(move.rest.items())]
    hint = COUNTED if _is_one_order(trace, move) else ORDERED
    missing, again = move.count_wrong(trace)
    may_lose, may_repeat = trace.owed.spare_with(there)
    if missing.sum() > may_lose:
        lost = np.flatnonzero(missing)
        yield _violation(trace, move, f"no rank yields {name_samples(lost)}", lost, hint=hint)
    elif again.sum() > may_repeat:
        doubled = np.flatnonzero(again)
        what = f"{name_samples(doubled)} {'comes' if len(doubled) == 1 else 'come'} again"
        what = f"{what}, and padding accounts for {may_repeat}"
        yield _violation(trace, move, what, doubled, consequence="repeats data", hint=hint)
    elif trace.contract.even_steps and max(steps) - min(steps) > (there.tail == "keep"):
        what = f"the ranks take {join_numbers(steps)} steps of the rest"
        yield _violation(trace, move, what, consequence="would hang", fault=UNEVEN, hint=OLD_TOTAL)


def _is_one_order(trace: Trace, move: Move) -> bool:
    """Whether the next epoch of both worlds may be dealt out from one order, in turn or in blocks.

    Where that is not known of both, or is too short to tell, it may.
    """
    usual = [record.pass_of(move.epoch + 1) for record in trace.of("epochs")]
    old = [one for one in usual if one is not None]
    new = [passes[-1] for _, passes in sorted(move.rest.items())]
    if len(old) < len(usual) or {one.epoch for one in (*old, *new)} != {move.epoch + 1}:
        return True
    orders = [(before, after) for before in _list_orders(old) for after in _list_orders(new)]
    return any(all(map(eq, before, after)) for before, after in orders)  # what one has more may be padding


def _list_orders(passes: Sequence[Pass]) -> list[list[int]]:
    """Return the orders that ranks may have been dealt: samples or steps in turn, and blocks."""
    turns = [one.items.tolist() for one in passes], [list(one.batches()) for one in passes]
    samples, batches = ([item for item in chain(*zip_longest(*each)) if item is not None] for each in turns)
    return [samples, [*chain(*batches)], [*chain(*turns[0])]]


def _is_in_range(trace: Trace, move: Move) -> bool:
    passes = [*move.done.values(), *[passes[0] for passes in move.rest.values()]]
    return all(0 <= index < trace.case.length for one in passes for index in one.items)


def _next_epoch(trace: Trace, move: Move) -> Iterator[Violation]:
    """Yield the first new rank whose next epoch is another than that of an uninterrupted run."""
    if is_drawn_by_process(trace):
        return
    for rank, (_, found, normal) in sorted(move.rest.items()):
        if not found.same_as(normal):
            what = f"rank {rank} yields {words(found)} in the next epoch, which should be {words(normal)}"
            harm, hint = harm_of(found.items, normal.items), LEFT_BEHIND
            yield _violation(trace, move, what, found.indices, consequence=harm, kind="next", hint=hint)
            return


def _violation(
    trace: Trace,
    move: Move,
    what: str,
    indices: Iterable[int] = (),
    *,
    consequence: str = "",
    kind: EvidenceKind = "",
    fault: str = "",
    hint: str = COUNTED,
) -> Violation:
    ranks = pluralise(trace.case.world_size, "rank")
    return Violation(
        found=f"stopped after {pluralise(move.stop, 'step')} of epoch {move.epoch} on {ranks} and resumed on "
        f"{move.world}: {what}",
        epoch=move.epoch,
        step=move.stop,
        indices=limit_indices(indices),
        hint=hint,
        consequence=consequence,
        fault=fault,
        experiment=EXPERIMENT,
        evidence=Evidence(kind=kind, world_size=move.world),
    )


LAW = Law(
    code="SC705",
    name="elastic",
    statement=(
        "Resumed with another world size, done and rest together are the epoch, each sample once, and all "
        "ranks take as many steps of the rest."
    ),
    fault="resuming on another world size goes wrong",
    event="after a resume on another world size",
    consequence="loses data",
    judge=judge,
    compares=True,
    reads=("epochs", "again", "elastic"),
    applies=applies,
    sees=partial(was_resumed, experiment=EXPERIMENT),
    to_the_end=True,
    needs_simulation=True,
    follows=("SC701",),
    why=(
        "Elastic jobs go on with the nodes that are there. A position that is counted in steps or in samples "
        "of one rank means something else in a world of another size: what lies between is skipped, or "
        "trained on twice."
    ),
    fix=(
        "Count samples over all ranks, save that number, and cut the rest of the epoch's one order among "
        "the new ranks."
    ),
    intended="A sampler that goes on in a world of the same size alone leaves elastic=False.",
)
