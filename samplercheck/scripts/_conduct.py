"""Families 0 and 4 in scripts: running and agreement.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice
from typing import Any

import torch

from samplercheck.scripts._bench import Bench  # noqa: TC001  (copied into scripts as it stands)
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


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC001": (everything, failing, ()),
    "SC002": (everything, failing, ()),
    "SC003": (offered, accepting, ()),
    "SC401": (twice, torn, (held, counts, built_anew)),
    "SC402": (twice, built_anew, ()),
    "SC403": (moved_by, moving, (states,)),
    "SC404": (all_epochs, replicas_apart, ()),
}
