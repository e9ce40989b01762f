"""Resuming in scripts: runs that are stopped on their way and go on in a new object, in a world of any size.

Copied into scripts as they stand, like the functions of ``_setup``.
"""

from __future__ import annotations

import copy
import io
import math
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.storage.scripts._judges import find_miscounted, judge_equal
from samplercheck.storage.scripts._running import in_processes
from samplercheck.storage.scripts._setup import Setup, count, plain, samples, seed_generators

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def build_at(setup: Setup, rank: int, epoch: int, /, **changes: Any) -> Any:
    """Return a new object; what learns its epoch when it is built gets it."""
    subject = setup.build(rank, **changes)
    told = epoch and setup.promise["epochs"] == "set_epoch" and "epoch" in setup.names
    return (
        setup.build(rank, **changes, epoch=epoch) if told and not hasattr(subject, "set_epoch") else subject
    )


def go_to(setup: Setup, rank: int, epoch: int, /, **changes: Any) -> Any:
    """Return a new object at the beginning of an epoch."""
    subject = build_at(setup, rank, epoch, **changes)
    for _ in range(0 if setup.promise["epochs"] == "set_epoch" else epoch):
        setup.take(subject)
    setup.begin(rank, subject, epoch)
    return subject


def save(setup: Setup, subject: Any, epoch: int, done: list[Any], whole: list[Any]) -> Any:
    """Return what a checkpoint keeps of a run that has done these steps of its epoch."""
    promise = setup.promise
    if promise["resume"] != "consumed":
        return copy.deepcopy(subject.state_dict())
    so_far = len(samples(done)) * promise["places"]
    total = len(samples(whole[0])) * promise["places"] if promise["total"] is None else promise["total"]
    return so_far if promise["endless"] else epoch * total + min(so_far, total)


def resume(setup: Setup, rank: int, state: Any, epoch: int, /, **place: int) -> Any:
    """Return a new object that goes on from a state, in a process whose generators are elsewhere."""
    seed_generators(77_000 + rank)
    if setup.promise["resume"] == "consumed":
        return build_at(setup, rank, epoch, consumed=state, **place)
    subject = build_at(setup, rank, epoch, **place)
    subject.load_state_dict(state)
    return subject


def finish(setup: Setup, rank: int, subject: Any, epoch: int, steps: int = 0) -> list[Any]:
    """Return what is left of an epoch behind so many steps and then, but for endless ones, the next."""
    setup.begin(rank, subject, epoch)
    if setup.promise["endless"]:
        return [setup.take(subject, setup.promise["most_steps"] - steps)]
    rest = setup.take(subject)
    return [rest, setup.take(setup.begin(rank, subject, epoch + 1))]


def take_whole(setup: Setup, rank: int) -> tuple[list[int], list[Any]]:
    """Return the epochs to stop in, a later one where it can be reached, and all epochs unstopped."""
    alone = setup.case["epochs"] == 1 or setup.promise["ambient_rng"] == "shared"
    return ([0], setup.passes(rank, 3)) if alone else ([0, 1], setup.passes(rank, 4))


def run_with_stops(
    setup: Setup, rank: int, whole: list[Any], epoch: int, stops: Sequence[int], way: str = ""
) -> tuple[list[Any], list[Any]]:
    """Stop and resume an epoch in new objects; return what came before each stop, and after all."""
    subject, target = go_to(setup, rank, epoch), epoch
    done: list[Any] = []
    for before, steps in pairwise([0, *stops]):
        if done:
            setup.begin(rank, subject, epoch)
        opened = iter(subject)
        done.append([plain(step) for step in islice(opened, steps - before)])
        if way == "its end seen":
            next(opened, None)
        state = save(setup, subject, epoch, samples(done), whole)
        if way == "set_epoch before loading":
            subject = build_at(setup, rank, epoch)
            setup.begin(rank, subject, epoch)
            subject.load_state_dict(state)
            return done, [setup.take(subject)]
        if setup.promise["resume"] == "consumed" and setup.promise["epochs"] == "set_epoch":
            target += samples(done) == whole[epoch] != []  # who counts samples knows when an epoch is over
        subject = resume(setup, rank, state, target)
        if way == "loaded twice":
            subject.load_state_dict(state)
    if way == "the next epoch at once":
        return done, [setup.take(setup.begin(rank, subject, epoch + 1))]
    return done, finish(setup, rank, subject, target, stops[-1])


def find_rest(setup: Setup, whole: list[Any], epoch: int, steps: int, after: list[Any]) -> Any:
    """Return what was left of an epoch, or what may come instead where no set_epoch tells epochs apart."""
    if setup.promise["epochs"] != "set_epoch" or setup.promise["resume"] == "consumed":
        if steps >= len(whole[epoch]) and after[0] == whole[epoch + 1]:
            return after[0]  # the next epoch straight away
        if not steps and epoch and after[:2] == [[], whole[epoch]]:
            return []  # the state may be that of the end before
    return whole[epoch][steps:]


def stop_once(setup: Setup, rank: int) -> Iterator[tuple[str, list[Any], int, int, list[Any], Any]]:
    """Stop at the ends of an epoch and between; yield what came after, and what was left."""
    epochs, whole = take_whole(setup, rank)
    endless, sets_epochs = setup.promise["endless"], setup.promise["epochs"] == "set_epoch"
    for epoch in epochs:
        last = len(whole[epoch]) // (2 if endless else 1)
        ways = [("", steps) for steps in sorted({0, min(1, last), last // 2, max(0, last - 1), last})]
        ways += [] if endless else [("its end seen", last)]
        if epoch and sets_epochs and setup.promise["resume"] != "consumed":
            ways.append(("set_epoch before loading", last // 2))
        for way, steps in ways:
            done, after = run_with_stops(setup, rank, whole, epoch, [steps], way)
            if done == [whole[epoch][:steps]]:
                told = f"a stop after {steps} steps of epoch {epoch}{way and f', {way}'}"
                yield told, whole, epoch, steps, after, find_rest(setup, whole, epoch, steps, after)


def resume_once(setup: Setup, rank: int) -> Any:
    """Return what comes after single stops, and what was left there."""
    return [(f"what comes after {told},", after[0], left) for told, *_, after, left in stop_once(setup, rank)]


def go_to_the_next(setup: Setup, rank: int) -> Any:
    """Return the epochs after resumed ones, and those of a run that nobody stops."""
    shared, results = setup.promise["ambient_rng"] == "shared", []
    for told, whole, epoch, steps, after, left in stop_once(setup, rank):
        is_end = steps >= len(whole[epoch])
        due = whole[epoch + (1 if after[0] == whole[epoch][steps:] else 2 * is_end)]
        if after[0] == left and after[1:] and not (shared and setup.promise["variable"]):
            found, due = (len(after[1]), len(due)) if shared else (after[1], due)
            results.append((f"the epoch after {told},", found, due))
    if not shared and setup.promise["epochs"] == "set_epoch" and setup.promise["resume"] != "consumed":
        _, whole = take_whole(setup, rank)
        states = [repr(go_to(setup, rank, epoch).state_dict()) for epoch in (0, 1)]
        for steps in (len(whole[0]) // 2, len(whole[0])) if states[0] != states[1] else ():
            _, after = run_with_stops(setup, rank, whole, 0, [steps], "the next epoch at once")
            results.append((f"the next epoch at once, loaded after {steps} steps,", after[0], whole[1]))
    return results


def resume_often(setup: Setup, rank: int) -> Any:
    """Stop epochs several times, or load a state twice; return them and what they should be."""
    consumed, sets_epochs = setup.promise["resume"] == "consumed", setup.promise["epochs"] == "set_epoch"
    (epochs, whole), results = take_whole(setup, rank), []
    for epoch in epochs:
        last = len(whole[epoch]) // (2 if setup.promise["endless"] else 1) - (consumed and sets_epochs)
        chains = [(0, 1), (1, 2, 3), (last // 2, last // 2 + 1), (1, last - 1), (1, last)]
        inside = [tuple(sorted({steps for steps in chain if 0 <= steps <= last})) for chain in chains]
        runs = [("", stops) for stops in dict.fromkeys(inside) if stops[1:]]
        for way, stops in runs if consumed else [*runs, ("loaded twice", (len(whole[epoch]) // 2,))]:
            if (sets_epochs and not consumed) or stops[0] or not epoch:  # else it may be the end before
                done, after = run_with_stops(setup, rank, whole, epoch, stops, way)
                due = [whole[epoch][begin:end] for begin, end in pairwise([0, *stops])]
                left = find_rest(setup, whole, epoch, stops[-1], after)
                told = f"epoch {epoch}, stopped after {list(stops)} steps{way and f', {way}'},"
                results.append((told, [*done, after[0]], [*due, left]))
    return results


def stop(setup: Setup, rank: int, whole: list[Any], epoch: int, steps: int) -> tuple[list[Any], Any]:
    """Return the first steps of an epoch, and what a checkpoint keeps then."""
    subject = go_to(setup, rank, epoch)
    opened = iter(subject)
    done = [plain(step) for step in islice(opened, steps)]
    return done, save(setup, subject, epoch, done, whole)


def save_to_file(setup: Setup, rank: int) -> Any:
    """Keep a state in a file, and return what comes from it where another object has run."""
    epochs, whole = take_whole(setup, rank)
    epoch, file = epochs[-1], io.BytesIO()
    steps = len(whole[epoch]) // 2
    left = whole[epoch][steps:]
    torch.save(stop(setup, rank, whole, epoch, steps)[1], file)
    saved = [file.getvalue().hex(), epoch, steps]
    goes_on = go_on_from_file({rank: saved}, setup, rank) == left
    other = go_to(setup, rank, 0)
    setup.take(other)
    other.state_dict()
    beside = go_on_from_file({rank: saved}, setup, rank)
    return [
        ("what comes where another object has run before", beside if goes_on else left, left, saved, goes_on)
    ]


def go_on_from_file(files: Any, setup: Setup, rank: int) -> Any:
    """Return what a run yields that goes on from a rank's file."""
    file, epoch, steps = files[rank]
    state = torch.load(io.BytesIO(bytes.fromhex(file)), weights_only=True)
    return finish(setup, rank, resume(setup, rank, state, epoch), epoch, steps)[0]


def judge_saved(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the ranks that need more than their saved state, of another object or in a fresh process."""
    yield from judge_equal(setup, ranks)
    others = in_processes(setup, partial(go_on_from_file, [results[0][3] for results in ranks]), 0)
    for rank, (other, [(_, _, left, _, goes_on)]) in enumerate(zip(others, ranks, strict=True)):
        if goes_on and other != left:
            yield f"rank {rank} yields {other} when it is resumed in a fresh process, and {left} was left"


def change_world(setup: Setup, rank: int) -> Any:
    """Return what this rank does before its stops, and what the ranks of other worlds do with its state."""
    size, moves = setup.case["world_size"], []
    epochs, whole = take_whole(setup, rank)
    for epoch in [0] if setup.promise["resume"] == "consumed" else epochs:
        last = min(len(whole[epoch]), setup.promise["even_steps"])
        for steps in sorted({steps for steps in (1, last // 2, last - 1) if 0 < steps < last}):
            done, state = stop(setup, rank, whole, epoch, steps)
            for world in setup.promise["worlds"]:
                told = f"stopped after {steps} steps of epoch {epoch}, on {world} ranks,"
                new = [go_on_as(setup, other, world, state, epoch) for other in range(rank, world, size)]
                moves.append({"told": told, "world": world, "done": done, "new": new})
    return moves


def go_on_as(setup: Setup, rank: int, world: int, state: Any, epoch: int) -> Any:
    """Return what a rank of another world yields: what is left, the next epoch, and that epoch unstopped."""
    place = {"rank": rank, "world_size": world}
    found = finish(setup, rank, resume(setup, rank, copy.deepcopy(state), epoch, **place), epoch)
    return [*found, setup.take(go_to(setup, rank, epoch + 1, **place))]


def judge_worlds(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield where done and rest together are not the epoch, each sample once, or the next is another one."""
    promise, repeats = setup.promise, setup.promise["repeats"]
    for moves in zip(*ranks, strict=True):
        told, done = moves[0]["told"], [move["done"] for move in moves]
        new = [found for move in moves for found in move["new"]]
        there, before = promise["worlds"][moves[0]["world"]], count(done)
        unclear = promise["total"] is None or len({len(steps) for steps in done}) > 1
        is_over = promise["epochs"] != "set_epoch" and before.total() >= (there["total"] or math.inf)
        if not unclear and not is_over and max(before.values(), default=0) <= repeats:
            together = [*done, *[rest for rest, _, _ in new]]
            faults = find_miscounted(setup, together, (repeats, there["lost"]), (repeats, there["again"]))
            yield from (f"{told} the ranks yield {fault}" for fault in faults)
        if promise["ambient_rng"] != "shared":
            yield from judge_equal(setup, [[(f"the next epoch, {told}", *found[1:])] for found in new])
