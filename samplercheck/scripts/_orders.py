"""Family 3 in scripts: orders, epochs, seeds and the arguments that must matter.

Copied into scripts as they stand, like the functions of ``_bench``. What luck could explain is looked at
in so many epochs, or under so many seeds, that it is out of the question.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import pairwise, zip_longest
from typing import Any

from samplercheck.scripts._bench import Bench, samples, shares
from samplercheck.scripts._partition import epochs, many_epochs

__all__ = ["CHECKS"]


def courses(bench: Bench, ranks: list[Any]) -> list[list[Any]]:
    """Return for each share its epochs, each the passes of its ranks."""
    return [
        [[ranks[rank][epoch] for rank in share] for epoch in range(len(ranks[share[0]]))]
        for share in shares(bench)
    ]


def is_mixed(passes: list[Any]) -> bool:
    """Whether there is something to shuffle: two samples at least."""
    return len({one for steps in passes for one in samples(steps)}) > 1


def frozen(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """With shuffling, epochs have different orders."""
    told = [course for course in courses(bench, ranks) if is_mixed(course[0])]
    if told and all(epoch == course[0] for course in told for epoch in course):
        yield f"{len(told[0])} epochs have one and the same order: {told[0][0]}"


def strays_of(items: list[int], repeats: int) -> int:
    """Return how many samples must be left out until the rest ascends; whole laps ascend, too."""
    ends: list[int] = []
    for one in items:
        at = bisect_right(ends, one)
        ends[at : at + 1] = [one]
    falls = sum(after < before for before, after in pairwise(items))
    left = len(items) - len(ends)
    return min(left, max(0, falls - (repeats - 1))) if repeats > 1 else left


def disordered(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Without shuffling, every epoch is the dataset's own order, dealt out by the layout."""
    promise = bench.promise
    for course in courses(bench, ranks):
        first = course[0]
        strays = sum(strays_of(samples(steps), promise["repeats"]) for steps in first)
        if strays > promise["padding"]:
            yield f"{strays} samples are out of order where padding explains {promise['padding']}: {first}"
        elif any(epoch != first for epoch in course):
            yield f"the order changes from epoch to epoch: {course}"
        elif promise["layout"] != "any" and promise["total"] is not None:
            yield from misdealt(bench, first)


def misdealt(bench: Bench, passes: list[Any]) -> Iterator[str]:
    """Interleaving strided ranks, or joining contiguous ones, gives the dataset's own order."""
    promise, size = bench.promise, bench.case["length"]
    turns = [passes, [samples(steps) for steps in passes]]
    if promise["layout"] == "contiguous":
        readings = [[one for steps in passes for one in samples(steps)]]
    else:
        gaps = [zip_longest(*turn, fillvalue=[]) for turn in turns]
        readings = [[one for row in gap for step in row for one in samples([step])] for gap in gaps]
    drops = promise["layout"] == "contiguous" and promise["tail"] == "drop"
    for together in readings:
        head = together[: promise["appearances"]]
        laps = (
            [one // promise["repeats"] for one in range(len(head))],
            [one % size for one in range(len(head))],
        )
        if head in laps or (drops and head == sorted(head)):
            return
    yield f"the layout {promise['layout']} is not kept: {passes}"


def other_seeds(bench: Bench, rank: int) -> Any:
    """Return the first pass under many seeds, the case's own first."""
    seed = bench.case["seed"]
    near = [seed + one for one in range(47)]
    return [bench.passes(rank, 1, seed=one)[0] for one in (*near, (seed + 104_729) % 2**31)]


def seedless(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Different seeds give different orders."""
    if all(steps == one[0] for one in ranks for steps in one):
        yield f"{len(ranks[0])} seeds give one and the same order: {[one[0] for one in ranks]}"


def jumped(bench: Bench, rank: int) -> Any:
    """Return the epochs in their order, then the last and the first, visited by another object."""
    number = bench.case["epochs"]
    straight, again = bench.passes(rank, number), bench.passes(rank, number)
    subject, found = bench.build(rank), []
    for epoch in (number - 1, 0):
        subject = bench.begin(rank, subject, epoch)
        found.append(bench.take(subject))
    return {"straight": straight, "again": again, "found": found}


def placeless(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """An epoch's order does not depend on the epochs before it."""
    for rank, one in enumerate(ranks):
        due = [one["straight"][-1], one["straight"][0]]
        if one["found"] != due:
            yield f"rank {rank}: the last epoch and the first are {due}, visited out of order {one['found']}"


def kept_apart(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """With shuffling, a rank gets other samples in other epochs."""
    for course in courses(bench, ranks):
        sets = [[frozenset(samples(steps)) for steps in epoch] for epoch in course]
        everything = frozenset().union(*sets[0])
        parts = [place for place, one in enumerate(sets[0]) if one and one != everything]
        if parts and all(epoch[place] == sets[0][place] for epoch in sets for place in parts):
            kept = [sorted(one) for one in sets[0]]
            yield f"in {len(course)} epochs every rank keeps its own samples: {kept}"


def kept_together(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """With shuffling, the samples of a batch are others in other epochs."""
    composed = [
        [sorted(sorted(batch) for steps in epoch for batch in steps) for epoch in course]
        for course in courses(bench, ranks)
    ]
    if all(epoch == course[0] for course in composed for epoch in course):
        yield f"in {len(composed[0])} epochs the batches have the same members: {composed[0][0]}"


def of_torch(bench: Bench, rank: int) -> Any:
    """Return the passes of the target and those of torch's DistributedSampler."""
    from torch.utils.data import DistributedSampler

    promise, case = bench.promise, bench.case
    step = promise["replicas"]
    theirs: Any = DistributedSampler(
        range(case["length"]),  # type: ignore[arg-type]
        num_replicas=case["world_size"] // step,
        rank=rank // step,
        shuffle=promise["shuffled"],
        seed=case["seed"],
        drop_last=promise["tail"] == "drop",
    )
    return {
        "mine": bench.passes(rank, case["epochs"]),
        "theirs": bench.passes(rank, case["epochs"], theirs),
    }


def unlike_torch(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Index for index, the yield is that of torch's DistributedSampler."""
    promise, size = bench.promise, bench.case["batch_size"]
    for rank, one in enumerate(ranks):
        for epoch, (mine, theirs) in enumerate(zip(one["mine"], one["theirs"], strict=True)):
            found, due = samples(mine), samples(theirs)
            if promise["tail_unit"] == "batch":
                due, found = due[: len(found)], found[: len(due)]
            elif promise["batched"] and promise["tail"] == "drop":
                due = due if found == due else due[: len(due) // size * size]
            if found != due:
                yield f"epoch {epoch}: rank {rank} yields {found}, torch's sampler {due}"


def turned(bench: Bench, rank: int) -> Any:
    """Return the first epochs as they are and with each argument turned."""
    case = bench.case
    knobs = {"batch_size": case["batch_size"] + 1, "drop_last": not case["drop_last"]}
    knobs |= {"shuffle": False} if case["shuffle"] else {}
    found = {"": bench.passes(rank, 48)}
    found |= {
        name: bench.passes(rank, 48, **{name: value}) for name, value in knobs.items() if name in bench.names
    }
    return found


def ignored(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Every argument has an effect where it must."""
    for name in bench.promise["knobs"]:
        if name in ranks[0] and all(one[name] == one[""] for one in ranks):
            yield f"{name} is ignored: turned or not, epoch 0 is {[one[''][0] for one in ranks]}"


COURSES = (courses, is_mixed)
CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC301": (many_epochs, frozen, COURSES),
    "SC302": (epochs, disordered, (courses, strays_of, misdealt)),
    "SC303": (other_seeds, seedless, ()),
    "SC304": (jumped, placeless, ()),
    "SC305": (many_epochs, kept_apart, COURSES),
    "SC306": (many_epochs, kept_together, COURSES),
    "SC307": (of_torch, unlike_torch, ()),
    "SC309": (turned, ignored, ()),
}
