"""Conditions of large cases: sizes that no small case has, ``world_size >= 11`` or ``seed >= 2**31``.

Called by ``conditions`` where only large cases fail, as ``atoms`` is anywhere else. Pure and vectorised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from samplercheck.explain import atoms
from samplercheck.explain.atoms import BATCH, LENGTH, SEED, SHARE, WORLD, Atom, Term, compare, constant
from samplercheck.explain.table import LARGEST, Table
from samplercheck.values.case import Case

MOST_LARGE = 60
ROUND = (2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096)
BITS = (31, 32)
LEAST_POWER = 2**15
BELOW = Term("length - 1", lambda table: table.length - 1)
COSTS = {LENGTH: 3, WORLD: 3, BATCH: 3, SHARE: 5}
LEAST = {LENGTH: atoms.LOW.stop, WORLD: atoms.FEW.stop, BATCH: atoms.FEW.stop, SHARE: atoms.LOW.stop}
"""The first value that no condition of small cases is about."""


def large_atoms(table: Table, around: Sequence[Case]) -> Iterator[Atom]:
    """Cut the larger values of each size in two, near those of some cases first; divide by round numbers."""
    near = Table(around)
    for size, cost in COSTS.items():
        values = {value for value in size.of(table).tolist() if value >= LEAST[size]}
        for number in _nearest(values, size.of(near).tolist()):
            yield from _cuts(size, cost, number)
        if size is not SHARE:
            yield from _powers(size)
            for number in ROUND:
                yield from atoms.ask_for_rest(_left_by(size, number), 4)
    seeds = {case.seed for case in around if atoms.LOW.stop <= case.seed < LARGEST}
    for number in sorted(seeds | {2**bits for bits in BITS}):
        yield from _cuts(SEED, 3, number)
    last = Term("seed + epochs", lambda table: table.seed + table.epochs)
    for bits in BITS:
        yield from compare(last, _write(2**bits), {">": 2})


def _nearest(values: set[int], to: Sequence[int]) -> list[int]:
    """Return the values that are nearest to some others, few enough, in their order."""
    return sorted(sorted(values, key=lambda one: (min(abs(one - other) for other in to), one))[:MOST_LARGE])


def _cuts(size: Term, cost: int, number: int) -> Iterator[Atom]:
    if number > LEAST_POWER and is_power(number - 1):
        return compare(size, _write(number - 1), {">": cost, "<=": cost + 1})
    return compare(size, _write(number), {">=": cost, "<": cost + 1})


def is_power(number: Any) -> Any:
    """Whether a number is a power of two, or which of several are."""
    return (number > 0) & (number & (number - 1) == 0)


def _write(number: int) -> Term:
    """Return a number as a reader of code writes it."""
    if number < LEAST_POWER or not (is_power(number) or is_power(number + 1)):
        return constant(number)
    power = number.bit_length() - 1
    return constant(number, f"2**{power}" if is_power(number) else f"2**{power + 1} - 1")


def power_atoms() -> Iterator[Atom]:
    """Ask of small sizes whether they are powers of two, which of samples says something only where exact."""
    sizes = (LENGTH, BELOW, WORLD, BATCH)
    return chain.from_iterable(_powers(size, 6, guessed=size is not WORLD) for size in sizes)


def _powers(size: Term, cost: int = 3, *, guessed: bool = False) -> Iterator[Atom]:
    yield Atom(f"{size.text} is a power of two", cost, lambda table: is_power(size.of(table)), guessed)
    yield Atom(f"{size.text} is no power of two", cost + 2, lambda table: ~is_power(size.of(table)), guessed)


def _left_by(size: Term, number: int) -> Term:
    return Term(f"{size.text} % {number}", lambda table: size.of(table) % number)
