"""Atoms: the plain conditions of a case from which regions are made, ``length % world_size != 0``.

Called by ``conditions``. Pure and vectorised: an atom is a row of bits over many cases. Imports numpy
and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.table import LARGEST, Column, Table

Bits = NDArray[np.bool_]

DIVISOR = 2**31
LOW = range(1, 9)
FEW = range(2, 5)
TINY = 2
MOST_VALUES = 25


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition as a reader writes it; of two that say the same, the cheaper one is preferred."""

    text: str
    cost: int
    holds: Callable[[Table], Bits]


def atoms_of(table: Table, more: Iterable[Atom] = ()) -> list[Atom]:
    """Return the conditions that are true of some cases and false of others, the plain ones first.

    ``more`` are those that only these cases ask for, such as sizes that no small case has.
    """
    found = [*_flags(), *_sizes(table), *_remainders(table), *_features(table), *_options(table), *more]
    batched = bool((table.batch > 1).any())
    telling = []
    for atom in found:
        if "batch_size" in atom.text and not batched:
            continue
        bits = atom.holds(table)
        if bits.any() and not bits.all():
            telling.append(atom)
    return sorted(telling, key=lambda atom: (atom.cost, len(atom.text), atom.text))


def _bits(told: Iterable[bool]) -> Bits:
    return np.fromiter(told, dtype=bool)


def _flags() -> Iterator[Atom]:
    yield Atom("shuffle", 1, lambda table: table.shuffle)
    yield Atom("not shuffle", 1, lambda table: ~table.shuffle)
    yield Atom("drop_last", 1, lambda table: table.drop_last)
    yield Atom("not drop_last", 1, lambda table: ~table.drop_last)
    yield Atom("seed == 0", 1, lambda table: table.seed == 0)
    yield Atom("seed != 0", 1, lambda table: table.seed != 0)


def _sizes(table: Table) -> Iterator[Atom]:
    """Compare the sizes with constants and with one another."""
    for name, column, numbers in (
        ("length", "length", LOW),
        ("world_size", "world", FEW),
        ("batch_size", "batch", FEW),
    ):
        values = getattr(table, column)
        for number in numbers:
            cost = 1 if number <= TINY else 3
            yield comparison(column, f"{name} >= {number}", cost, number, at_least=True)
            yield comparison(column, f"{name} < {number}", cost + 1, number, at_least=False)
        for number in sorted(set(values.tolist()))[:MOST_VALUES]:
            yield Atom(
                f"{name} == {number}",
                1 if number < TINY else 3,
                lambda table, column=column, number=number: getattr(table, column) == number,  # type: ignore[misc]  # bound at once
            )
    yield Atom("length < world_size", 2, lambda table: table.length < table.world)
    yield Atom("length >= world_size", 2, lambda table: table.length >= table.world)
    yield Atom("length > world_size", 2, lambda table: table.length > table.world)
    yield Atom("length <= world_size", 2, lambda table: table.length <= table.world)
    yield Atom("2 * length < world_size", 3, lambda table: 2 * table.length < table.world)
    yield Atom("2 * length > world_size", 3, lambda table: 2 * table.length > table.world)
    yield Atom("length < 2 * world_size", 3, lambda table: table.length < 2 * table.world)
    yield Atom("length >= 2 * world_size", 3, lambda table: table.length >= 2 * table.world)
    yield Atom("length < 2 * world_size * batch_size", 4, lambda table: table.length < 2 * table.whole)
    yield Atom("length >= 2 * world_size * batch_size", 4, lambda table: table.length >= 2 * table.whole)
    yield Atom("length < world_size * batch_size", 3, lambda table: table.length < table.whole)
    yield Atom("length >= world_size * batch_size", 3, lambda table: table.length >= table.whole)
    yield Atom("length > world_size * batch_size", 3, lambda table: table.length > table.whole)


def comparison(column: str, text: str, cost: int, number: int, *, at_least: bool) -> Atom:
    """Return the condition that a column of the table is at least a number, or less than it."""
    if at_least:
        return Atom(text, cost, lambda table: getattr(table, column) >= number)
    return Atom(text, cost, lambda table: getattr(table, column) < number)


REMAINDERS: tuple[tuple[str, int, Callable[[Table], Any]], ...] = (
    ("length % world_size", 2, lambda table: table.length % table.world),
    ("length % batch_size", 2, lambda table: table.length % table.batch),
    ("length % (world_size * batch_size)", 3, lambda table: table.length % table.whole),
    ("ceil(length / world_size) % batch_size", 4, lambda table: table.share % table.batch),
    ("length // world_size % batch_size", 4, lambda table: table.length // table.world % table.batch),
    (
        "ceil(length / batch_size) % world_size",
        4,
        lambda table: -(-table.length // table.batch) % table.world,
    ),
    ("length // batch_size % world_size", 4, lambda table: table.length // table.batch % table.world),
)
"""What is left over when something is dealt out or cut into batches."""


def _remainders(table: Table) -> Iterator[Atom]:
    for text, cost, left in REMAINDERS:
        yield remainder(f"{text} != 0", cost, left, lambda rest: rest != 0)
        yield remainder(f"{text} == 0", cost, left, lambda rest: rest == 0)
        yield remainder(f"{text} > 1", cost + 3, left, lambda rest: rest > 1)
        yield remainder(f"{text} <= 1", cost + 4, left, lambda rest: rest <= 1)
    if len(set(table.batch.tolist())) > 1:
        shares = "ceil(length / world_size)"
        yield Atom(f"{shares} > batch_size", 5, lambda table: table.share > table.batch)
        yield Atom(f"{shares} >= batch_size", 5, lambda table: table.share >= table.batch)
        yield Atom(f"{shares} < batch_size", 5, lambda table: table.share < table.batch)


def remainder(text: str, cost: int, left: Callable[[Table], Any], judged: Callable[[Any], Any]) -> Atom:
    """Return a condition of what is left over."""
    return Atom(text, cost, lambda table: judged(left(table)))


def _features(table: Table) -> Iterator[Atom]:
    """Ask for what the samples carry: labels that differ, lengths that do not fit a budget."""
    for name in table.features:
        yield _feature(f"len(set({name})) > 1", 3, name, lambda row: len(set(row)) > 1)
        yield _feature(f"len(set({name})) == 1", 3, name, lambda row: len(set(row)) == 1)
        for option in _numbers(table):
            yield Atom(
                f"max({name}) > {option}",
                2,
                lambda table, name=name, option=option: table.highest(name) > table.number(option),  # type: ignore[misc]  # bound at once
            )


def _feature(text: str, cost: int, name: str, judged: Callable[[list[Any]], bool]) -> Atom:
    """Return a condition of what all samples together carry."""
    return Atom(text, cost, lambda table: _bits(judged(row) for row in table.features[name]))


def _options(table: Table) -> Iterator[Atom]:
    """Ask for the values of the target's own axes, and for what numbers among them leave over."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    for name in names:
        for value in dict.fromkeys(table.option(name)):
            yield _option(name, value)
    for name in _numbers(table):
        yield from _thresholds(name, sorted(set(table.option(name))))
        if table.number(name).min() > 0 and table.number(name).max() <= DIVISOR:
            yield from _sizes_by(name)
            yield from _remainders_by(name)


def _thresholds(name: str, values: Sequence[int]) -> Iterator[Atom]:
    """Cut the values of an axis in two."""
    for value in values[1:MOST_VALUES]:
        yield Atom(f"{name} >= {value}", 3, lambda table, value=value: table.number(name) >= value)  # type: ignore[misc]  # bound at once
        yield Atom(f"{name} < {value}", 4, lambda table, value=value: table.number(name) < value)  # type: ignore[misc]  # bound at once


def _sizes_by(name: str) -> Iterator[Atom]:
    """Compare the length, and a rank's share of it, with an axis."""
    yield Atom(f"length < {name}", 3, lambda table: table.length < table.number(name))
    yield Atom(f"length >= {name}", 3, lambda table: table.length >= table.number(name))
    yield Atom(f"length > {name}", 3, lambda table: table.length > table.number(name))
    share = "ceil(length / world_size)"
    yield Atom(f"{share} > {name}", 5, lambda table: table.share > table.number(name))
    yield Atom(f"{share} >= {name}", 5, lambda table: table.share >= table.number(name))
    yield Atom(f"{share} < {name}", 5, lambda table: table.share < table.number(name))
    yield Atom(f"{share} <= {name}", 5, lambda table: table.share <= table.number(name))


def _remainders_by(name: str) -> Iterator[Atom]:
    """Divide by an axis, alone and together with the ranks or the batch."""

    def by(table: Table) -> Column:
        return table.number(name)

    whole: tuple[tuple[str, int, Callable[[Table], Any]], ...] = (
        (f"length % {name}", 3, lambda table: table.length % by(table)),
        (f"length % (world_size * {name})", 4, lambda table: table.length % (table.world * by(table))),
        (f"length % (batch_size * {name})", 4, lambda table: table.length % (table.batch * by(table))),
        (f"ceil(length / world_size) % {name}", 5, lambda table: table.share % by(table)),
        (f"length // world_size % {name}", 5, lambda table: table.length // table.world % by(table)),
    )
    for text, cost, left in whole:
        yield remainder(f"{text} != 0", cost, left, lambda rest: rest != 0)
        yield remainder(f"{text} == 0", cost, left, lambda rest: rest == 0)


def _option(name: str, value: Any) -> Atom:
    return Atom(
        f"{name} == {value!r}",
        2,
        lambda table: _bits(own == value and type(own) is type(value) for own in table.option(name)),
    )


def _numbers(table: Table) -> list[str]:
    """Name the axes whose values are all whole numbers."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    return [
        name
        for name in names
        if all(type(value) is int and abs(value) <= LARGEST for value in table.option(name))
    ]
