"""Resuming: runs that are stopped on their way and go on in a new object, as training scripts do it.

Used by the experiments ``resumed``, ``resumed_again`` and ``saved``, inside a rank. The old object keeps its
iterator open while its state is saved; the new one meets the process's generators in another state.
Whatever fails between saving and the end of the resumed passes is kept in the trial, and no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from samplercheck.experiments.few_ranks import is_stopped
from samplercheck.experiments.loaders import keeps_state
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.states import copy_state
from samplercheck.experiments.stopped import Stopped, say_error
from samplercheck.targets.features import INNERS
from samplercheck.values.limits import far_step, lap_of
from samplercheck.values.owed import compute_owed
from samplercheck.values.record import Pass, Trial

LATER = 2
NEXT = "next epoch"
"""When a length is asked for: behind the epoch after a resumed one."""
Stop = tuple[int, bool]
"""After how many steps a pass is stopped, and whether its end has been seen by then."""


class Unresumed(Exception):  # noqa: N818  (what a target's state or its loading raised)
    """A run could not be resumed; says why."""


def manner_of(seat: Seat, subject: Any) -> str:
    """Return how this target is resumed: by its "state_dict", by "consumed" samples, or not at all."""
    resume = seat.contract.resume
    if resume == "consumed":
        return resume if "consumed" in seat.binding.named else ""
    return "state_dict" if resume != "none" and keeps_state(subject) and not _has_none(seat) else ""


def _has_none(seat: Seat) -> bool:
    """Whether a wrapper only hands on to something that has no state, where the contract asks for none."""
    if seat.contract.resume != "auto" or not set(INNERS) & seat.binding.named:
        return False
    subject = seat.build()
    _, error = seat.attempt(subject.state_dict)
    return isinstance(error, AttributeError) and error.name == "state_dict" and error.obj is not subject


def names_next(seat: Seat) -> bool:
    """Whether a script that resumes from the end of an epoch calls set_epoch with the next one."""
    return seat.sets_epochs and (seat.contract.resume == "consumed" or seat.contract.at_end == "next")


def goes_straight(seat: Seat, *, everywhere: bool = False) -> tuple[Pass, ...]:
    """Take the epochs of an uninterrupted run; an empty result says that this rank is not resumed.

    Either the target cannot be, or other ranks are, unless it is to be ``everywhere``.
    """
    return seat.once(partial(_go_straight, seat, everywhere=everywhere))


def _go_straight(seat: Seat, *, everywhere: bool) -> tuple[Pass, ...]:
    subject = seat.build()
    manner = seat.record.notes["manner"] = manner_of(seat, subject)
    is_one = everywhere or seat.in_step or is_stopped(seat.rank, seat.case, seat.contract, by_two=seat.by_two)
    if not manner or not is_one:
        return ()
    for epoch in range(epochs_to_stop_in(seat)[-1] + 1 + LATER):
        subject = seat.run_epoch(subject, epoch)
    return tuple(seat.record.passes)


def epochs_to_stop_in(seat: Seat) -> tuple[int, ...]:
    """Return the first epoch and, where a later one can be reached again, that too.

    Where passes draw on generators that the script seeds, it is the script that must restore them. Ranks that
    share the data stop together, so there it is the contract that decides, and not what one of them drew.
    """
    usual, contract = seat.usual.notes, seat.contract
    is_drawn = contract.sharding == "ranks" or usual.get("moved", True) or usual["loads"]
    is_lost = contract.ambient_rng == "shared" and is_drawn
    return (0,) if seat.case.epochs == 1 or is_lost else (0, 1)


def earliest_stop(seat: Seat, epoch: int) -> int:
    """Return after how many steps of an epoch a run is stopped at the earliest: before any, if it can tell.

    Where nothing tells epochs apart, an endless generator that was asked for nothing of its second pass still
    stands where the first one was given up: no end of that has said that it is over.
    """
    return int(epoch > 0 and seat.contract.endless and not seat.sets_epochs)


def stops_of(seat: Seat, pass_: Pass) -> tuple[Stop, ...]:
    """Return where a pass is stopped: at the beginning, after a step, in the middle, near and at the end.

    For an endless one these are those of its first lap, and a place some laps on.
    """
    ends = not seat.contract.endless
    last = pass_.steps if ends else min(pass_.steps, lap_of(seat.case, seat.contract))
    far = last if ends else min(pass_.steps, far_step(seat.case, seat.contract))
    first, one = earliest_stop(seat, pass_.epoch), seat.case.stop
    stops = (0, 1, last // 2, max(0, last - 1), last, far) if one is None else (one,)
    found = [min(stop, far) for stop in stops if stop >= first]
    most, kept = len(found), tuple(dict.fromkeys(found))
    if seat.in_step:  # ranks that wait for each other stop equally often, whatever each of them yields
        most = min(most, lap_of(seat.case, seat.contract) + 1) if ends else most
        kept = (*kept, *kept[-1:] * (most - len(kept)))[:most]
    seen = ((last, True),) if ends and found[-1] == last else ()
    return (*((stop, False) for stop in kept), *seen)


def stop_at(seat: Seat, epoch: int, stop: Stop) -> tuple[Any, Any]:
    """Run a new object into an epoch, stop it there, and return it with its open pass."""
    subject = fresh(seat, epoch)
    for before in range(0 if seat.sets_epochs else epoch):
        seat.take(subject, before)
        seat.record.passes.pop()
    return subject, _open_until(seat, seat.begin(subject, epoch), epoch, stop)


def state_after(seat: Seat, epoch: int, stop: Stop) -> Any:
    """Return the state of a new object that is stopped in an epoch."""
    subject, (_, taken) = stop_at(seat, epoch, stop)
    return save(seat, subject, epoch, [taken])


def _open_until(seat: Seat, subject: Any, epoch: int, stop: Stop) -> Any:
    opened = seat.open(subject, epoch)
    seat.advance(opened, stop[0])
    if stop[1]:
        seat.step(opened)
    return opened


def fresh(seat: Seat, epoch: int, **changes: Any) -> Any:
    """Return a new object, built with the epoch where that is how it learns it."""
    subject = seat.build(**changes)
    if seat.sets_epochs and epoch and "epoch" in seat.binding.named and not hasattr(subject, "set_epoch"):
        return seat.build(**changes, epoch=epoch)
    return subject


def save(seat: Seat, subject: Any, epoch: int, taken: Sequence[Pass]) -> Any:
    """Return what a checkpoint keeps of a run that has taken these passes of its epoch."""
    if seat.contract.resume == "consumed":
        state = _count_consumed(seat, epoch, taken)
    else:
        state, error = seat.attempt(subject.state_dict)
        if error is not None:
            raise Unresumed(f"state_dict() raised {say_error(error)}")
        state = copy_state(state)
    seat.saved.append(state)
    return state


def _count_consumed(seat: Seat, epoch: int, taken: Sequence[Pass]) -> int:
    """Return how many samples all ranks have yielded since training began, padding included."""
    straight = seat.record.passes
    batched = any(pass_.sizes is not None for pass_ in (*straight, *taken))  # one without steps tells nothing
    owed = compute_owed(seat.case, seat.contract, batched=batched)
    so_far = sum(len(pass_.items) for pass_ in taken) * owed.places
    if seat.contract.endless:
        return so_far
    total = len(straight[0].items) * owed.places if owed.total is None else owed.total
    return epoch * total + min(so_far, total)


def reload(seat: Seat, state: Any, epoch: int, **place: int) -> Any:
    """Return a new object that goes on from a state, at another place if one is named.

    Its process's generators are in a state of their own.
    """
    seat.ambient.find_moved()
    if seat.contract.resume == "consumed":
        return fresh(seat, epoch, consumed=state, **place)
    subject = fresh(seat, epoch, **place)
    load(seat, subject, state)
    return subject


def load(seat: Seat, subject: Any, state: Any) -> None:
    """Load a state into an object."""
    _, error = seat.attempt(subject.load_state_dict, state)
    if error is not None:
        raise Unresumed(f"load_state_dict() raised {say_error(error)}")


def finish(seat: Seat, subject: Any, epoch: int, steps: int, *, goes_on: bool = False) -> None:
    """Take what is left of an epoch after so many steps and then, unless it is endless, the next epoch.

    Then ask for the length of that epoch; where passes advance it would be the one after it. What ``goes_on``
    takes that one as well.
    """
    if seat.contract.endless:
        seat.take(subject, epoch, limit=seat.cap - steps)
        return
    seat.take(subject, epoch)
    subject = seat.begin(subject, epoch + 1)
    seat.take(subject, epoch + 1)
    if not seat.contract.advances:
        seat.ask_length(subject, NEXT, epoch + 1)
    if goes_on:
        seat.take(seat.begin(subject, epoch + LATER), epoch + LATER)


def attempt(seat: Seat, way: str, epoch: int, stops: tuple[int, ...], act: Callable[[], None]) -> list[Any]:
    """Carry out one trial, enter it into the record, and return the states that were saved in it.

    The reason is entered, too, if it could not be resumed.
    """
    return seat.once(partial(_attempt, seat, way, epoch, stops, act))


def _attempt(seat: Seat, way: str, epoch: int, stops: tuple[int, ...], act: Callable[[], None]) -> list[Any]:
    first, asked, error = len(seat.record.passes), len(seat.record.lengths), ""
    seat.saved = []
    try:
        act()
    except Unresumed as unresumed:
        error = str(unresumed)
    except Stopped as stopped:
        fault = stopped.fault
        if fault.kind != "raised":
            raise
        error = f"{fault.phase} raised {fault.error}: {fault.message}"
    said = next((answer.value for answer in seat.record.lengths[asked:] if answer.when == NEXT), None)
    trials = seat.record.notes.setdefault("trials", [])
    trials.append(Trial(way, epoch, stops, first, error, said))
    return seat.saved
