"""Conditions on the numbers that a target's own parameters are by default: ``length % shard_size != 0``.

Called by ``conditions``. Pure and vectorised, as ``atoms``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from samplercheck.explain.atoms import (
    ALL_LENGTHS,
    CHUNKS,
    LENGTH,
    SHARE,
    TINY,
    WORLD,
    Atom,
    Term,
    ask_for_rest,
    compare,
    constant,
    highest,
)
from samplercheck.explain.table import Table

MOST_SHARED = 256
"""The largest number of a target's own that ranks may come in groups of, or share by rounds."""
PADDED = Term("ceil(length / world_size) * world_size", lambda table: table.share * table.world)


def own_atoms(defaults: Mapping[str, int], features: Collection[str] = ()) -> Iterator[Atom]:
    """Compare with the numbers that a target's own parameters are by default, and divide by small ones."""
    for name, number in defaults.items():
        own = constant(number, name)
        if "lengths" in features and number > 1:
            yield from of_all_lengths(own)
            yield from of_longest(own)
        if 1 < number <= MOST_SHARED:
            yield from compare(WORLD, own, {">": 4, "<=": 5})
            for rest in _shared_by(own, number):
                yield from ask_for_rest(rest, 4)
        if number > CHUNKS[-1]:
            for size, cost in ((LENGTH, 2), (SHARE, 3), (PADDED, 5)):
                yield from compare(size, own, {">": cost, "<=": cost + 1, ">=": cost + 1, "<": cost + 2})
            yield from ask_for_rest(Term(f"length % {name}", _leave_by(number)), 3)
            yield from ask_for_rest(Term(f"{SHARE.text} % {name}", _leave_of_share_by(number)), 5)
        if number in (TINY, *CHUNKS):
            chunks = Term(f"ceil(length / {name})", _divide_by(number))
            whole = Term(f"length // {name}", _divide_by(number, whole=True))
            yield from ask_for_rest(Term(f"length % {name}", _leave_by(number)), 3)
            yield from compare(LENGTH, own, {"<": 4, ">=": 4, ">": 4, "<=": 4})
            for parts in (chunks, whole):
                yield from ask_for_rest(Term(f"{parts.text} % world_size", _share(parts)), 5)
                yield from compare(parts, WORLD, {"<": 5, ">=": 5})


def of_all_lengths(own: Term) -> Iterator[Atom]:
    """Yield that all samples together are longer than a number, and that they are not."""
    return compare(ALL_LENGTHS, own, {">": 3, "<=": 4})


def of_longest(own: Term) -> Iterator[Atom]:
    """Yield that a sample is longer than a number, and that none is."""
    return compare(highest("lengths"), own, {">": 2, "<=": 3})


def _shared_by(own: Term, number: int) -> tuple[Term, Term]:
    """Return what is left of ranks in groups of a number of the target's own, and of that shared by ranks."""
    return (
        Term(f"world_size % {own.text}", lambda table: table.world % number),
        Term(f"{own.text} % world_size", lambda table: number % table.world),
    )


def _leave_by(number: int) -> Callable[[Table], Any]:
    return lambda table: table.length % number


def _leave_of_share_by(number: int) -> Callable[[Table], Any]:
    return lambda table: table.share % number


def _divide_by(number: int, *, whole: bool = False) -> Callable[[Table], Any]:
    return lambda table: table.length // number if whole else -(-table.length // number)


def _share(parts: Term) -> Callable[[Table], Any]:
    return lambda table: parts.of(table) % table.world
