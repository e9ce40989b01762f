"""Family 7 in scripts: runs that are stopped in one world and go on in another.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from typing import Any

from samplercheck.scripts._bench import Bench  # noqa: TC001  (copied into scripts as it stands)
from samplercheck.scripts._partition import counts
from samplercheck.scripts._resuming import RESUMING, epochs_to_stop_in, finish, fresh, moved, save, stop_at

__all__ = ["CHECKS"]


def resized(bench: Bench, rank: int) -> Any:
    """Return what this rank did before its stops, and what the new ranks do that load its state."""
    size, promise = bench.case["world_size"], bench.promise
    epochs = [0] if promise["resume"] == "consumed" else epochs_to_stop_in(bench)
    whole: list[Any] = bench.passes(rank, epochs[-1] + 3)
    moves: list[dict[str, Any]] = []
    for epoch in epochs:
        last = len(whole[epoch])
        if promise["tail"] == "keep" and not promise["variable"]:
            each = bench.case["length"] * promise["repeats"] // size
            last = min(last, each // bench.case["batch_size"] if promise["batched"] else each)
        for steps in sorted({one for one in (1, last // 2, last - 1) if 0 < one < last}):
            for world in map(int, promise["elsewhere"]):
                subject, _opened, taken = stop_at(bench, rank, epoch, steps)
                state = save(bench, subject, epoch, taken, whole)
                new = {one: go_on_as(bench, one, world, state, epoch) for one in range(rank, world, size)}
                moves.append({"epoch": epoch, "stop": steps, "world": world, "done": taken, "new": new})
    return moves


def go_on_as(bench: Bench, rank: int, world: int, state: Any, epoch: int) -> Any:
    """Return what a rank of another world yields: what is left, the next epoch, and that epoch unstopped."""
    try:
        place = {"rank": rank, "world_size": world}
        found = finish(bench, rank, moved(bench, rank, state, epoch, **place), epoch, 0)
        normal = fresh(bench, rank, epoch + 1, **place)
        for _ in range(0 if bench.promise["epochs"] == "set_epoch" else epoch + 1):
            bench.take(normal)
        bench.begin(rank, normal, epoch + 1)
        return [*found, bench.take(normal)]
    except Exception as error:  # noqa: BLE001  (shown to the user)
        return f"{type(error).__name__}: {error}"


def not_resized(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Resumed with another world size, done and rest together are the epoch, each sample once."""
    for moves in zip(*ranks, strict=True):
        first = moves[0]
        told = f"stopped after {first['stop']} steps of epoch {first['epoch']}, on {first['world']} ranks"
        new = {int(rank): one for move in moves for rank, one in move["new"].items()}
        failed = [one for one in new.values() if isinstance(one, str)]
        if failed:
            yield f"{told} nobody goes on: {failed[0]}"
            continue
        yield from uncovered(bench, told, first["world"], [move["done"] for move in moves], new)
        for rank, (_, found, normal) in sorted(new.items()):
            if found != normal and bench.promise["ambient"] != "shared":
                yield f"{told} rank {rank} yields {found} in the next epoch, which should be {normal}"


def uncovered(bench: Bench, told: str, world: int, done: list[Any], new: dict[int, Any]) -> Iterator[str]:
    """What was done and what is left are the epoch together, but for what each world may pad or drop."""
    promise, before = bench.promise, counts(done)
    spare, total = promise["elsewhere"][str(world)]
    apart = promise["total"] is None or len({len(one) for one in done}) > 1
    over = promise["epochs"] != "set_epoch" and total is not None and before.total() >= total
    if apart or over or max(before.values(), default=0) > promise["repeats"]:
        return
    both = before + counts([rest for rest, _, _ in new.values()])
    lost = [one for one in range(bench.case["length"]) for _ in range(promise["repeats"] - both[one])]
    again = [one for one, number in both.items() for _ in range(number - promise["repeats"])]
    losable = spare + promise["places"] * promise["unit"] - 1 if promise["tail"] == "drop" else 0
    if len(lost) > losable:
        yield f"{told} nobody yields {lost}"
    elif len(again) > (spare if promise["tail"] == "pad" else 0):
        yield f"{told} {again} come again"


CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC705": (resized, not_resized, (*RESUMING, go_on_as, uncovered, counts)),
}
