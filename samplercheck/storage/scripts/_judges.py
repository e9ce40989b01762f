"""The judges of scripts: each asks of what all ranks found whether a law is still broken, and says where.

Copied into scripts as they stand, like the functions of ``_setup``. ``ranks`` holds what an experiment
found in each rank: passes, faults, or results: what it is, what was found and what should have been found.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from samplercheck.storage.scripts._setup import Setup, count, each_epoch, load, samples

if TYPE_CHECKING:
    from collections.abc import Iterator


def judge_counts(setup: Setup, ranks: list[Any], what: str) -> Iterator[str]:
    """Yield the epochs whose samples are strange, missing, repeated, or too many or too few in all."""
    promise, repeats = setup.promise, setup.promise["repeats"]
    bounds: dict[str, Any] = {
        "missing": [(repeats, promise["may_lack"])],
        "never seen": [(1, 0)],
        "repeated": [None, (promise["most"], promise["may_repeat"])],
        "total": [None, None, promise["total"]],
        "copies": [(repeats, promise["may_lack"]), (repeats, promise["padding"])],
    }
    for epoch, share, passes in each_epoch(setup, ranks):
        held, lap = passes, promise["first_lap"]
        if what == "repeated" and lap is not None:  # endless: only the start is known to be one lap
            held = [samples(steps)[: 0 if epoch else lap] for steps in passes]
        faults = find_strange(setup, held) if what == "strange" else []
        faults += find_miscounted(setup, held, *bounds.get(what, ()))
        yield from (f"epoch {epoch}: ranks {share} yield {fault}" for fault in faults)
        most = -(-repeats // len(share))
        copies = sum(max(0, number - most) for steps in passes for number in count([steps]).values())
        if what == "copies" and promise["apart"] and copies > promise["padding"]:
            yield f"epoch {epoch}: ranks {share} yield copies of a sample on one rank: {passes}"


def find_strange(setup: Setup, passes: list[Any]) -> list[str]:
    """Return what is no index of the dataset."""
    size = setup.case["length"]
    strange = [one for one in count(passes) if not isinstance(one, int) or not 0 <= one < size]
    return [f"{strange[:5]}, which are no indices of the dataset"] if strange else []


def find_miscounted(
    setup: Setup, passes: list[Any], lack: Any = None, repeat: Any = None, total: int | None = None
) -> list[str]:
    """Return which samples come less or more often than they may; a few may all the same."""
    came, found = count(passes), []
    if lack is not None:
        (fewest, may), size = lack, setup.case["length"]
        rare = {one: fewest - came[one] for one in range(size) if came[one] < fewest}
        found += [f"{list(rare)[:5]} less than {fewest} times; {may} may be missing"] * (
            sum(rare.values()) > may
        )
    if repeat is not None:
        most, may = repeat
        often = {one: number - most for one, number in came.items() if number > most}
        found += [f"{list(often)[:5]} more than {most} times; {may} may be padded"] * (
            sum(often.values()) > may
        )
    if total not in (None, came.total()):
        found.append(f"{came.total()} samples where {total} are owed")
    return found


def judge_steps(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the epochs in which ranks take unequal numbers of steps or, by their units, of samples."""
    promise, unit = setup.promise, setup.promise["unit"]
    for epoch, share, passes in each_epoch(setup, ranks):
        steps, sizes = [len(taken) for taken in passes], [len(samples(taken)) for taken in passes]
        units = [-(-size // unit) for size in sizes] if unit else [0]
        apart = max(steps) - min(steps) if promise["batched"] else 0
        too_few = promise["none_empty"] and not min(steps)
        if max(apart, max(units) - min(units)) > promise["may_differ"] or too_few:
            yield f"epoch {epoch}: ranks {share} take {steps} steps with {sizes} samples"


def judge_sizes(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the first step of an epoch in which the ranks' batches differ in size; a kept last one may."""
    for epoch, _, passes in each_epoch(setup, ranks):
        sizes = [[len(step) for step in steps] for steps in passes]
        for step in range(max(map(len, sizes))):
            together = [own[step] for own in sizes if step < len(own) - setup.promise["may_differ"]]
            if len(set(together)) > 1:
                yield f"in step {step} of epoch {epoch} the ranks hold {together} samples"
                break


def judge_equal(setup: Setup, ranks: list[Any], exact: str = "") -> Iterator[str]:
    """Yield what is not as it should be: to the index, or where that is not promised in all samples held."""
    is_exact = not exact or setup.promise[exact]
    for results in zip(*ranks, strict=False):
        for share in [[rank] for rank in range(len(ranks))] if is_exact else setup.shares:
            found, due = ([results[rank][part] for rank in share] for part in (1, 2))
            alike = found == due
            if not is_exact:
                left, right = count(found), count(due)
                alike |= left == right or (
                    setup.promise["tail_may_differ"] and left.total() == right.total()
                )
            if not alike:
                who, seen, expected = (f"ranks {share}", found, due)
                if len(share) == 1:
                    who, seen, expected = (f"rank {share[0]}", found[0], due[0])
                yield f"{who}: {results[share[0]][0]} is {seen} and should be {expected}"


def judge_faults(_: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield what went wrong in each rank; what was raised is shown as it is."""
    for rank, faults in enumerate(ranks):
        yield from (f"rank {rank} {fault}" for fault in faults)


def judge_change(
    setup: Setup, ranks: list[Any], view: str = "the order", *, recurs: bool = False
) -> Iterator[str]:
    """Yield that something is the same in all passes, or in some, though it should change."""
    views: dict[str, Any] = {
        "the order": list,
        "the samples of each rank": lambda passes: [sorted(set(samples(steps))) for steps in passes],
        "the samples of each batch": lambda passes: sorted(map(sorted, samples(passes))),
    }
    courses = [
        [views[view](list(passes)) for passes in zip(*[ranks[rank] for rank in share], strict=True)]
        for share in setup.shares
    ]
    if all(seen == course[0] for course in courses for seen in course):
        yield f"{view} is the same {len(courses[0])} times: {[course[0] for course in courses]}"
    orders = len(set(map(repr, courses[0])))
    if recurs and orders < len(courses[0]):
        yield f"there are {orders} orders in {len(courses[0])} epochs"


def judge_draws(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the ranks that draw in every epoch what another one draws."""
    share = setup.shares[0]
    for place, rank in enumerate(share):
        passes = [samples(steps) for steps in ranks[rank]]
        for other in share[:place]:
            if passes == [samples(steps) for steps in ranks[other]] and passes != passes[:1] * len(passes):
                yield f"ranks {other} and {rank} draw the same in {len(passes)} epochs: at first {passes[0]}"


def judge_replicas(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield the ranks that share a place in the data and yield something else."""
    size = setup.promise["replicas"]
    for rank, passes in enumerate(ranks[: len(ranks) // size * size]):
        first = rank // size * size
        if passes != ranks[first]:
            yield f"rank {rank} yields {passes}, and rank {first}, which shares its place, {ranks[first]}"


def judge_order(setup: Setup, ranks: list[Any], *, inner: bool = False) -> Iterator[str]:
    """Yield the epochs that are not in order, of the dataset or of what is wrapped, or not dealt out so."""
    padding, layout = setup.promise["padding"], setup.promise["layout"]
    for epoch, share, passes in each_epoch(setup, ranks):
        strays = sum(count_strays(samples(steps), setup.promise["repeats"]) for steps in passes)
        if strays > padding:
            yield f"epoch {epoch}: {strays} samples out of order where padding explains {padding}, {passes}"
        elif not inner and passes != [ranks[rank][0] for rank in share]:
            yield f"epoch {epoch} has another order than the first: {passes}"
        elif not inner and layout and not is_dealt(setup, passes, layout):
            yield f"epoch {epoch}: the layout {layout['name']} is not kept: {passes}"


def count_strays(items: list[int], repeats: int) -> int:
    """Return how many samples must be left out until the rest ascends; whole laps ascend, too."""
    ends: list[int] = []
    for item in items:
        place = bisect_right(ends, item)
        ends[place : place + 1] = [item]
    falls = sum(after < before for before, after in pairwise(items))
    left = len(items) - len(ends)
    return min(left, max(0, falls - (repeats - 1))) if repeats > 1 else left


def is_dealt(setup: Setup, passes: list[Any], layout: dict[str, Any]) -> bool:
    """Whether interleaving strided ranks, or joining contiguous ones, gives the dataset's own order."""
    opened, repeats, size = (
        [samples(steps) for steps in passes],
        setup.promise["repeats"],
        setup.case["length"],
    )
    readings = [samples(opened)]
    if layout["name"] == "strided":
        turns = [zip_longest(*parts, fillvalue=[]) for parts in (passes, opened)]
        readings = [samples(samples([list(row) for row in turn])) for turn in turns]
    heads = [together[: layout["appearances"]] for together in readings]
    laps = [
        ([at // repeats for at in range(len(head))], [at % size for at in range(len(head))]) for head in heads
    ]
    in_laps = any(head in orders for head, orders in zip(heads, laps, strict=True))
    return in_laps or (layout["drops"] and heads[0] == sorted(heads[0]))


def judge_inner(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield where what is wrapped does not stay as it was, is not told the epoch, or loses its order."""
    for rank, found in enumerate(ranks):
        yield from (f"the inner sampler of rank {rank} {fault}" for fault in found["faults"])
    if setup.promise["inner_order"]:
        yield from judge_order(setup, [found["passes"] for found in ranks], inner=True)


class Features(dict):  # type: ignore[type-arg]
    """What a batch rule may ask for: features of the samples, and the target's own options."""

    __getattr__ = dict.__getitem__


def judge_batches(setup: Setup, ranks: list[Any], what: str) -> Iterator[str]:
    """Yield the passes with batches that are empty, of the wrong size, or against the rule for them."""
    size, short, lap = setup.case["batch_size"], setup.promise["short"], setup.promise["lap"]
    given = {name: getattr(setup.dataset, name) for name in ("labels", "lengths", "weights")}
    features = Features(given, **setup.case["options"])
    for epoch, share, passes in each_epoch(setup, ranks):
        for rank, steps in zip(share, passes, strict=True):
            sizes = [len(step) for step in steps]
            less = [step for step, number in enumerate(sizes) if 0 < number < size]
            few = -(-sum(sizes) // lap) if lap else short  # how many may be short; None: the last one alone
            early = [step for step in less if step < len(sizes) - 1] if few is None else less[few:]
            if {"empty": 0 in sizes, "size": bool(early) or max(sizes, default=0) > size}.get(what):
                yield f"epoch {epoch}: rank {rank} yields batches of {sizes} samples"
            for step in filter(None, steps if what == "rule" else []):
                if not keeps_rule(setup.promise["rule"], step, features):
                    yield f"epoch {epoch}: rank {rank} yields the batch {step}, against the rule for batches"


def keeps_rule(rule: dict[str, Any], batch: list[int], features: Features) -> bool:
    """Whether a batch keeps a rule."""
    if "place" in rule:
        return bool(load(rule["place"])(batch, features))
    every = features[rule["feature"]]
    values = [every[sample] for sample in batch]
    if rule["name"] == "homogeneous":
        return len(set(values)) <= 1
    if rule["name"] == "at_least":
        return len(set(values)) >= rule["number"] or len(set(values)) in (len(batch), len(set(every)))
    most = features[rule["maximum"]] if isinstance(rule["maximum"], str) else rule["maximum"]
    used = len(values) * max(values) if rule["padded"] else sum(values)
    return bool(used <= most) or len(values) == 1
