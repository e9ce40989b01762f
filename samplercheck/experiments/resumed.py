"""Experiments ``resumed`` and ``resumed_again``: runs stopped on their way and resumed in a new object.

Run inside a rank. The first passes are those of an uninterrupted run; ``notes["trials"]`` says what the
others are, ``notes["tells_steps"]`` whether states saved at other places of an epoch differ,
``notes["reshaped"]`` where a state has another shape than the one it was loaded from, ``notes["absent"]``
which keys a new object's state lacks, ``notes["changed"]`` what changed in a state as its object went on.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

from samplercheck.experiments._resuming import (
    Stop,
    attempt,
    earliest_stop,
    epochs_to_stop_in,
    finish,
    fresh,
    goes_straight,
    load,
    names_next,
    reload,
    save,
    state_after,
    stop_at,
    stops_of,
)
from samplercheck.experiments.saved import go_on_saving
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.states import copy_state, find_reshaped, is_same, missing_keys
from samplercheck.values.limits import lap_of
from samplercheck.values.record import Pass

CHAIN = 2
ROUNDS = 2
LONGEST_KEPT = 32
"""Steps of a pass beyond which a state that is kept shows nothing that a short pass does not."""


def resume_once(seat: Seat) -> None:
    """Experiment ``resumed``: runs stopped once, at each place of the first epoch and of a later one.

    Read by SC701, SC702 and SC703.
    """
    straight = goes_straight(seat)
    if not straight:
        return
    tells = []
    for epoch in epochs_to_stop_in(seat):
        states: dict[int, Any] = {}
        stops = stops_of(seat, straight[epoch])
        for place, stop in enumerate(stops):
            way, goes_on = "plain" if not stop[1] else "end seen", place in (1, len(stops) - 1)
            act = partial(_resume_in_place, seat, epoch, stop, goes_on=goes_on)
            saved = attempt(seat, way, epoch, stop[:1], act)
            if saved and not stop[1]:
                states[stop[0]] = saved[0]
        tells += [not is_same(*pair) for pair in pairwise(states.values())]
    seat.record.notes["tells_steps"] = bool(tells) and all(tells)
    if seat.sets_epochs and seat.record.notes["manner"] == "state_dict":
        _resume_into_other_epochs(seat, straight)


def _resume_in_place(seat: Seat, epoch: int, stop: Stop, *, goes_on: bool) -> None:
    """Stop and resume as the loop header of a training script does it: load, set_epoch, iterate.

    Behind a stop after one step and behind the last one it ``goes_on`` for an epoch more.
    """
    subject, (_, taken) = stop_at(seat, epoch, stop)
    state = save(seat, subject, epoch, [taken])
    target = epoch
    if names_next(seat):
        # A script that counts samples, or epochs, knows when one is over.
        target += taken.steps == seat.record.passes[epoch].steps > 0
    resumed = reload(seat, state, target)
    seat.ask_length(resumed, "loaded", epoch)
    finish(seat, seat.begin(resumed, target), target, stop[0], goes_on=goes_on)


def _resume_into_other_epochs(seat: Seat, straight: tuple[Pass, ...]) -> None:
    """Go to the next epoch at once, from the middle and from the end; call set_epoch or len() before loading.

    And stop behind another pass of the first epoch, in which a script has looked at what comes.
    """
    states: list[Any] = []
    last = straight[0].steps
    if last > 1 and not seat.in_step:  # ranks that wait would give up unequally often
        attempt(seat, "looked at", 0, (last // 2,), partial(_look_and_stop, seat, last // 2))
    for stop in dict.fromkeys(((last // 2, False), (last, True))):
        states += attempt(seat, "at once", 0, stop[:1], partial(_load_and_go_on, seat, stop))
    for epoch in epochs_to_stop_in(seat)[1:]:
        stop = straight[epoch].steps // 2, False
        states += attempt(seat, "epoch first", epoch, stop[:1], partial(_set_epoch_first, seat, epoch, stop))
        attempt(seat, "counted first", epoch, stop[:1], partial(_count_first, seat, epoch, stop))
    seat.record.notes["tells_epochs"] = bool(states) and not is_same(states[0], states[-1])


def _load_and_go_on(seat: Seat, stop: Stop) -> None:
    """Load and go to the next epoch at once, which starts at its beginning; nowhere without a set_epoch."""
    resumed = reload(seat, state_after(seat, 0, stop), 0)
    if seat.can_set_epoch(resumed):
        seat.take(seat.begin(resumed, 1), 1)


def _look_and_stop(seat: Seat, stop: int) -> None:
    """Give up a pass after its first step, then stop in another one of the same epoch and resume."""
    subject = seat.begin(fresh(seat, 0), 0)
    seat.take(subject, 0, limit=1)
    seat.record.passes.pop()
    opened = seat.open(seat.begin(subject, 0), 0)
    seat.advance(opened, stop)
    resumed = reload(seat, save(seat, subject, 0, [opened[1]]), 0)
    finish(seat, seat.begin(resumed, 0), 0, stop)


def _set_epoch_first(seat: Seat, epoch: int, stop: Stop) -> None:
    """Go to the epoch and then load, which must be the same as the other way round."""
    state = state_after(seat, epoch, stop)
    seat.ambient.find_moved()
    resumed = seat.begin(fresh(seat, epoch), epoch)
    load(seat, resumed, state)
    finish(seat, resumed, epoch, stop[0])


def _count_first(seat: Seat, epoch: int, stop: Stop) -> None:
    """Ask a new object how long its epoch is, as a script that plans its steps, and then load."""
    state = state_after(seat, epoch, stop)
    seat.ambient.find_moved()
    resumed = fresh(seat, epoch)
    if hasattr(resumed, "__len__"):
        seat.attempt(len, resumed)
    load(seat, resumed, state)
    finish(seat, seat.begin(resumed, epoch), epoch, stop[0])


def resume_repeatedly(seat: Seat) -> None:
    """Experiment ``resumed_again``: runs stopped several times within one epoch, and a state loaded twice.

    In the first epoch and in a later one; a state that is loaded and saved before anything is taken; one
    to which a run is rolled back in its process; and a run that goes on once its states were saved.
    Read by SC703 and SC707.
    """
    straight = goes_straight(seat)
    if not straight:
        return
    for epoch in epochs_to_stop_in(seat):
        for stops in _chains(seat, straight[epoch]):
            attempt(seat, "chain", epoch, stops, partial(_resume_in_chain, seat, epoch, stops))
        stop = _one_stop(seat, straight[epoch])
        if seat.record.notes["manner"] == "state_dict" and stop is not None:
            attempt(seat, "twice", epoch, (stop,), partial(_load_twice, seat, epoch, stop))
            if not (epoch or seat.in_step):
                attempt(seat, "rolled back", epoch, (stop,), partial(_roll_back, seat, epoch, stop))
            if stop:
                attempt(seat, "saved again", epoch, (stop,), partial(_save_again, seat, epoch, stop))
                if not (epoch or seat.in_step) and straight[epoch].steps <= LONGEST_KEPT:
                    attempt(seat, "saved", epoch, (stop,), partial(go_on_saving, seat, stop))


def _one_stop(seat: Seat, pass_: Pass) -> int | None:
    """Return a place where ``resumed`` stops, too: what is wrong there is no fault of a second load."""
    if seat.case.stop is None:
        return pass_.steps // 2
    inside = (stop for stop, _ in stops_of(seat, pass_) if not (names_next(seat) and stop == pass_.steps > 0))
    return next(inside, None)


def _chains(seat: Seat, pass_: Pass) -> tuple[tuple[int, ...], ...]:
    """Return the stops of several runs: close together, far apart, at the end; each after the one before."""
    last = min(pass_.steps, lap_of(seat.case, seat.contract)) if seat.contract.endless else pass_.steps
    if names_next(seat):
        last -= 1  # from the end the script would go on to the next epoch
    if seat.in_step and seat.contract.tail == "keep":  # ranks that wait would stop unequally often
        return ()
    chains: tuple[tuple[int, ...], ...]
    chains = (0, 1), (1, 2, 3), (last // 2, last // 2 + 1), (1, last - 1), (1, last)
    if seat.case.stop is not None:
        chains = (1, seat.case.stop), (seat.case.stop, seat.case.stop + 1)
    first = earliest_stop(seat, pass_.epoch)
    inside = [tuple(sorted({stop for stop in chain if first <= stop <= last})) for chain in chains]
    return tuple(dict.fromkeys(chain for chain in inside if len(chain) >= CHAIN))


def _resume_in_chain(seat: Seat, epoch: int, stops: tuple[int, ...]) -> None:
    """Stop, resume, stop again and so on; then take what is left."""
    subject, (_, first) = stop_at(seat, epoch, (stops[0], False))
    taken = [first]
    for before, stop in pairwise(stops):
        subject = seat.begin(reload(seat, save(seat, subject, epoch, taken), epoch), epoch)
        opened = seat.open(subject, epoch)
        seat.advance(opened, stop - before)
        taken.append(opened[1])
    resumed = reload(seat, save(seat, subject, epoch, taken), epoch)
    limit = seat.cap - stops[-1] if seat.contract.endless else None
    seat.take(seat.begin(resumed, epoch), epoch, limit=limit)


def _load_twice(seat: Seat, epoch: int, stop: int) -> None:
    """Load a state that was just loaded."""
    state = state_after(seat, epoch, (stop, False))
    resumed = reload(seat, state, epoch)
    load(seat, resumed, state)
    finish(seat, seat.begin(resumed, epoch), epoch, stop)


def _roll_back(seat: Seat, epoch: int, stop: int) -> None:
    """Load a state, go on for a step and load it once more, as a script does that meets a loss of NaN.

    The pass that is then given up is closed after the state was loaded: by the break out of its loop.
    """
    state = state_after(seat, epoch, (stop, False))
    resumed = seat.begin(reload(seat, state, epoch), epoch)
    opened = seat.open(resumed, epoch)
    seat.advance(opened, 1)
    seat.record.passes.pop()
    load(seat, resumed, state)
    del opened
    finish(seat, seat.begin(resumed, epoch), epoch, stop)


def _save_again(seat: Seat, epoch: int, stop: int) -> None:
    """Load a state and save it before anything is taken, twice, and go on from what was saved last."""
    states = [state_after(seat, epoch, (stop, False))]
    for _ in range(ROUNDS):
        loaded = reload(seat, copy_state(states[-1]), epoch)
        state, refused = seat.attempt(loaded.state_dict)
        if refused is not None:  # nothing is lost: the checkpoint before is still the last one
            return
        states.append(copy_state(state))
    notes = seat.record.notes
    notes["reshaped"] = notes.get("reshaped") or find_reshaped(*states[1:])
    template, _ = seat.attempt(fresh(seat, epoch).state_dict)
    notes["absent"] = notes.get("absent") or missing_keys(states[0], template)
    finish(seat, seat.begin(reload(seat, states[-1], epoch), epoch), epoch, stop)
