"""Family 7 in scripts: runs that are stopped several times, or whose state is kept in a file.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice, pairwise
from typing import Any

import torch

from samplercheck.scripts._bench import Bench, plain
from samplercheck.scripts._resuming import (
    RESUMING,
    epochs_to_stop_in,
    finish,
    fresh,
    is_what_was_left,
    moved,
    save,
    stop_at,
    trial,
)

__all__ = ["CHECKS"]


def resumed_again(bench: Bench, rank: int) -> Any:
    """Return runs that were stopped several times within one epoch, or whose state was loaded twice."""
    promise, epochs = bench.promise, epochs_to_stop_in(bench)
    whole: list[Any] = bench.passes(rank, epochs[-1] + 3)
    trials = []
    for epoch in epochs:
        last = len(whole[epoch]) // (2 if promise["endless"] else 1)
        last -= promise["resume"] == "consumed" and promise["epochs"] == "set_epoch"
        for chain in ((0, 1), (1, 2, 3), (last // 2, last // 2 + 1), (1, last - 1), (1, last)):
            stops = sorted({one for one in chain if 0 <= one <= last})
            if len(stops) > 1:
                trials.append(trial("chain", epoch, stops, stop_often, bench, rank, whole, epoch, stops))
        if promise["resume"] != "consumed":
            middle = len(whole[epoch]) // 2
            trials.append(trial("twice", epoch, [middle], load_twice, bench, rank, whole, epoch, middle))
    return {"whole": whole, "trials": trials}


def stop_often(
    before: list[Any], bench: Bench, rank: int, whole: list[Any], epoch: int, stops: list[int]
) -> list[Any]:
    """Stop, resume, stop again and so on; return what is left."""
    subject, opened, taken = stop_at(bench, rank, epoch, stops[0])
    before.append(taken)
    for earlier, stop in pairwise(stops):
        subject = reloaded(before, bench, rank, whole, epoch, subject)
        bench.begin(rank, subject, epoch)
        opened = iter(subject)
        before.append([plain(step) for step in islice(opened, stop - earlier)])
    subject = reloaded(before, bench, rank, whole, epoch, subject)
    bench.begin(rank, subject, epoch)
    left = bench.promise["most_steps"] - stops[-1]
    return [bench.take(subject, left if bench.promise["endless"] else None)]


def reloaded(before: list[Any], bench: Bench, rank: int, whole: list[Any], epoch: int, subject: Any) -> Any:
    """Return a new object that goes on from where another one is."""
    taken = [step for steps in before for step in steps]
    return moved(bench, rank, save(bench, subject, epoch, taken, whole), epoch)


def load_twice(
    before: list[Any], bench: Bench, rank: int, whole: list[Any], epoch: int, steps: int
) -> list[Any]:
    """Load a state that was just loaded."""
    subject, _opened, taken = stop_at(bench, rank, epoch, steps)
    before.append(taken)
    state = save(bench, subject, epoch, taken, whole)
    subject = moved(bench, rank, state, epoch)
    subject.load_state_dict(state)
    return finish(bench, rank, subject, epoch, steps)


def drifting_off(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A second and third interruption within one epoch lose and repeat nothing."""
    goes_on = bench.promise["epochs"] != "set_epoch" or bench.promise["resume"] == "consumed"
    for rank, one in enumerate(ranks):
        for run in one["trials"]:
            if goes_on and run["epoch"] and not run["stops"][0]:
                continue  # the state may be that of the end before
            whole, stops = one["whole"][run["epoch"]], run["stops"]
            parts = [whole[start:end] for start, end in zip([0, *stops], stops, strict=False)]
            told = f"rank {rank}, stopped after {stops} steps of epoch {run['epoch']},"
            if run["error"]:
                yield f"{told} cannot be resumed: {run['error']}"
            elif run["before"] != parts or not is_what_was_left(bench, one, run):
                yield f"{told} yields {[*run['before'], run['after'][0]]} where the epoch is {whole}"


def saved(bench: Bench, rank: int) -> Any:
    """Return what torch's safe loading says of a state, and what a run yields that was resumed with it.

    Once it goes on as it is, and once after another object has gone elsewhere.
    """
    epoch = epochs_to_stop_in(bench)[-1]
    whole: list[Any] = bench.passes(rank, epoch + 3)
    steps, refused, found = len(whole[epoch]) // 2, "", []
    for disturbed in (False, True):
        subject, _opened, taken = stop_at(bench, rank, epoch, steps)
        state = save(bench, subject, epoch, taken, whole)
        file = io.BytesIO()
        try:
            torch.save(state, file)
            file.seek(0)
            state = torch.load(file, weights_only=True)
        except Exception as error:  # noqa: BLE001  (shown to the user)
            refused = f"{type(error).__name__}: {error}"
        found.append(trial("saved", epoch, [steps], elsewhere, bench, rank, state, epoch, steps, disturbed))
    return {"whole": whole, "refused": refused, "found": found}


def elsewhere(
    _before: list[Any],
    bench: Bench,
    rank: int,
    state: Any,
    epoch: int,
    steps: int,
    disturbed: bool,  # noqa: FBT001  (handed on by ``trial``)
) -> list[Any]:
    """Resume, perhaps where another object has run before: what the process keeps is another then."""
    if disturbed:
        other = bench.begin(rank, fresh(bench, rank, 0), 0)
        bench.take(other)
        other.state_dict()
    return finish(bench, rank, moved(bench, rank, state, epoch), epoch, steps)


def hidden(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A state survives torch.save and torch.load(weights_only=True), and nothing else is needed."""
    for rank, one in enumerate(ranks):
        if one["refused"]:
            yield f"torch.load(weights_only=True) refuses the state of rank {rank}: {one['refused']}"
        alone, beside = one["found"]
        left = one["whole"][alone["epoch"]][alone["stops"][0] :]
        if alone["after"][:1] == [left] and beside["after"][:1] != [left]:
            found = beside["error"] or beside["after"][0]
            yield f"rank {rank} yields {found} where another object has run before, and {left} was left"


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC703": (resumed_again, drifting_off, (*RESUMING, stop_often, reloaded, load_twice)),
    "SC704": (saved, hidden, (*RESUMING, elsewhere)),
}
