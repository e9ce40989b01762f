"""Experiment ``delivered``: a loader that keeps a state is interrupted and resumed, with and without workers.

Runs inside a rank of a simulated world, for loaders alone, in cases that have workers. Read by SC804.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from samplercheck.experiments.loaders import HOME, Way, adjust, keeps_state, with_workers
from samplercheck.experiments.stopped import Stopped

if TYPE_CHECKING:
    from samplercheck.experiments.seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take, in each way, a whole pass, its first steps, and what a new loader yields from their state on.

    ``notes["resumed"]`` holds the ways that got to the end of it, ``notes["stopped"]`` what ended others.
    """
    notes = seat.record.notes
    notes["resumed"], notes["stopped"] = (), {}
    if not seat.case.workers or seat.in_step or seat.contract.resume not in ("auto", "state_dict"):
        return
    with with_workers(seat.guard) as end_workers:
        for way in (HOME, Way.of(seat.case.workers)):
            subject = _loader(seat, way)
            if not keeps_state(subject):
                return
            kept = len(seat.record.passes)
            try:
                _resume(seat, way, subject)
            except Stopped as error:
                end_workers()
                del seat.record.passes[kept:]
                notes["stopped"][way.workers] = error.text
            else:
                notes["resumed"] += (way.workers,)


def _resume(seat: Seat, way: Way, subject: Any) -> None:
    seat.take(seat.begin(subject, 0), 0)
    state = _interrupt(seat, seat.begin(_loader(seat, way), 0))
    resumed = _loader(seat, way)
    seat.call(lambda: resumed.load_state_dict(state))
    seat.take(seat.begin(resumed, 0), 0)


def _interrupt(seat: Seat, subject: Any) -> Any:
    """Take the first steps and return the state that the loader is in while its iterator still lives."""
    opened = seat.open(subject, 0)
    opened[1].ending = "abandoned"
    for _ in range(seat.case.stop or 1):
        seat.step(opened)
    return seat.call(lambda: deepcopy(subject.state_dict()))


def _loader(seat: Seat, way: Way) -> Any:
    """Return a new loader that goes this way."""
    named = "num_workers" in seat.binding.named
    return adjust(seat.build(**({"num_workers": way.workers} if named else {})), way)
