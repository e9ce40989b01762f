"""Family 5 in scripts: reuse.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice
from typing import Any

from samplercheck.scripts._bench import Bench, plain, samples, shares
from samplercheck.scripts._conduct import twice
from samplercheck.scripts._orders import strays_of
from samplercheck.scripts._partition import counts, held

__all__ = ["CHECKS"]


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
    before = settings(inner)
    subject, passes, reached = bench.build(rank, **{bench.wraps: inner}), [], []
    for epoch in range(bench.case["epochs"]):
        subject = bench.begin(rank, subject, epoch)
        passes.append(bench.take(subject))
        reached.append(inner.epoch)
    orders = [bench.inner().order_of(epoch) for epoch in reached]
    return {
        "passes": passes,
        "reached": reached if hasattr(subject, "set_epoch") else list(range(len(reached))),
        "changed": settings(inner) != before,
        "spoilt": "batch_sampler" in bench.names and inner.kept[1] != inner.batches_of(inner.kept[0]),
        "orders": orders,
    }


def settings(inner: Any) -> dict[str, Any]:
    """Return all that a wrapper has no business to change."""
    held = {**vars(inner), **vars(getattr(inner, "sampler", inner))}
    return {name: value for name, value in held.items() if name not in ("epoch", "sampler", "kept")}


def unlike_inner(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """What is wrapped stays as it was, is told the epoch, and keeps its order."""
    for rank, one in enumerate(ranks):
        if one["changed"]:
            yield f"the inner sampler of rank {rank} has other settings than before"
        if one["spoilt"]:
            yield f"the inner sampler of rank {rank} keeps batches that hold something else"
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
    "SC501": (twice, second_pass, REUSE),
    "SC502": (interleaved, disturbed, REUSE),
    "SC503": (abandoned, disturbed, REUSE),
    "SC504": (pickled, unpickled, REUSE),
    "SC505": (wrapped, unlike_inner, (held, strays_of, settings)),
}
