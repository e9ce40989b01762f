"""Experiments ``workers`` and ``delivered``: passes without and with the workers of a DataLoader.

Run inside a rank of a simulated world: real ranks and ranks that wait for one another have no workers. What
fails with workers alone is noted and no fault: it says nothing about the target without them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from typing import Any

from samplercheck.experiments._loader_workers import (
    OpenedLoaders,
    ask_ahead,
    find_roles,
    goes_wrong,
    spawn_workers,
    with_workers,
)
from samplercheck.experiments._resuming import Unresumed, manner_of, reload, save, stop_at
from samplercheck.experiments.loaders import (
    HOME,
    ByWorker,
    Way,
    adjust,
    is_of_torch,
    is_stream,
    keeps_state,
    ways_of,
    wrap,
)
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.states import is_same
from samplercheck.experiments.stopped import Stopped

EPOCHS, OF_DRAWS = 2, 16
"""How many epochs are taken where workers persist; others start again in each, and take one.

Of draws with replacement more are taken where a case has them: in a few, workers may agree by luck."""


def compare_ways(seat: Seat) -> None:
    """Experiment ``workers``: the first epochs without workers and, way by way, with workers.

    Read by SC801, SC802 and SC803, in cases that have workers; in others only roles are noted.
    ``notes["of"]`` numbers the way of each pass, ``notes["by"]`` the worker of each item of a stream, and
    ``notes["stopped"]`` says what failed, ``notes["unseen"]`` that a loader of the user's own was asked for
    workers and showed none. A sampler that keeps a state goes on in each way from that of an interrupted
    epoch, and so does a loader from samples consumed, as ``notes["goes_on"]`` says: what an iterator spends
    when it is opened is spent twice where a loader opens two.
    """
    notes = seat.record.notes
    asked = bool(seat.case.workers) and not seat.in_step
    with with_workers(seat.guard, asked=asked) as end_workers:
        notes["roles"] = find_roles(seat)
        if not asked:
            return
        end_workers()
        rigid = "own_loader" if seat.contract.resume == "consumed" else "loader"
        state = None if {rigid, "stream"} & {*notes["roles"]} else _state_of_sampler(seat)
        notes["goes_on"] = state is not None
        if state is None and _stands_alone(seat) and ask_ahead(seat):
            return
        # Of a loader of the user's own nothing but the number of workers is chosen.
        ways = [HOME, *((Way(seat.case.workers),) if _is_own(seat) else ways_of(seat.case.workers))]
        _take_ways(seat, ways, state, end_workers)


def _take_ways(seat: Seat, ways: list[Way], state: Any, end_workers: Callable[[], None]) -> None:
    """Take the ways one by one and note what became of each; forked workers come before spawned ones."""
    notes = seat.record.notes
    of: list[int] = []
    by: list[tuple[int, ...]] = []
    stopped: dict[int, str] = {}
    for number, way in enumerate(ways):
        if way.spawned and goes_wrong(seat, of):
            break  # forked ones have shown it, in a tenth of the time
        try:
            ways[number] = _take(seat, way, of, by, number, state)
        except Stopped as error:
            end_workers()
            if way is HOME:
                raise
            if way.spawned:  # another interpreter may lack what this one has, for any reason
                notes["unspawned"] = error.text
                break
            stopped[number] = error.text
            if error.fault.kind == "deadline":  # what hangs once has cost enough
                break
    notes["ways"] = tuple((way.workers, way.prefetch, way.persistent) for way in ways)
    notes["spawned"] = tuple(number for number, way in enumerate(ways) if way.spawned)
    notes["of"], notes["by"], notes["stopped"] = tuple(of), tuple(by), stopped


def _stands_alone(seat: Seat) -> bool:
    """Whether this is no loader or stream, and no pass depends on how often an iterator was opened."""
    roles, contract = {*seat.record.notes["roles"]}, seat.contract
    moves = contract.epochs == "advance" and contract.ambient_rng == "independent"
    return not ({"loader", "stream"} & roles or moves)


def _is_own(seat: Seat) -> bool:
    return "own_loader" in seat.record.notes["roles"]


def _state_of_sampler(seat: Seat) -> Any:
    """Return the state of a sampler that is stopped in its first epoch; None where it keeps none.

    Where every pass is an epoch, or what goes on from the state does not do so twice, whole passes are taken.
    """
    contract = seat.contract
    is_alike = contract.epochs == "fixed"  # whatever the process's generators are at
    names = contract.epochs == "set_epoch" and contract.ambient_rng != "shared"
    can_go_on = (names or is_alike) and not contract.endless
    manner = manner_of(seat, seat.build()) if can_go_on else ""
    if not manner:
        return None
    try:
        if manner == "consumed":  # which is counted by a whole pass
            seat.take(seat.begin(seat.build(), 0), 0)
        subject, (_, taken) = stop_at(seat, 0, (seat.case.stop or 1, False))
        state = save(seat, subject, 0, [taken])
        seat.record.passes.clear()
        for _ in range(2):
            seat.take(seat.begin(reload(seat, deepcopy(state), 0), 0), 0)
        first, second = seat.record.passes
    except (Unresumed, Stopped):  # the finding of the laws about resuming
        return None
    finally:
        seat.record.passes.clear()
    return state if first.same_as(second) else None


def _take(seat: Seat, way: Way, of: list[int], by: list[tuple[int, ...]], number: int, state: Any) -> Way:
    """Take the passes of one way, on objects of its own; return the way that was taken."""
    named = "num_workers" in seat.binding.named
    subject = _build(seat, way) if state is None else reload(seat, deepcopy(state), 0)
    batched = any(pass_.sizes is not None for pass_ in seat.record.passes)
    loader: Any = None
    with OpenedLoaders() as opened:
        for epoch in _epochs(seat, way):
            before, subject = subject, seat.begin(subject, epoch)
            if "loader" in seat.record.notes["roles"]:
                loader = subject if named and _is_own(seat) else adjust(subject, way)
            elif way is HOME:
                loader = subject
            elif loader is None or not way.persistent or subject is not before:
                loader = wrap(subject, way, seat.case.length, batched=batched)
            with spawn_workers(loader, seat.guard) if way.spawned and is_of_torch(loader) else nullcontext():
                taken = ByWorker(loader) if is_stream(subject) and loader is not subject else None
                seat.take(loader if taken is None or way.spawned else taken, epoch)
            of.append(number)
            by.append(tuple(taken.by) if taken else ())
    return way if way is HOME or not _is_own(seat) else _find_way(seat, way, opened)


def _find_way(seat: Seat, way: Way, opened: list[Any]) -> Way:
    """Return the way that a loader of the user's own took: as its author built those that it opened."""
    inner = next((loader for loader in opened if loader.num_workers), None)
    if inner is None:
        seat.record.notes["unseen"] = True
        return way
    return Way(way.workers, inner.prefetch_factor, inner.persistent_workers)


def _epochs(seat: Seat, way: Way) -> range:
    """Return the epochs that are taken: workers that start again need one, and spawned ones a later one.

    Where a stream counts its passes, another one shows whether those are counted that workers took.
    """
    most = min(seat.case.epochs, OF_DRAWS if seat.contract.coverage == "sampled" else EPOCHS)
    if way.spawned:
        return range(most - 1, most) if seat.sets_epochs else range(1)
    counts = seat.contract.advances and "stream" in seat.record.notes["roles"]
    return range(most if way.persistent or way is HOME or _is_own(seat) or counts else 1)


def resume_ways(seat: Seat) -> None:
    """Experiment ``delivered``: a loader that keeps a state is resumed, with and without workers.

    In each way it takes a whole pass, its first steps, and what a new loader yields from their state on. Read
    by SC804 in cases that have workers. ``notes["resumed"]`` holds the ways that got to the end,
    ``notes["stopped"]`` what ended others, ``notes["saved"]`` whether both had saved the same.
    """
    notes, states = seat.record.notes, []
    notes["resumed"], notes["stopped"] = (), {}
    if not seat.case.workers or seat.in_step or seat.contract.resume not in ("auto", "state_dict"):
        return
    with with_workers(seat.guard) as end_workers:
        for way in (HOME, Way.of(seat.case.workers)):
            if not keeps_state(subject := _build_loader(seat, way)):
                return
            kept = len(seat.record.passes)
            try:
                states.append(_resume(seat, way, subject))
                notes["resumed"] += (way.workers,)
            except Stopped as error:
                end_workers()
                del seat.record.passes[kept:]
                notes["stopped"][way.workers] = error.text
    notes["saved"] = len(states) > 1 and is_same(*states)


def _resume(seat: Seat, way: Way, subject: Any) -> Any:
    seat.take(seat.begin(subject, 0), 0)
    state = _interrupt(seat, seat.begin(_build_loader(seat, way), 0))
    resumed = _build_loader(seat, way)
    seat.within("call", None, lambda: resumed.load_state_dict(state))
    seat.take(seat.begin(resumed, 0), 0)
    return state


def _interrupt(seat: Seat, subject: Any) -> Any:
    """Take the first steps and return the state that the loader is in while its iterator still lives."""
    opened = seat.open(subject, 0)
    opened[1].ending = "abandoned"
    for _ in range(seat.case.stop or 1):
        seat.step(opened)
    return seat.within("call", None, lambda: deepcopy(subject.state_dict()))


def _build_loader(seat: Seat, way: Way) -> Any:
    """Return a new loader that goes this way."""
    return adjust(_build(seat, way), way)


def _build(seat: Seat, way: Way) -> Any:
    """Return a new object, built with the number of workers where it names one."""
    return seat.build(**({"num_workers": way.workers} if "num_workers" in seat.binding.named else {}))
