"""The chosen set: few cases in which every two values meet, for worlds where a case costs milliseconds.

Called by the engine for process groups, and behind a small scope that had to be cut. No Hypothesis, no
chance: the same target, number of ranks and budget give the same cases. A case parameter that the target
does not name is pinned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any, TypeVar

from samplercheck.search.axes import Options, batch_of, is_among
from samplercheck.search.small_scope import SmallScope
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case

Value = TypeVar("Value")
Columns = dict[str, Sequence[Any]]
Row = tuple[int, ...]
Pair = tuple[int, int, int, int]

LENGTHS: dict[str, Callable[[int, int], int]] = {
    "none": lambda _world, _batch: 0,
    "one": lambda _world, _batch: 1,
    "one for each rank": lambda world, _batch: world,
    "one too few": lambda world, batch: world * batch - 1,
    "a whole round": lambda world, batch: world * batch,
    "one too many": lambda world, batch: world * batch + 1,
    "a few rounds and a part": lambda world, batch: 2 * world * batch + world + 1,
    "long": lambda _world, _batch: 101,
}
"""Where partitions go wrong: the boundaries of a case's rounds, and two lengths beyond them."""

WORLD_SIZES = (1, 2, 3, 4, 8, 5, 6, 7)
FEWEST_WORLDS = 3
SHARE_OF_PAIRS = 0.7
BATCHES = (1, 2, 3)
SEEDS = (0, 1, 2**31 - 1)
EPOCHS = (2, 3)
MOST_VALUES = 5
TRIALS = 20
AXIS = "axis "


def choose_cases(
    binding: Binding, options: Options, most_ranks: int, budget: int, *, sizes: Sequence[int] = ()
) -> tuple[Case, ...]:
    """Return about ``budget`` cases, those of one world size together: a pool keeps its group that long.

    Each pair of values of two parameters is in one of them at least, also where that takes more.
    None where not even the smallest world fits into ``most_ranks``. Where only some ``sizes`` can be had
    these are taken, of which the largest is always among them.
    """
    step = binding.contract.replicas
    worlds = _worlds(step, most_ranks, budget)
    if sizes:
        worlds = tuple(size for size in sizes if size % step == 0 and (size in worlds or size == max(sizes)))
    if not worlds:
        return ()
    columns = _columns(binding, worlds, options)
    levels = [len(values) for values in columns.values()]
    found = {_case(binding, columns, row): None for row in covering(levels)}
    for row in _others(levels, budget * TRIALS):
        if len(found) >= budget:
            break
        found[_case(binding, columns, row)] = None
    return tuple(sorted(found, key=lambda case: (case.world_size, case)))


def covering(levels: Sequence[int]) -> tuple[Row, ...]:
    """Return rows of values 0 to level - 1 in which every two values of two columns meet in some row."""
    columns = range(len(levels))
    missing = {
        (one, value, other, its)
        for one, other in combinations(columns, 2)
        for value in range(levels[one])
        for its in range(levels[other])
    }
    rows: list[Row] = [] if len(levels) > 1 else [(value,) for level in levels for value in range(level)]
    while missing:
        one, value, other, its = min(missing)
        row = {one: value, other: its}
        for column in columns:
            if column not in row:
                row[column] = _best_value(column, levels[column], row, missing, turn=len(rows))
        missing -= {_pair(*one, *other) for one, other in combinations(row.items(), 2)}
        rows.append(tuple(row[column] for column in columns))
    return tuple(rows)


def _best_value(column: int, level: int, row: dict[int, int], missing: set[Pair], *, turn: int) -> int:
    """Return the value that meets most of what it has not met yet; equals take turns."""

    def count_meetings(value: int) -> int:
        return sum(_pair(column, value, other, its) in missing for other, its in row.items())

    return max(range(level), key=lambda value: (count_meetings(value), -((value - turn) % level)))


def _pair(one: int, value: int, other: int, its: int) -> Pair:
    return (one, value, other, its) if one < other else (other, its, one, value)


def _others(levels: Sequence[int], number: int) -> Iterator[Row]:
    """More rows, any, the same in every run."""
    random = Random(0)
    for _ in range(number):
        yield tuple(random.randrange(level) for level in levels)


def _worlds(step: int, most_ranks: int, budget: int) -> tuple[int, ...]:
    """Return the world sizes that fit, as many as a covering array of this budget has room for."""
    room = max(FEWEST_WORLDS, int(budget * SHARE_OF_PAIRS) // len(LENGTHS))
    return tuple(sorted(step * world for world in WORLD_SIZES[:room] if step * world <= most_ranks))


def _columns(binding: Binding, worlds: tuple[int, ...], options: Options) -> Columns:
    """Return what varies, column by column."""
    named = binding.varied
    columns: Columns = {
        "length": tuple(LENGTHS.values()),
        "world_size": worlds,
        "batch_size": BATCHES if "batch_size" in named else (binding.own_batch.size,),
        "shuffle": (False, True) if "shuffle" in named else (False,),
        "drop_last": (False, True) if "drop_last" in named else (False,),
        "seed": SEEDS if "seed" in named else (0,),
        "epochs": EPOCHS,
    }
    for place, (name, _) in enumerate(options[0]):
        values: list[Any] = []
        for combination in options:
            value = combination[place][1]
            if not is_among(values, value):
                values.append(value)
        columns[f"{AXIS}{name}"] = thin_out(values, MOST_VALUES)
    return columns


def thin_out(values: Sequence[Value], most: int) -> list[Value]:
    """Return at most so many of the values, the first and the last among them."""
    last = len(values) - 1
    return list(values) if last < most else [values[place * last // (most - 1)] for place in range(most)]


def _fields(columns: Columns, row: Row) -> dict[str, Any]:
    """Return the value of each column that a row stands for."""
    return {name: values[at] for (name, values), at in zip(columns.items(), row, strict=True)}


def _case(binding: Binding, columns: Columns, row: Row) -> Case:
    fields = _fields(columns, row)
    fields["batch_size"] = batch_of(binding, fields["batch_size"], fields["world_size"])
    axes = [name for name in columns if name.startswith(AXIS)]
    options = {name.removeprefix(AXIS): fields.pop(name) for name in axes}
    fields["length"] = fields["length"](fields["world_size"], fields["batch_size"])
    return Case(**fields, options=options)  # type: ignore[arg-type]  # a case takes mappings


def describe_choice(cases: Sequence[Case]) -> str:
    """Return what the cases run over, in words."""
    parts = []
    for name, word in (("length", "length"), ("world_size", "world"), ("batch_size", "batch")):
        values = [getattr(case, name) for case in cases]
        if name != "batch_size" or max(values) > 1:
            low, high = min(values), max(values)
            parts.append(f"{word} {low}" if low == high else f"{word} {low}-{high}")
    parts += [name for name in ("shuffle", "drop_last") if any(getattr(case, name) for case in cases)]
    parts += ["seed"] if any(case.seed for case in cases) else []
    parts += [name for name, _ in cases[0].options]
    return f"every pair of values of {', '.join(parts)}"


def pairs_of(scope: SmallScope) -> tuple[Case, ...]:
    """Return cases in which every two values of the scope meet at least once, the smallest first."""
    lengths = scope.lengths
    columns: Columns = {
        "length": lengths,
        **scope.columns,
        "options": scope.options,
        "features": range(max(len(scope.features_of(length)) for length in lengths)),
    }
    rows = covering([len(values) for values in columns.values()])
    return tuple(sorted({_case_of_row(scope, columns, row) for row in rows}))


def _case_of_row(scope: SmallScope, columns: Columns, row: Row) -> Case:
    fields = _fields(columns, row)
    variants = scope.features_of(fields["length"])
    fields["features"] = variants[fields["features"] % len(variants)]
    return scope.case(**fields)
