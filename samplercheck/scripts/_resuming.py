"""Family 7 in scripts: runs that are stopped on their way and go on in a new object.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice
from typing import TYPE_CHECKING, Any

from samplercheck.scripts._bench import Bench, plain, samples, seed_generators

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "CHECKS",
    "RESUMING",
    "epochs_to_stop_in",
    "finish",
    "fresh",
    "is_what_was_left",
    "moved",
    "save",
    "stop_at",
    "trial",
]


def fresh(bench: Bench, rank: int, epoch: int, /, **changes: Any) -> Any:
    """Return a new object; what learns its epoch when it is built is told it."""
    subject = bench.build(rank, **changes)
    told = bench.promise["epochs"] == "set_epoch" and epoch and "epoch" in bench.names
    if told and not hasattr(subject, "set_epoch"):
        subject = bench.build(rank, **changes, epoch=epoch)
    return subject


def stop_at(bench: Bench, rank: int, epoch: int, steps: int, *, ends: bool = False) -> tuple[Any, Any, Any]:
    """Run a new object into an epoch and stop it there; return it, its open pass and what that yielded."""
    subject = fresh(bench, rank, epoch)
    for _ in range(0 if bench.promise["epochs"] == "set_epoch" else epoch):
        bench.take(subject)
    bench.begin(rank, subject, epoch)
    opened = iter(subject)
    taken = [plain(step) for step in islice(opened, steps)]
    if ends:
        next(opened, None)
    return subject, opened, taken


def save(bench: Bench, subject: Any, epoch: int, taken: list[Any], whole: list[Any]) -> Any:
    """Return what a checkpoint keeps of a run that has taken these steps of its epoch."""
    promise = bench.promise
    if promise["resume"] != "consumed":
        return copy.deepcopy(subject.state_dict())
    so_far = len(samples(taken)) * promise["places"]
    if promise["endless"]:
        return so_far
    total = len(samples(whole[0])) * promise["places"] if promise["total"] is None else promise["total"]
    return epoch * total + min(so_far, total)


def moved(bench: Bench, rank: int, state: Any, epoch: int, /, **place: int) -> Any:
    """Return a new object that goes on from a state, in a process whose generators are elsewhere."""
    seed_generators(77_000 + rank)
    if bench.promise["resume"] == "consumed":
        return fresh(bench, rank, epoch, consumed=state, **place)
    subject = fresh(bench, rank, epoch, **place)
    subject.load_state_dict(state)
    return subject


def finish(bench: Bench, rank: int, subject: Any, epoch: int, steps: int) -> list[Any]:
    """Return what is left of an epoch behind so many steps and then, but for endless ones, the next."""
    bench.begin(rank, subject, epoch)
    if bench.promise["endless"]:
        return [bench.take(subject, bench.promise["most_steps"] - steps)]
    rest = bench.take(subject)
    return [rest, bench.take(bench.begin(rank, subject, epoch + 1))]


def epochs_to_stop_in(bench: Bench) -> list[int]:
    """Return the first epoch and, where a later one can be reached again, that too."""
    return [0] if bench.case["epochs"] == 1 or bench.promise["ambient"] == "shared" else [0, 1]


def trial(way: str, epoch: int, stops: list[int], act: Callable[..., Any], *given: Any) -> dict[str, Any]:
    """Return one run that was stopped: what it yielded before each stop and after the last."""
    before: list[Any] = []
    try:
        after, error = act(before, *given), ""
    except Exception as raised:  # noqa: BLE001  (shown to the user)
        after, error = [], f"{type(raised).__name__}: {raised}"
    return {"way": way, "epoch": epoch, "stops": stops, "before": before, "after": after, "error": error}


def resumed(bench: Bench, rank: int) -> Any:
    """Return the epochs of a run that nobody stops, and those of runs that were stopped once."""
    epochs, endless = epochs_to_stop_in(bench), bench.promise["endless"]
    whole: list[Any] = bench.passes(rank, epochs[-1] + 3)
    trials: list[Any] = []
    states: list[Any] = []
    for epoch in epochs:
        last = len(whole[epoch]) // (2 if endless else 1)
        stops = [(one, False) for one in sorted({0, min(1, last), last // 2, max(0, last - 1), last})]
        for steps, ends in stops if endless else [*stops, (last, True)]:
            trials.append(trial("plain", epoch, [steps], go_on, bench, rank, whole, epoch, steps, ends))
    if bench.promise["epochs"] == "set_epoch" and bench.promise["resume"] != "consumed":
        for steps, ends in ((len(whole[0]) // 2, False), (len(whole[0]), True)):
            trials.append(trial("at once", 0, [steps], go_to_the_next, bench, rank, states, steps, ends))
        for epoch in epochs[1:]:
            steps = len(whole[epoch]) // 2
            trials.append(trial("epoch first", epoch, [steps], load_last, bench, rank, states, epoch, steps))
    knows = bool(states) and repr(states[0]) != repr(states[-1])
    return {"whole": whole, "trials": trials, "knows epochs": knows}


def go_on(
    before: list[Any],
    bench: Bench,
    rank: int,
    whole: list[Any],
    epoch: int,
    steps: int,
    ends: bool,  # noqa: FBT001  (handed on by ``trial``)
) -> list[Any]:
    """Stop and resume as the loop header of a training script does it: load, set_epoch, iterate."""
    subject, _opened, taken = stop_at(bench, rank, epoch, steps, ends=ends)
    before.append(taken)
    state = save(bench, subject, epoch, taken, whole)
    if bench.promise["resume"] == "consumed" and bench.promise["epochs"] == "set_epoch":
        epoch += len(taken) == len(whole[epoch]) > 0  # who counts samples knows when an epoch is over
    return finish(bench, rank, moved(bench, rank, state, epoch), epoch, steps)


def go_to_the_next(
    before: list[Any],
    bench: Bench,
    rank: int,
    states: list[Any],
    steps: int,
    ends: bool,  # noqa: FBT001  (handed on by ``trial``)
) -> list[Any]:
    """Load, and go to the next epoch at once: it is begun from its beginning."""
    subject, _opened, taken = stop_at(bench, rank, 0, steps, ends=ends)
    before.append(taken)
    states.append(copy.deepcopy(subject.state_dict()))
    return [bench.take(bench.begin(rank, moved(bench, rank, states[-1], 0), 1))]


def load_last(
    before: list[Any], bench: Bench, rank: int, states: list[Any], epoch: int, steps: int
) -> list[Any]:
    """Go to the epoch and then load, which must be the same as the other way round."""
    subject, _opened, taken = stop_at(bench, rank, epoch, steps)
    before.append(taken)
    states.append(copy.deepcopy(subject.state_dict()))
    seed_generators(77_000 + rank)
    subject = fresh(bench, rank, epoch)
    bench.begin(rank, subject, epoch)
    subject.load_state_dict(states[-1])
    return [bench.take(subject)]


def is_what_was_left(bench: Bench, one: dict[str, Any], run: dict[str, Any]) -> bool:
    """Whether a run went on where it was stopped; at an end, perhaps with the next epoch straight away."""
    steps, epoch, after = run["stops"][-1], run["epoch"], run["after"]
    whole = one["whole"][epoch]
    if after[0] == whole[steps:]:
        return True
    if bench.promise["epochs"] == "set_epoch" and bench.promise["resume"] != "consumed":
        return False
    if steps >= len(whole):
        return bool(after[0] == one["whole"][epoch + 1])
    return bool(not steps and epoch and not after[0] and after[1:] == [whole])


def lost_its_place(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A run that was stopped goes on with what was left."""
    for rank, one in enumerate(ranks):
        for run in one["trials"]:
            told = f"rank {rank}, stopped after {run['stops']} steps of epoch {run['epoch']},"
            whole = one["whole"][run["epoch"]]
            if run["way"] == "at once" or run["before"] != [whole[: run["stops"][0]]]:
                continue
            if run["error"]:
                yield f"{told} cannot be resumed: {run['error']}"
            elif not is_what_was_left(bench, one, run):
                yield f"{told} yields {run['after'][0]}, and {whole[run['stops'][0] :]} was left"


def next_not_whole(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """The epoch after a resumed one is whole."""
    for rank, one in enumerate(ranks):
        for run in one["trials"]:
            at_once, number = run["way"] == "at once", run["epoch"]
            if run["error"] or not run["after"][0 if at_once else 1 :]:
                continue
            found, due = run["after"][-1], one["whole"][number + 1]
            if not at_once:
                if not is_what_was_left(bench, one, run):
                    continue
                whole, steps = one["whole"][number], run["stops"][-1]
                if run["after"][0] != whole[steps:]:  # the next epoch has come straight away
                    due = one["whole"][number + (2 if steps >= len(whole) else 0)]
            same = found == due or (at_once and not one["knows epochs"])
            if bench.promise["ambient"] == "shared":
                same = at_once or len(found) == len(due) or bench.promise["variable"]
            if not same:
                told = f"rank {rank}, stopped after {run['stops']} steps of epoch {number},"
                yield f"{told} yields {found} in the next epoch, which should be {due}"


RESUMING = (fresh, stop_at, save, moved, finish, epochs_to_stop_in, trial, is_what_was_left)
ONCE = (*RESUMING, go_on, go_to_the_next, load_last)
CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC701": (resumed, lost_its_place, ONCE),
    "SC702": (resumed, next_not_whole, ONCE),
}
