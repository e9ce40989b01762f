"""Experiments that take passes of objects built as the case says: ``epochs``, ``again`` and others.

Run inside a rank. Nearly every law reads what ``epochs`` records; passes of the others are compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samplercheck.experiments._launch import another_launch
from samplercheck.experiments._loader_workers import OpenedLoaders
from samplercheck.experiments._moved import Moved, list_moved, load_own_state
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped
from samplercheck.values.limits import lap_of, quarter_of
from samplercheck.values.owed import MANY_EPOCHS, MANY_LAPS, far_epochs

MOST_EPOCHS, TURNS, BREAKS = 4, 2, 2
NEAR_EPOCHS = (10, 7, 4)
LATER_EPOCHS = (4, 5, 7, 10, 15, 16, 20, 30, 32, 40, 47)
"""Behind the first epochs the length is asked for in these: in some of them a phase of training begins."""
REFUSALS = ("ValueError", "AssertionError", "OverflowError")
BEYOND_INTEGERS = 2**31


def take_epochs(seat: Seat) -> None:
    """Experiment ``epochs``: one object, its epochs in order, as a training script runs them.

    After many epochs it goes on to some that lie far beyond them; of an endless target many laps are noted.
    Notes which global generators building and iterating moved and, where there are many epochs, which are in
    another state while a pass is open, and which loading a state moved; and whether it iterated a DataLoader.
    ``len()`` is never called here.
    """
    with OpenedLoaders() as opened:
        subject = seat.build()
        seat.record.notes["has_set_epoch"] = seat.can_set_epoch(subject)
        seat.record.notes["built_for_epochs"] = seat.is_built_for_epochs(subject)
        moved = [list_moved(seat, "building", opened)]
        opened.clear()
        inside: Moved = []
        if is_watched := seat.case.epochs >= MANY_EPOCHS:
            subject = seat.begin(subject, 0)
            first = seat.open(subject, 0)
            seat.step(first)
            inside = list_moved(seat, "inside", opened)
            seat.drain(first)
        for epoch in range(is_watched, passes_alike(seat)):
            subject = seat.run_epoch(subject, epoch)
        for epoch in _epochs_within_reach(seat):
            if subject is not None:
                subject = _visit(seat, subject, epoch)
        _note_laps(seat, subject)
        moved += [inside or list_moved(seat, "iterating", opened)]
        moved += [load_own_state(seat, opened)] if is_watched and not seat.in_step else []
    named = tuple(one for some in moved for one in some or ())
    seat.record.notes |= {"loads": bool(opened)} | ({"moved": named} if named or None not in moved else {})


def passes_alike(seat: Seat) -> int:
    """Return how many passes begin at the start of an epoch; of a walk without an end the first alone."""
    return 1 if seat.contract.endless and seat.contract.is_one_walk else seat.case.epochs


def _note_laps(seat: Seat, subject: Any) -> None:
    """Note many laps of one more pass, in cases of many epochs."""
    if seat.contract.endless and seat.case.epochs >= MANY_EPOCHS:
        seat.take(subject, seat.case.epochs - 1, limit=lap_of(seat.case, seat.contract) * MANY_LAPS)
        seat.record.notes["laps"] = tuple(seat.record.passes.pop().items)


def ask_lengths(seat: Seat) -> None:
    """Experiment ``lengths``: the first epochs, with ``len()`` called before, during and after passes.

    On an object of its own, which then goes on to some later epochs, and is asked before these alone.
    Read by SC201, SC202 and SC203.
    """
    subject = seat.build()
    seat.ask_length(subject, "built", 0)
    for epoch in range(min(seat.case.epochs, MOST_EPOCHS)):
        subject = seat.begin(subject, epoch)
        seat.ask_length(subject, "before", epoch)
        if not epoch:
            seat.ask_length(subject, "again", epoch)
        seat.take(subject, epoch)
        seat.ask_length(subject, "after", epoch)
    for epoch in _later_epochs(seat):
        if subject is not None:
            subject = _visit(seat, subject, epoch, asks=True)


def _later_epochs(seat: Seat) -> tuple[int, ...]:
    """Return the epochs behind the first ones in which the length is asked for; those that advance, all."""
    epochs, contract = seat.case.epochs, seat.contract
    if contract.advances and not contract.endless:
        return tuple(range(MOST_EPOCHS, epochs))
    if contract.endless or not seat.sets_epochs:
        return ()
    far = (epoch for epoch in _epochs_within_reach(seat) if epoch < BEYOND_INTEGERS)
    return (*(epoch for epoch in LATER_EPOCHS if epoch < epochs), *far)


def ask_lengths_alone(seat: Seat) -> None:
    """Do what ``lengths`` does, but take no pass: the usual ones are taken to be those that it would have."""
    subject = seat.build()
    seat.ask_length(subject, "built", 0)
    passes = seat.usual.passes[: min(seat.case.epochs, MOST_EPOCHS)]
    for epoch in range(len(passes)):
        subject = seat.begin(subject, epoch)
        seat.ask_length(subject, "before", epoch)
    seat.record.passes += passes


def jump(seat: Seat) -> None:
    """Experiment ``jumps``: one object that goes to its last epoch first, then back to the first.

    Of many epochs it goes from the farthest to nearer ones before.
    Read by SC304 and SC501; nothing is done where no set_epoch leads to an epoch.
    """
    if not seat.sets_epochs or seat.case.epochs == 1:
        return
    subject = seat.build()
    seat.record.notes["has_set_epoch"] = seat.can_set_epoch(subject)
    far = _epochs_within_reach(seat)
    for epoch in (*far[::-1], *(NEAR_EPOCHS if far else ())):
        found = _visit(seat, subject, epoch)
        subject = seat.build() if found is None else found
    for epoch in (seat.case.epochs - 1, 0):
        subject = seat.run_epoch(subject, epoch)


def _visit(seat: Seat, subject: Any, epoch: int, *, asks: bool = False) -> Any:
    """Jump to an epoch and take its pass; return None where the target refuses to go so far ahead.

    It may have fewer epochs, and need not count beyond 31 bits, nor be there soon; then it is not sent again.
    Who ``asks`` wants to know its length before.
    """
    try:
        if asks:
            subject = seat.begin(subject, epoch)
            seat.ask_length(subject, "before", epoch)
            seat.take(subject, epoch)
        else:
            subject = seat.run_epoch(subject, epoch)
    except Stopped as stopped:
        fault, is_beyond = stopped.fault, epoch >= BEYOND_INTEGERS
        refuses = fault.kind == "raised" and (is_beyond or fault.error in REFUSALS)
        if seat.in_step or epoch in NEAR_EPOCHS or not (refuses or (fault.kind == "deadline" and is_beyond)):
            raise
        if not refuses:
            seat.guard.too_far = seat.record.notes["too_far"] = epoch
        return None
    return subject


def _epochs_within_reach(seat: Seat) -> tuple[int, ...]:
    """Return the far epochs of the case, but for those that the target took too long to get to."""
    far, too_far = far_epochs(seat.case, seat.contract), seat.guard.too_far
    return far if too_far is None else tuple(epoch for epoch in far if epoch < too_far)


def repeat(seat: Seat) -> None:
    """Experiment ``again``: a second object built alike, its first epoch taken twice after one set_epoch.

    In cases of many epochs it is taken three times. The clock and the number of the process are others.

    The process's generators are in another state than the first object met. Read by SC402 and SC401 (first
    pass) and SC501 (second pass). Under ``epochs="advance"`` the second pass is the next epoch.
    """
    with another_launch():
        subject = seat.run_epoch(seat.build(), 0)
        seat.take(subject, epoch_of_second_pass(seat))
        if seat.case.epochs >= MANY_EPOCHS:
            seat.take(subject, 2 * epoch_of_second_pass(seat))


def interleave(seat: Seat) -> None:
    """Experiment ``interleaved``: two passes of one object, open at once and advanced in turn.

    After a few steps the second is finished, then the first. Read by SC502. Under
    ``epochs="advance"`` the pass that is advanced first is the first epoch and the other the second. In
    cases of many epochs that end the first has begun when the second is opened.
    """
    subject = seat.begin(seat.build(), 0)
    first = seat.open(subject, 0)
    if _comes_late(seat):
        seat.step(first)
    second = seat.open(subject, epoch_of_second_pass(seat))
    unfinished = [first, second]
    for _ in range(TURNS):
        unfinished = [opened for opened in unfinished if seat.step(opened)]
    for opened in reversed(unfinished):
        seat.drain(opened)
    seat.record.notes["has_one_place"] = seat.within("iter", 0, has_one_place, subject)


def has_one_place(subject: Any) -> bool:
    """Whether a target has a state, or is an iterator that ``iter`` starts again, so one pass is open."""
    return hasattr(subject, "state_dict") or (isinstance(subject, Iterator) and iter(subject) is subject)


def abandon(seat: Seat) -> None:
    """Experiment ``abandoned``: a pass given up after a quarter of this rank's share, then a whole one.

    Small shares are given up after the first step. Read by SC503. Where such a pass counts as an epoch, the
    one after it is the next, and more epochs in the case mean more that are given up, so that evidence grows
    with the case; where the next one goes on with it, it is given up once more. In cases of many epochs that
    end a whole pass comes before, which is not recorded.
    """
    case, is_late, counts = seat.case, _comes_late(seat), seat.contract.counts_breaks
    subject, fewest = seat.begin(seat.build(), 0), BREAKS if seat.contract.is_one_walk else 1
    given_up = max(fewest, (case.epochs - 1) * counts)
    if is_late:
        seat.take(subject, 0)
        seat.record.passes.clear()
    epoch = is_late * epoch_of_second_pass(seat)
    for _ in range(given_up):
        _give_up(seat, subject, epoch)
        epoch += counts
    seat.take(subject, epoch)


def _give_up(seat: Seat, subject: Any, epoch: int) -> None:
    """Give up a pass; where the next one goes on with it, without asking whether there is more."""
    steps = quarter_of(seat.case, seat.contract)
    if seat.contract.is_one_walk:
        seat.advance(seat.open(subject, epoch), steps)
    else:
        seat.take(subject, epoch, limit=steps)


def _comes_late(seat: Seat) -> bool:
    """Whether a pass is opened, or given up, behind another one: in cases of many epochs that end."""
    return seat.case.epochs >= MANY_EPOCHS and not seat.contract.endless


def epoch_of_second_pass(seat: Seat) -> int:
    """Return the epoch of a second pass of the first one: the next where passes advance."""
    return 1 if seat.contract.advances else 0


def take_reference(seat: Seat) -> None:
    """Experiment ``reference``: epochs and lengths of the sampler that the contract names (SC203, SC307)."""
    if seat.binding.reference is None:
        return
    own, seat.binding = seat.binding, seat.binding.reference
    try:
        subject = seat.build()
        for epoch in range(seat.case.epochs):
            subject = seat.begin(subject, epoch)
            seat.ask_length(subject, "before", epoch)
            seat.take(subject, epoch)
    finally:
        seat.binding = own
