"""Family 9 in scripts: what only real process groups show. Each rank is a process of its own.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from typing import Any

import torch

from samplercheck.scripts._bench import Bench, in_turn, plain
from samplercheck.scripts._conduct import all_epochs
from samplercheck.scripts._processes import in_processes

__all__ = ["CHECKS"]


def unlike_in_turn(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """In a real process group every rank yields what it yields where all run in one process."""
    for rank, (real, simulated) in enumerate(zip(ranks, in_turn(bench, all_epochs, 0), strict=True)):
        if real != simulated:
            yield f"rank {rank} yields {real} in a process of its own and {simulated} beside the others"


def in_step(bench: Bench, rank: int) -> Any:
    """Take every epoch with a collective at every step; return who stepped on while others had left."""
    import torch.distributed as dist

    subject = bench.build(rank)
    for epoch in range(bench.case["epochs"]):
        subject = bench.begin(rank, subject, epoch)
        iterator, step, nothing = iter(subject), 0, object()
        while True:
            flags = [torch.zeros(1) for _ in range(bench.case["world_size"])]
            dist.all_gather(flags, torch.ones(1) * (next(iterator, nothing) is not nothing))
            stepping = [bool(flag) for flag in flags]
            if not all(stepping):
                break
            step += 1
        if any(stepping):
            return [epoch, step, stepping]
    return []


def out_of_step(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """All ranks reach the end of the epoch together."""
    if ranks[0]:
        epoch, step, stepping = ranks[0]
        gone = [rank for rank, steps in enumerate(stepping) if not steps]
        yield f"in step {step} of epoch {epoch} ranks {gone} have left, and the others wait for them"


def unplaced(bench: Bench, rank: int) -> Any:
    """Return the first pass with the place passed by hand, and with it left to the process group."""
    by_hand = bench.passes(rank, 1)[0]
    return {"hand": by_hand, "group": bench.passes(rank, 1, bench.build(rank, rank=None, world_size=None))[0]}


def misplaced(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A place read from the process group is the same as one passed by hand."""
    for rank, one in enumerate(ranks):
        if one["hand"] != one["group"]:
            yield f"rank {rank} yields {one['hand']}, and {one['group']} when it asks the group for its place"


def together(bench: Bench, rank: int) -> Any:
    """Return the passes; ranks that disagree about a collective do not get so far."""
    return [plain(steps) for steps in bench.passes(rank, bench.case["epochs"])]


def nothing_more(_bench: Bench, _ranks: list[Any]) -> Iterator[str]:
    """All ranks have come to the end, so they agree about their collectives."""
    yield from ()


def fresh(bench: Bench, rank: int) -> Any:
    """Return the passes of all epochs."""
    return bench.passes(rank, bench.case["epochs"])


def unlike_fresh(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Processes with another hash seed yield the same."""
    others = in_processes(bench, fresh, 0, "1")
    for rank, (one, other) in enumerate(zip(ranks, others, strict=True)):
        if one != other:
            yield f"rank {rank} yields {one}, and {other} in a process with another hash seed"


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC402": (fresh, unlike_fresh, ()),
    "SC901": (all_epochs, unlike_in_turn, ()),
    "SC902": (in_step, out_of_step, ()),
    "SC903": (unplaced, misplaced, ()),
    "SC904": (together, nothing_more, ()),
}
