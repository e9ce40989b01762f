"""What only real process groups show, in scripts: family 9, hash seeds, states taken to a fresh process.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from functools import partial
from typing import Any

import torch

from samplercheck.scripts._bench import Bench, in_turn, plain
from samplercheck.scripts._conduct import all_epochs
from samplercheck.scripts._processes import in_processes
from samplercheck.scripts._resuming import RESUMING, save, stop_at, trial
from samplercheck.scripts._stops import elsewhere, hidden, saved

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


def every_pass(bench: Bench, rank: int) -> Any:
    """Return the passes of all epochs."""
    return bench.passes(rank, bench.case["epochs"])


def unlike_fresh(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Processes with another hash seed yield the same."""
    others = in_processes(bench, every_pass, 0, "1")
    for rank, (one, other) in enumerate(zip(ranks, others, strict=True)):
        if one != other:
            yield f"rank {rank} yields {one}, and {other} in a process with another hash seed"


def saved_in_a_file(bench: Bench, rank: int) -> Any:
    """Return what ``saved`` does and, where torch's safe loading takes it, the state's file."""
    one = saved(bench, rank)
    epoch, steps = one["found"][0]["epoch"], one["found"][0]["stops"][0]
    subject, _opened, taken = stop_at(bench, rank, epoch, steps)
    file = io.BytesIO()
    if not one["refused"]:
        torch.save(save(bench, subject, epoch, taken, one["whole"]), file)
    return {**one, "file": file.getvalue().hex(), "epoch": epoch, "steps": steps}


def afresh(ranks: list[Any], bench: Bench, rank: int) -> Any:
    """Return a run that goes on from a rank's file, in a process that has seen nothing of it."""
    one = ranks[rank]
    state = torch.load(io.BytesIO(bytes.fromhex(one["file"])), weights_only=True)
    epoch, steps = one["epoch"], one["steps"]
    return trial("afresh", epoch, [steps], elsewhere, bench, rank, state, epoch, steps, False)  # noqa: FBT003


def left_behind(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A state survives torch.save and torch.load(weights_only=True), and nothing of its process is needed."""
    yield from hidden(bench, ranks)
    if any(one["refused"] for one in ranks):
        return
    for rank, there in enumerate(in_processes(bench, partial(afresh, ranks), 0)):
        one = ranks[rank]
        left, alone = one["whole"][one["epoch"]][one["steps"] :], one["found"][0]
        if alone["after"][:1] == [left] and there["after"][:1] != [left]:
            found = there["error"] or there["after"][0]
            yield f"rank {rank} yields {found} when it is resumed in a fresh process, and {left} was left"


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC402": (every_pass, unlike_fresh, ()),
    "SC704": (saved_in_a_file, left_behind, (*RESUMING, elsewhere, saved, hidden, afresh)),
    "SC901": (all_epochs, unlike_in_turn, ()),
    "SC902": (in_step, out_of_step, ()),
    "SC903": (unplaced, misplaced, ()),
    "SC904": (together, nothing_more, ()),
}
