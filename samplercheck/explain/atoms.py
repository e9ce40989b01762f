"""Atoms: the plain conditions of a case from which regions are made, ``length % world_size != 0``.

Called by ``conditions``. Pure and vectorised: an atom is a row of bits over many cases. Imports numpy
and values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samplercheck.features import feature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from samplercheck.case import Case

    Column = NDArray[np.int64]
    Bits = NDArray[np.bool_]

__all__ = ["Atom", "Table", "atoms_of"]

LARGEST = 2**62
LOW = range(1, 9)
FEW = range(2, 5)
TINY = 2


@dataclass(frozen=True, slots=True)
class Atom:
    """A condition as a reader writes it; of two that say the same, the cheaper one is preferred."""

    text: str
    cost: int
    holds: Callable[[Table], Bits]


class Table:
    """The fields of many cases as columns of numbers."""

    def __init__(self, cases: Sequence[Case], features: Iterable[str] = ()) -> None:
        self.cases = cases
        self.length = _column([case.length for case in cases])
        self.world = _column([case.world_size for case in cases])
        self.batch = _column([case.batch_size for case in cases])
        self.seed = _column([min(case.seed, LARGEST) for case in cases])
        self.shuffle = np.array([case.shuffle for case in cases], dtype=bool)
        self.drop_last = np.array([case.drop_last for case in cases], dtype=bool)
        self.whole = self.world * self.batch
        self.share = -(-self.length // self.world)
        self.features = {name: [feature(case, name) for case in cases] for name in features}

    def highest(self, name: str) -> Column:
        """The largest value of a feature in each case, 0 where there is none."""
        return _column([int(max(values, default=0)) for values in self.features[name]])

    def option(self, name: str) -> list[Any]:
        """The value of one of the target's own axes in each case."""
        return [case.option(name) for case in self.cases]


def atoms_of(table: Table) -> list[Atom]:
    """Return the conditions that are true of some cases and false of others, the plain ones first."""
    found = [*_flags(), *_sizes(table), *_remainders(table), *_features(table), *_options(table)]
    batched = bool((table.batch > 1).any())
    telling = []
    for atom in found:
        if "batch_size" in atom.text and not batched:
            continue
        bits = atom.holds(table)
        if bits.any() and not bits.all():
            telling.append(atom)
    return sorted(telling, key=lambda atom: (atom.cost, len(atom.text), atom.text))


def _column(numbers: list[int]) -> Column:
    return np.array(numbers, dtype=np.int64)


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
            yield _compared(column, f"{name} >= {number}", cost, number, at_least=True)
            yield _compared(column, f"{name} < {number}", cost + 1, number, at_least=False)
        for number in range(2 if len(set(values.tolist())) > 1 else 0):
            yield Atom(
                f"{name} == {number}",
                1,
                lambda table, column=column, number=number: getattr(table, column) == number,  # type: ignore[misc]  # bound at once
            )
    yield Atom("length < world_size", 2, lambda table: table.length < table.world)
    yield Atom("length >= world_size", 2, lambda table: table.length >= table.world)
    yield Atom("length > world_size", 2, lambda table: table.length > table.world)
    yield Atom("length <= world_size", 2, lambda table: table.length <= table.world)
    yield Atom("2 * length < world_size", 3, lambda table: 2 * table.length < table.world)
    yield Atom("2 * length > world_size", 3, lambda table: 2 * table.length > table.world)
    yield Atom("length < world_size * batch_size", 3, lambda table: table.length < table.whole)
    yield Atom("length >= world_size * batch_size", 3, lambda table: table.length >= table.whole)
    yield Atom("length > world_size * batch_size", 3, lambda table: table.length > table.whole)


def _compared(column: str, text: str, cost: int, number: int, *, at_least: bool) -> Atom:
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
        yield _remainder(f"{text} != 0", cost, left, lambda rest: rest != 0)
        yield _remainder(f"{text} == 0", cost, left, lambda rest: rest == 0)
        yield _remainder(f"{text} > 1", cost + 3, left, lambda rest: rest > 1)
        yield _remainder(f"{text} <= 1", cost + 4, left, lambda rest: rest <= 1)
    if len(set(table.batch.tolist())) > 1:
        shares = "ceil(length / world_size)"
        yield Atom(f"{shares} > batch_size", 5, lambda table: table.share > table.batch)
        yield Atom(f"{shares} < batch_size", 5, lambda table: table.share < table.batch)


def _remainder(text: str, cost: int, left: Callable[[Table], Any], judged: Callable[[Any], Any]) -> Atom:
    return Atom(text, cost, lambda table: judged(left(table)))


def _features(table: Table) -> Iterator[Atom]:
    """Ask for what the samples carry: labels that differ, lengths that do not fit a budget."""
    for name in table.features:
        yield Atom(
            f"len(set({name})) > 1",
            3,
            lambda table, name=name: np.array([len(set(row)) > 1 for row in table.features[name]]),  # type: ignore[misc]  # bound at once
        )
        for option in _numbers(table):
            yield Atom(
                f"max({name}) > {option}",
                2,
                lambda table, name=name, option=option: table.highest(name) > _column(table.option(option)),  # type: ignore[misc]  # bound at once
            )


def _options(table: Table) -> Iterator[Atom]:
    """Ask for the values of the target's own axes."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    for name in names:
        for value in dict.fromkeys(table.option(name)):
            yield _option(name, value)


def _option(name: str, value: Any) -> Atom:
    return Atom(
        f"{name} == {value!r}",
        2,
        lambda table: np.array([own == value and type(own) is type(value) for own in table.option(name)]),
    )


def _numbers(table: Table) -> list[str]:
    """Name the axes whose values are all whole numbers."""
    names = [name for name, _ in table.cases[0].options] if table.cases else []
    return [name for name in names if all(type(value) is int for value in table.option(name))]
