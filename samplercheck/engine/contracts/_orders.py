"""Signs of an order: how its epochs begin, and whether all of it is shuffled or chunk after chunk.

Read by ``_signs`` of what one rank alone yields. Values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any

from samplercheck.engine.contracts._sign import (
    ADVANCES,
    CHUNKS,
    MAY_SHUFFLE,
    MERGES,
    MOVES_ON,
    RESTS,
    SHUFFLES,
    SORTS,
    WINDOWS,
    Sign,
)
from samplercheck.laws.law import Scope
from samplercheck.targets.features import feature, groups_of
from samplercheck.values.contract import Contract
from samplercheck.values.trace import Trace

LENGTH = 24
FEWEST_CHUNKS = 3

Look = Callable[..., Trace]
"""Returns what so many samples gave in a world of so many ranks, under a contract, perhaps in experiments."""
Passes = list[list[int]]
"""The samples of one rank, epoch by epoch."""


def usual_length(scope: Scope) -> int:
    """Return a number of samples that shows what they are, and that fills a target's own batches."""
    size = scope.own_batch.size
    return -(-LENGTH // size) * size


def uneven_length(scope: Scope) -> int:
    """Return a few more, which three ranks cannot share evenly, nor batches of two for each of them."""
    length = usual_length(scope)
    return length + 2 - length % -6


def samples_of(trace: Trace, place: int) -> Passes:
    """Return the samples that the first rank of a place yielded, epoch by epoch."""
    return [list(one.items) for one in trace.of("epochs")[place * trace.contract.replicas].passes]


def without_rare_labels(look: Look, contract: Contract, scope: Scope) -> Look:
    """Return a look of which no label is rare, if a target raises where one is; else the same."""
    alone = look(contract, usual_length(scope), 1)
    if "labels" not in scope.named or {fault.kind for fault in alone.faults} != {"raised"}:
        return look

    def look_at_two(contract: Contract, length: int, ranks: int, *asked: str, **changes: Any) -> Trace:
        two = {"labels": tuple(i % 2 for i in range(length))}
        return look(contract, length, ranks, *asked, **{"features": two, **changes})

    return look_at_two


def add_order(look: Look, contract: Contract, alone: Trace, scope: Scope, found: list[Sign]) -> list[Sign]:
    """Return the signs that were found with those of epochs and of the order, which come last."""
    passes, length = samples_of(alone, 0), usual_length(scope)
    mixed = look(contract, length, 1, shuffle=True) if "shuffle" in scope.named else alone
    shuffled = samples_of(mixed, 0)
    found = [*found, *_epochs(look, contract, scope, shuffled)]
    if not contract.endless and shuffles_in_chunks(shuffled, length):
        found = [*found, CHUNKS]
    elif scope.kind == "batches" and "batch_size" not in scope.named and _keeps_windows(mixed):
        found = [*found, WINDOWS]
    orders = [passes[0][:length]] if contract.endless else passes  # of laps the first, which begins at 0
    if "shuffle" not in scope.named and any(one != sorted(one) for one in orders):
        sorts = _sorts(alone, scope)
        return [*found, *sorts] if sorts else _with_shuffling(found)
    return found


def _epochs(look: Look, contract: Contract, scope: Scope, passes: Passes) -> list[Sign]:
    """Return how epochs that differ begin, where no call of set_epoch has to begin them."""
    asks = "shuffle" in scope.named
    if contract.endless or all(one == passes[0] for one in passes[1:]):
        return []
    if not ("set_epoch" in scope.traits or "epoch" in scope.named):
        return [RESTS if "resumes" in scope.traits and _keeps_its_place(look, contract, scope) else ADVANCES]
    one = _goes_on(look(contract, usual_length(scope), 1, "again", "abandoned", "jumps", shuffle=asks))
    # What is asked to shuffle and goes on beside set_epoch has the commonest of these bugs.
    return [] if one is None or asks else [one]


def _keeps_its_place(look: Look, contract: Contract, scope: Scope) -> bool:
    """Whether passes that were given up and the one after them are the first epoch, or walk on beyond it."""
    if contract.at_end == "next":  # as is declared of epochs alone, which one walk has none of
        return False
    alone = look(contract.but(**RESTS.fields), usual_length(scope), 1, "abandoned")
    if not alone.is_whole:
        return False
    parts = [[*one.items] for one in alone.of("abandoned")[0].passes]
    epochs = samples_of(alone, 0)
    taken, walk = [[*chain.from_iterable(one)] for one in (parts, epochs)]
    return all(parts) and len(taken) >= len(epochs[0]) and taken == walk[: len(taken)]


def _goes_on(alone: Trace) -> Sign | None:
    """Return that a pass is the next epoch without set_epoch, where that leads back all the same."""
    if not alone.is_whole:
        return None
    first, second, broken_off, jumps = (
        alone.of(one)[0].passes for one in ("epochs", "again", "abandoned", "jumps")
    )
    if first[0].same_as(first[1]) or not first[1].same_as(second[1]):
        return None
    if jumps and not jumps[-1].same_as(first[0]):
        return None  # set_epoch has no effect, which is a fault and no design
    begins_again = {"after_break": "again"} if broken_off[-1].same_as(first[0]) else {}
    return replace(MOVES_ON, fields={**MOVES_ON.fields, **begins_again})


def _with_shuffling(signs: list[Sign]) -> list[Sign]:
    """Return the signs with that of a shuffled order, which belongs to what else could have any order."""
    if not any(MAY_SHUFFLE & one.fields.keys() for one in signs):
        return [*signs, SHUFFLES]
    return [
        replace(one, fields={**one.fields, **SHUFFLES.fields}) if MAY_SHUFFLE & one.fields.keys() else one
        for one in signs
    ]


def _sorts(alone: Trace, scope: Scope) -> list[Sign]:
    """Return that every epoch is sorted by lengths or labels, or merges datasets each of which ascends."""
    passes = samples_of(alone, 0)
    if "datasets" in scope.named and all(one == passes[0] for one in passes):
        of = dict(enumerate(groups_of(alone.case, scope.named)))
        parts = [[i for i in passes[0] if of.get(i) == number] for number in {*of.values()}]
        return [MERGES] if all(part == sorted(part) for part in parts) else []
    for name, sign in SORTS.items():
        values = feature(alone.case, name)
        if name not in scope.named or len(set(values)) == len(values):
            continue
        orders = [[i for _, i in sorted((way * one, i) for i, one in enumerate(values))] for way in (1, -1)]
        if passes[0] in orders and all(one == passes[0] for one in passes):
            return [sign]
    return []


def shuffles_in_chunks(passes: Passes, length: int = LENGTH) -> bool:
    """Whether epochs of every sample once shuffle chunks of neighbours and what is in them, or a buffer.

    Nobody sees chunks that are larger than the dataset, and a shuffle of all looks so once in 100,000 times.
    """
    if any(sorted(one) != list(range(length)) for one in passes) or all(one == passes[0] for one in passes):
        return False
    if all(sample <= place + length // 2 for one in passes for place, sample in enumerate(one)):
        return True
    places = [[one.index(sample) for sample in range(length)] for one in passes]
    chunks = _chunks(tuple(map(tuple, places)))
    mixed = any(part != sorted(part) for start, end in chunks for one in places for part in [one[start:end]])
    return mixed and (len(chunks) >= FEWEST_CHUNKS or min(end - start for start, end in chunks) > 1)


def _keeps_windows(mixed: Trace) -> bool:
    """Whether epochs hold the same batches, each of neighbours in order, at other places."""
    passes = mixed.of("epochs")[0].passes
    batches = [[list(one.at(step)) for step in range(one.steps)] for one in passes]
    ranges = all(one == list(range(one[0], one[0] + len(one))) for epoch in batches for one in epoch if one)
    same = all(sorted(epoch) == sorted(batches[0]) for epoch in batches)
    return ranges and same and any(epoch != batches[0] for epoch in batches)


def _ends(places: tuple[tuple[int, ...], ...], start: int) -> Iterator[int]:
    """Yield the ends to which all places from a start on are neighbours."""
    lows, highs = (zip(*(accumulate(one[start:], way) for one in places), strict=True) for way in (min, max))
    for size, (low, high) in enumerate(zip(lows, highs, strict=True)):
        if all(most - least == size for least, most in zip(low, high, strict=True)):
            yield start + size + 1


def _chunks(places: tuple[tuple[int, ...], ...]) -> list[tuple[int, int]]:
    """Return chunks of two samples or more, but for the last, that stay together in all epochs."""
    length = len(places[0])

    @lru_cache
    def tile(start: int) -> tuple[int, ...] | None:
        if start >= length - 1:
            return (length,) if start < length else ()
        for end in _ends(places, start):
            rest = tile(end) if end > start + 1 and (start or end < length) else None
            if rest is not None:
                return (end, *rest)
        return None

    ends = tile(0) or ()
    return list(zip((0, *ends), ends, strict=False))
