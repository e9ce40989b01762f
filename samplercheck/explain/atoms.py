"""Atoms: the plain conditions of a case from which regions are made, ``length % world_size != 0``.

Called by ``conditions``. Pure and vectorised: an atom is a row of bits over many cases. Imports numpy
and values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.table import LARGEST, Table

Bits = NDArray[np.bool_]

DIVISOR, TINY, MOST_VALUES = 2**31, 2, 25
FEW, LOW = range(2, 5), range(1, 9)
CHUNKS = range(3, 13)
"""Sizes of chunks and buffers that a target may have of its own, and thresholds beyond the low ones."""
SIGNS = {"<": lt, "<=": le, "==": eq, "!=": ne, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition as a reader writes it; of two that say the same, the cheaper one is preferred.

    One that is ``guessed``, of numbers that no case names, says something only where it is exact.
    """

    text: str
    cost: int
    holds: Callable[[Table], Bits]
    guessed: bool = False


class Term(NamedTuple):
    """One side of a condition: how a reader writes it, and what it is in each case of a table."""

    text: str
    of: Callable[[Table], Any]


LENGTH, WORLD = Term("length", attrgetter("length")), Term("world_size", attrgetter("world"))
BATCH, WHOLE = Term("batch_size", attrgetter("batch")), Term("world_size * batch_size", attrgetter("whole"))
BATCHES = Term("ceil(length / batch_size)", lambda table: -(-table.length // table.batch))
ROUNDS = Term("ceil(length / (world_size * batch_size))", lambda table: -(-table.length // table.whole))
ALL_LENGTHS = Term("sum(lengths)", lambda table: np.array([sum(row) for row in table.features["lengths"]]))
TWO_BATCHES = Term("2 * world_size * batch_size", lambda table: 2 * table.whole)
SEED, SHARE = Term("seed", attrgetter("seed")), Term("ceil(length / world_size)", attrgetter("share"))


def constant(number: int, text: str = "") -> Term:
    """Return a number as a side of a condition."""
    return Term(text or str(number), lambda _: number)


def compare(left: Term, right: Term, costs: Mapping[str, int]) -> Iterator[Atom]:
    """Yield a condition for each of the signs, which stand with what they cost."""
    for sign, cost in costs.items():
        yield Atom(f"{left.text} {sign} {right.text}", cost, _judge(left, SIGNS[sign], right))


def _judge(left: Term, judged: Callable[[Any, Any], Any], right: Term) -> Callable[[Table], Bits]:
    return lambda table: judged(left.of(table), right.of(table))


def ask_for_rest(rest: Term, cost: int) -> Iterator[Atom]:
    """Yield that something is left over, and that nothing is."""
    return compare(rest, constant(0), {"!=": cost, "==": cost})


def atoms_of(
    table: Table, more: Iterable[Atom] = (), *, alone: bool = False, wider: Table | None = None
) -> list[Atom]:
    """Return the conditions that are true of some cases and false of others, the plain ones first.

    ``more`` are those that only these cases ask for, such as sizes that no small case has: of some cases of
    a ``wider`` table, if there is one. The number of ranks says nothing of a target that is ``alone``, in
    one process.
    """
    found = [*_flags(), *_sizes(table), *_remainders(table), *_features(table), *_options(table)]
    found += compare(LENGTH, BATCH, {"<": 2, ">=": 2, ">": 2, "<=": 2}) if alone else ()
    unsaid = [*([] if (table.batch > 1).any() else ["batch_size"]), *([WORLD.text] if alone else [])]
    telling = [
        atom
        for atoms, told in ((found, table), (more, wider or table))
        for atom in atoms
        if not any(name in atom.text for name in unsaid)
        if (bits := atom.holds(told)).any() and not bits.all()
    ]
    return sorted(telling, key=lambda atom: (atom.cost, len(atom.text), atom.text))


def _flags() -> Iterator[Atom]:
    yield Atom("shuffle", 1, lambda table: table.shuffle)
    yield Atom("not shuffle", 1, lambda table: ~table.shuffle)
    yield Atom("drop_last", 1, lambda table: table.drop_last)
    yield Atom("not drop_last", 1, lambda table: ~table.drop_last)
    yield from compare(SEED, constant(0), {"==": 1, "!=": 1})


def _sizes(table: Table) -> Iterator[Atom]:
    """Compare the sizes with constants and with one another."""
    for size, numbers in ((LENGTH, LOW), (WORLD, FEW), (BATCH, FEW)):
        for number in numbers:
            cost = 1 if number <= TINY else 3
            yield from compare(size, constant(number), {">=": cost, "<": cost + 1})
        for number in sorted(set(size.of(table).tolist()))[:MOST_VALUES]:
            yield from compare(size, constant(number), {"==": 1 if number < TINY else 3})
    yield _ask_for_last_chunk(TINY)
    for number in CHUNKS:
        yield _ask_for_last_chunk(number)
        yield from compare(LENGTH, constant(number), {">=": 3} if number not in LOW else {})
    yield from compare(LENGTH, WORLD, {"<": 2, ">=": 2, ">": 2, "<=": 2})
    yield from compare(Term("2 * length", lambda table: 2 * table.length), WORLD, {"<": 3, ">": 3})
    yield from compare(LENGTH, Term("2 * world_size", lambda table: 2 * table.world), {"<": 3, ">=": 3})
    yield from compare(LENGTH, WHOLE, {"<": 3, ">=": 3, ">": 3})
    yield from compare(BATCH, WORLD, {"<": 3, ">=": 3})
    yield from compare(LENGTH, TWO_BATCHES, {"<": 4, ">=": 4})
    yield from compare(BATCHES, WORLD, {"<": 4, ">=": 4})


REMAINDERS = (
    (Term("length % world_size", lambda table: table.length % table.world), 2),
    (Term("length % batch_size", lambda table: table.length % table.batch), 2),
    (Term("length % (world_size * batch_size)", lambda table: table.length % table.whole), 3),
    (Term("ceil(length / world_size) % batch_size", lambda table: table.share % table.batch), 4),
    (Term("length // world_size % batch_size", lambda table: table.length // table.world % table.batch), 4),
    (Term(f"{BATCHES.text} % world_size", lambda table: BATCHES.of(table) % table.world), 4),
    (Term("length // batch_size % world_size", lambda table: table.length // table.batch % table.world), 4),
    (Term(f"{ROUNDS.text} % world_size", lambda table: ROUNDS.of(table) % table.world), 6),
)
"""What is left over when something is dealt out or cut into batches."""
TWICE_THE_REST = Term("2 * (length % world_size)", lambda table: 2 * (table.length % table.world))
"""Compared with world_size: what rounds to the nearest number, or pads by the rest, goes by the half."""


def _remainders(table: Table) -> Iterator[Atom]:
    for rest, cost in REMAINDERS:
        yield from ask_for_rest(rest, cost)
        yield from compare(rest, constant(1), {">": cost + 3, "<=": cost + 4})
    yield from compare(TWICE_THE_REST, WORLD, {"!=": 4, "==": 4})
    yield from ask_for_rest(Term("world_size % 2", lambda table: table.world % 2), 4)
    odd = Term("length % 2", lambda table: table.length % 2)
    yield from (replace(atom, guessed=True) for atom in ask_for_rest(odd, 4))
    if len(set(table.batch.tolist())) > 1:
        yield from compare(SHARE, BATCH, {">": 5, ">=": 5, "<": 5})


def _ask_for_last_chunk(size: int) -> Atom:
    """Return that there are whole chunks, and a last one that is not."""
    text = f"length >= {size + 1} and length % {size} != 0"
    return Atom(text, 6, lambda table: (table.length > size) & (table.length % size != 0), guessed=True)


def _features(table: Table) -> Iterator[Atom]:
    """Ask for what the samples carry: labels that differ, lengths that do not fit a budget."""
    for name in table.features:
        yield from differ(name)
        for option in _numbers(table):
            yield from compare(highest(name), _axis(option), {">": 2})
        for number in FEW if name == "labels" else ():
            yield from compare(_count_rarest(name), constant(number), {"<": 3, ">=": 4})
        if name == "labels":
            yield from compare(_count_rarest(name), BATCH, {"<": 3, ">=": 4})
            yield from compare(_count_stretches(name), _count_values(name), {">": 3, "==": 4})


def differ(name: str) -> Iterator[Atom]:
    """Yield the conditions that the values of samples differ, and that they are all alike."""
    yield from compare(_count_values(name), constant(1), {">": 3, "==": 3})


def _count_values(name: str) -> Term:
    return Term(f"len(set({name}))", lambda table: np.array([len(set(row)) for row in table.features[name]]))


def _count_stretches(name: str) -> Term:
    """Return how many stretches of alike values there are: more than values, where some lie apart."""
    return Term(
        f"len(list(groupby({name})))",
        lambda table: np.array([sum(1 for _ in groupby(row)) for row in table.features[name]]),
    )


def _count_rarest(name: str) -> Term:
    """Return how many samples the rarest value has; 0 where there is none."""
    return Term(
        f"min(map({name}.count, {name}), default=0)",
        lambda table: np.array([min(Counter(row).values(), default=0) for row in table.features[name]]),
    )


def highest(name: str) -> Term:
    """Return the largest value of a feature."""
    return Term(f"max({name})", lambda table: table.highest(name))


def _axis(name: str) -> Term:
    return Term(name, lambda table: table.number(name))


def _options(table: Table) -> Iterator[Atom]:
    """Ask for the values of the target's own axes, and for what numbers among them leave over."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    for name in names:
        for value in dict.fromkeys(table.option(name)):
            yield _option(name, value)
    for name in _numbers(table):
        for value in sorted(set(table.option(name)))[1:MOST_VALUES]:
            yield from compare(_axis(name), constant(value), {">=": 3, "<": 4})
        if table.number(name).min() > 0 and table.number(name).max() <= DIVISOR:
            yield from compare(LENGTH, _axis(name), {"<": 3, ">=": 3, ">": 3})
            yield from compare(SHARE, _axis(name), {">": 5, ">=": 5, "<": 5, "<=": 5})
            yield from _remainders_by(name)


def _remainders_by(name: str) -> Iterator[Atom]:
    """Divide by an axis, alone and together with the ranks or the batch."""
    by = _axis(name).of
    for rest, cost in (
        (Term(f"length % {name}", lambda table: table.length % by(table)), 3),
        (Term(f"length % (world_size * {name})", lambda table: table.length % (table.world * by(table))), 4),
        (Term(f"length % (batch_size * {name})", lambda table: table.length % (table.batch * by(table))), 4),
        (Term(f"ceil(length / world_size) % {name}", lambda table: table.share % by(table)), 5),
        (Term(f"length // world_size % {name}", lambda table: table.length // table.world % by(table)), 5),
    ):
        yield from ask_for_rest(rest, cost)


def _option(name: str, value: Any) -> Atom:
    def holds(table: Table) -> Bits:
        return np.array([own == value and type(own) is type(value) for own in table.option(name)], dtype=bool)

    return Atom(f"{name} == {value!r}", 2, holds)


def _numbers(table: Table) -> list[str]:
    """Name the axes whose values are all whole numbers."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    return [name for name in names if all(map(_is_whole, table.option(name)))]


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= LARGEST
