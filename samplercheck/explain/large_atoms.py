"""Large atoms: conditions of sizes that no small case has, ``world_size >= 11`` or ``seed >= 2**31``.

Asked for by ``conditions`` where only large cases fail. Pure and vectorised. Imports numpy and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from samplercheck.explain.atoms import Atom, comparison, remainder
from samplercheck.explain.table import LARGEST, Table
from samplercheck.values.case import Case

MOST_LARGE = 60
LEAST = 9
ROUND = (2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100, 128, 256, 512, 1000, 1024, 2048, 4096)
BITS = (31, 32)
LEAST_POWER = 2**15
SIZES = (
    ("length", "length", 3),
    ("world_size", "world", 3),
    ("batch_size", "batch", 3),
    ("ceil(length / world_size)", "share", 5),
)


def large_atoms(table: Table, around: Sequence[Case]) -> Iterator[Atom]:
    """Cut the larger values of each size in two, near those of some cases first; divide by round numbers."""
    near = Table(around)
    for name, column, cost in SIZES:
        values = {value for value in getattr(table, column).tolist() if value >= LEAST}
        for number in _nearest(values, getattr(near, column).tolist()):
            yield from _cuts(name, column, cost, number)
        if name.isidentifier():
            power = partial(_is_power_of_two, column)
            yield remainder(f"{name} is a power of two", 3, power, lambda found: found)
            yield remainder(f"{name} is no power of two", 5, power, lambda found: ~found)
            for number in ROUND:
                left = partial(_left_by, column, number)
                yield remainder(f"{name} % {number} != 0", 4, left, lambda rest: rest != 0)
                yield remainder(f"{name} % {number} == 0", 4, left, lambda rest: rest == 0)
    seeds = {case.seed for case in around if LEAST <= case.seed < LARGEST}
    for number in sorted(seeds | {2**bits for bits in BITS}):
        yield from _cuts("seed", "seed", 3, number)
    for bits in BITS:
        last = partial(_last_sum, 2**bits)
        yield Atom(f"seed + epochs > 2**{bits}", 2, last)


def _nearest(values: set[int], to: Sequence[int]) -> list[int]:
    """Return the values that are nearest to some others, few enough, in their order."""
    return sorted(sorted(values, key=lambda one: (min(abs(one - other) for other in to), one))[:MOST_LARGE])


def _cuts(name: str, column: str, cost: int, number: int) -> Iterator[Atom]:
    at_least, below = f"{name} >= {_write(number)}", f"{name} < {_write(number)}"
    if number > LEAST_POWER and _is_power(number - 1):
        at_least, below = f"{name} > {_write(number - 1)}", f"{name} <= {_write(number - 1)}"
    yield comparison(column, at_least, cost, number, at_least=True)
    yield comparison(column, below, cost + 1, number, at_least=False)


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


def _write(number: int) -> str:
    """Return a number as a reader of code writes it."""
    if number < LEAST_POWER or not (_is_power(number) or _is_power(number + 1)):
        return str(number)
    return f"2**{number.bit_length() - 1}" if _is_power(number) else f"2**{number.bit_length()} - 1"


def _is_power_of_two(column: str, table: Table) -> Any:
    values = getattr(table, column)
    return values & (values - 1) == 0


def _left_by(column: str, number: int, table: Table) -> Any:
    return getattr(table, column) % number


def _last_sum(number: int, table: Table) -> Any:
    return table.seed + table.epochs > number
