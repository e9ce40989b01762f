"""Families 0, 4 and 5 in scripts: running, agreement and reuse.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice
from typing import Any

import torch

from samplercheck.scripts._bench import Bench, plain, samples, shares
from samplercheck.scripts._orders import strays_of
from samplercheck.scripts._partition import counts, held

__all__ = ["CHECKS"]


def everything(bench: Bench, rank: int) -> Any:
    """Do what a training script may: iterate, ask len(), iterate again, give up, pickle."""
    try:
        bench.passes(rank, bench.case["epochs"])
        subject = bench.begin(rank, bench.build(rank), 0)
        hasattr(subject, "__len__") and len(subject)
        bench.take(subject, 1)
        bench.take(subject)
        first, second = iter(subject), iter(subject)
        next(first, None), next(second, None)
        list(islice(second, bench.promise["most_steps"]))
        bench.passes(rank, 1, subject)
    except (TypeError, NotImplementedError) as error:
        return "" if "len()" in str(error) else f"{type(error).__name__}: {error}"
    except BaseException as error:  # noqa: BLE001  (whatever the target raises)
        return f"{type(error).__name__}: {error}"
    return ""


def failing(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """The target runs without an exception, and ends."""
    for rank, error in enumerate(ranks):
        if error:
            yield f"rank {rank} fails: {error}"


def offered(bench: Bench, rank: int) -> Any:
    """Return what was accepted though it cannot be."""
    world = bench.case["world_size"]
    offers = [
        ("rank", -1),
        ("rank", world),
        ("world_size", 0),
        ("world_size", -1),
        ("batch_size", 0),
        ("batch_size", -1),
    ]
    accepted = []
    for name, value in offers if not rank else ():
        if name in bench.names:
            try:
                bench.build(rank, **{name: value})
                accepted.append(f"{name}={value}")
            except Exception:  # noqa: BLE001, S112  (refused, as it should be)
                continue
    return accepted


def accepting(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Impossible ranks, worlds and batch sizes are refused."""
    if ranks[0]:
        yield f"built without an error: {', '.join(ranks[0])}"


def twice(bench: Bench, rank: int) -> Any:
    """Return the passes of two objects built alike, the second one's first epoch taken twice."""
    number = max(2, bench.case["epochs"])
    first = bench.passes(rank, number)
    subject = bench.begin(rank, bench.build(rank), 0)
    return {"first": first, "again": [bench.take(subject), bench.take(subject)]}


def torn(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """All ranks deal out one and the same order."""
    promise = bench.promise
    for epoch, share, passes in held(bench, [one["first"] for one in ranks]):
        came = counts(passes)
        lost = [one for one in range(bench.case["length"]) if came[one] < promise["repeats"]]
        often = [one for one, number in came.items() if number > promise["most"]]
        if often and len(lost) > promise["losable"]:
            yield f"epoch {epoch}: ranks {share} yield {often[:5]} too often and never {lost[:5]}"
    if promise["ambient"] == "independent":
        yield from built_anew(bench, ranks)


def built_anew(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Two objects built alike yield alike."""
    for rank, one in enumerate(ranks):
        pairs = list(zip(one["first"], one["again"], strict=False))
        for first, again in pairs if bench.promise["epochs"] == "advance" else pairs[:1]:
            if first != again:
                yield f"rank {rank} yields {first}, and {again} when built again"


def states() -> dict[str, Any]:
    """Return the states of the global random generators, numpy's where it is used."""
    found = {"random": random.getstate(), "torch": torch.default_generator.get_state().tolist()}
    if "numpy" in sys.modules:
        _, keys, *rest = sys.modules["numpy"].random.get_state()
        found["numpy"] = (keys.tolist(), *rest)
    return found


def moved_by(bench: Bench, rank: int) -> Any:
    """Return the generators that building and iterating moved."""
    before = states()
    subject = bench.build(rank)
    built = states()
    for epoch in range(bench.case["epochs"]):
        subject = bench.begin(rank, subject, epoch)
        bench.take(subject)
    after = states()
    exempt = "torch" if hasattr(subject, "batch_sampler") else ""  # a DataLoader draws a seed there
    moved = [f"building moves {name}" for name in before if before[name] != built[name]]
    return moved + [
        f"iterating moves {name}" for name in built if built[name] != after[name] and name != exempt
    ]


def moving(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Building and iterating leave the global generators alone."""
    for rank, moved in enumerate(ranks):
        if moved:
            yield f"rank {rank}: {', '.join(moved)}"


def all_epochs(bench: Bench, rank: int) -> Any:
    """Return the passes of all epochs of the case."""
    return bench.passes(rank, bench.case["epochs"])


def replicas_apart(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Ranks that share one place in the data yield alike."""
    size = bench.promise["replicas"]
    for rank, one in enumerate(ranks):
        first = rank // size * size
        if first + size <= len(ranks) and one != ranks[first]:
            yield f"rank {rank} yields {one}, and rank {first}, which shares its place, {ranks[first]}"


def second_pass(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A second pass of the same epoch is the first again."""
    pairs = [(one["again"][1], one["again"][0]) for one in ranks]
    yield from unlike(bench, pairs, exact=bench.promise["exact"] or bench.promise["epochs"] == "fixed")


def unlike(bench: Bench, pairs: list[Any], *, exact: bool) -> Iterator[str]:
    """Yield where passes are not what they should be: index for index, or by their members."""
    for share in [[rank] for rank in range(len(pairs))] if exact else shares(bench):
        found, due = [pairs[rank][0] for rank in share], [pairs[rank][1] for rank in share]
        mine, theirs = counts(found), counts(due)
        whole = not bench.promise["losable"] and not bench.promise["padding"]
        same = mine == theirs if whole else mine.total() == theirs.total()
        if found != due and (exact or not same):
            yield f"ranks {share} yield {found} where {due} is expected"


def interleaved(bench: Bench, rank: int) -> Any:
    """Return two passes of one object that were open at once, and the epochs that they should be."""
    subject = bench.begin(rank, bench.build(rank), 0)
    opened = [iter(subject), iter(subject)]
    found: list[list[Any]] = [[], []]
    for _ in range(2):
        for one, steps in zip(opened, found, strict=True):
            steps += [plain(step) for step in islice(one, 1)]
    for number in (1, 0):
        found[number] += [plain(step) for step in islice(opened[number], bench.promise["most_steps"])]
    return {"found": found, "due": due_after(bench, rank)}


def due_after(bench: Bench, rank: int) -> Any:
    """Return the first pass twice or, where every pass is a new epoch, the first two."""
    if bench.promise["epochs"] == "advance":
        return bench.passes(rank, 2)
    return bench.passes(rank, 1) * 2


def disturbed(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Passes that are open at once, or given up, do not disturb each other."""
    for number in range(len(ranks[0]["found"])):
        pairs = [(one["found"][number], one["due"][number]) for one in ranks]
        yield from unlike(bench, pairs, exact=bench.promise["exact"])


def abandoned(bench: Bench, rank: int) -> Any:
    """Return the pass after one that was given up, and the epoch that it should be."""
    share = bench.case["length"] * bench.promise["repeats"] // bench.case["world_size"]
    subject = bench.begin(rank, bench.build(rank), 0)
    given_up = bench.take(subject, max(1, share // 4))
    whole = bench.take(subject)
    due = due_after(bench, rank)
    ended = not given_up or given_up == due[0]  # then it was not given up on its way
    return {"found": [due[1] if ended else whole], "due": due[1:]}


def pickled(bench: Bench, rank: int) -> Any:
    """Return the pass of an object's copy made by pickle, and the object's own."""
    epoch = 1 if bench.promise["epochs"] == "set_epoch" and bench.case["epochs"] > 1 else 0
    subject = bench.begin(rank, bench.build(rank), epoch)
    try:
        copy = pickle.loads(pickle.dumps(subject))
    except Exception as error:  # noqa: BLE001  (shown to the user)
        return {"error": f"{type(error).__name__}: {error}"}
    return {"error": "", "found": [bench.take(copy)], "due": [bench.take(subject)]}


def unpickled(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """The target survives pickling, and then yields the same."""
    for rank, one in enumerate(ranks):
        if one["error"]:
            yield f"rank {rank} cannot be pickled: {one['error']}"
            return
    pairs = [(one["found"][0], one["due"][0]) for one in ranks]
    yield from unlike(bench, pairs, exact=bench.promise["ambient"] == "independent")


def wrapped(bench: Bench, rank: int) -> Any:
    """Return the passes of a wrapper, and what became of the sampler inside."""
    inner = bench.inner()
    before = {**vars(inner), "epoch": 0}
    subject, passes, reached = bench.build(rank, sampler=inner), [], []
    for epoch in range(bench.case["epochs"]):
        subject = bench.begin(rank, subject, epoch)
        passes.append(bench.take(subject))
        reached.append(inner.epoch)
    orders = [bench.inner().order_of(epoch) for epoch in reached]
    return {
        "passes": passes,
        "reached": reached if hasattr(subject, "set_epoch") else list(range(len(reached))),
        "changed": {**vars(inner), "epoch": 0} != before,
        "orders": orders,
    }


def unlike_inner(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """What is wrapped stays as it was, is told the epoch, and keeps its order."""
    for rank, one in enumerate(ranks):
        if one["changed"]:
            yield f"the inner sampler of rank {rank} has other settings than before"
        if bench.promise["epochs"] == "set_epoch" and one["reached"] != list(range(len(one["reached"]))):
            yield f"the inner sampler of rank {rank} was at the epochs {one['reached']}"
    if bench.promise["sequential"] and bench.promise["total"] is not None:
        for epoch, share, passes in held(bench, [one["passes"] for one in ranks]):
            place = {sample: at for at, sample in enumerate(ranks[share[0]]["orders"][epoch])}
            placed = [[place.get(one, len(place)) for one in samples(steps)] for steps in passes]
            strays = sum(strays_of(one, bench.promise["repeats"]) for one in placed)
            if strays > bench.promise["padding"]:
                yield f"epoch {epoch}: ranks {share} yield {passes}, out of the inner sampler's order"


REUSE = (counts, unlike, due_after)
CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC001": (everything, failing, ()),
    "SC002": (everything, failing, ()),
    "SC003": (offered, accepting, ()),
    "SC401": (twice, torn, (held, counts, built_anew)),
    "SC402": (twice, built_anew, ()),
    "SC403": (moved_by, moving, (states,)),
    "SC404": (all_epochs, replicas_apart, ()),
    "SC501": (twice, second_pass, REUSE),
    "SC502": (interleaved, disturbed, REUSE),
    "SC503": (abandoned, disturbed, REUSE),
    "SC504": (pickled, unpickled, REUSE),
    "SC505": (wrapped, unlike_inner, (held, strays_of)),
}
