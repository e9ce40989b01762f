"""The indices in what loaders and streams yield: arrays, and collections of arrays and numbers.

Called by ``_reading`` for what is neither an index nor a plain batch. The values of the kit's dataset are its
own indices, so any part that holds them identifies the samples. Looks at structure alone: lists, tuples,
names, data classes, arrays, numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from samplercheck.values.wording import brief

Leaf = tuple[str, Any]

TELLING = frozenset(
    ("index", "indices", "idx", "id", "ids", "sample", "samples", "item", "items", "value", "values")
)
"""Names of parts that identify the samples, where parts disagree."""
MOST_SHOWN = 3
NUMBERS = frozenset({int, float})
PLAIN = NUMBERS | {str, bytes, bool, type(None)}


class UnclearError(Exception):
    """Parts hold different indices, and no name says which of them counts."""


def indices_in(item: Any, *, lone: bool = False) -> int | list[int] | None:
    """Return the indices that a batch holds, or the one of a sample; None where nothing in it identifies any.

    A plain number beside other parts makes a sample of what a stream yields (``lone``); elsewhere
    it must have a name like "index". Where all parts agree their names do not matter; where they
    disagree those with such a name count.
    """
    samples = _samples_in(item)
    if samples is not None:
        found = [_find_sample(list(_leaves_in("", sample))) for sample in samples]
        if None not in found:
            return found  # type: ignore[return-value]  # checked here
    leaves = list(_leaves_in("", item))
    sample = _find_sample(leaves) if lone or _is_named(leaves) else None
    return _find_batch(leaves) if sample is None and is_of_values(item) else sample


def names_its_index(item: Any) -> bool:
    """Whether a part with an identifying name is a plain number: it is a sample then, and no batch."""
    return _is_named(list(_leaves_in("", item)))


def _is_named(leaves: Sequence[Leaf]) -> bool:
    """Whether numbers, and nothing else, have an identifying name."""
    chosen = _select(leaves)
    return chosen is not leaves and all(isinstance(leaf, (int, float)) for _, leaf in chosen)


def _select(leaves: Sequence[Leaf]) -> Sequence[Leaf]:
    """Return the parts with an identifying name; all of them where none has one."""
    return [leaf for leaf in leaves if leaf[0].lower() in TELLING] or leaves


def _find_sample(leaves: Sequence[Leaf]) -> int | None:
    """Return the index of the one sample that these are parts of; None where no number is among them."""
    chosen = _select(leaves)
    numbers = [leaf for leaf in chosen if isinstance(leaf[1], (int, float))]
    # A number with an identifying name is enough; without one, pictures and rows must agree with it.
    counted = numbers if chosen is not leaves else chosen
    found = [(name, number) for name, leaf in counted if (number := _as_number(leaf)) is not None]
    return _agree(found) if numbers and found else None


def _find_batch(leaves: Sequence[Leaf]) -> list[int] | None:
    """Return the indices of the batch that these are parts of, one for each sample."""
    columns = [(name, column) for name, leaf in leaves if (column := _as_column(leaf)) is not None]
    return _agree(_select(columns)) if columns else None


def _agree(parts: Sequence[tuple[str, Any]]) -> Any:
    """Return what all of these parts hold."""
    different: list[tuple[str, Any]] = []
    for name, value in parts:
        if all(value != other for _, other in different):
            different.append((name, value))
    if len(different) == 1:
        return different[0][1]
    texts = (f"{name}: " * bool(name) + _format(value) for name, value in different[:MOST_SHOWN])
    raise UnclearError(f"its parts disagree ({' against '.join(texts)})")


def _format(value: Any) -> str:
    return brief([value] if isinstance(value, int) else value, MOST_SHOWN) or "nothing"


def _leaves_in(name: str, item: Any) -> Iterator[Leaf]:
    """Yield the parts that are arrays, rows of numbers, and numbers, with their names."""
    if type(item) in PLAIN:  # quicker: nearly all parts of samples are
        if type(item) in NUMBERS:
            yield name, item
        return
    named = _by_name(item)
    if _is_array(item):
        yield name, item
    elif named is not None:
        for key, value in named.items():
            yield from _leaves_in(str(key), value)
    elif isinstance(item, (list, tuple)):
        if _whole(item) is not None:
            yield name, item
        else:
            for key, value in _columns(item) or [(name, value) for value in item]:
                yield from _leaves_in(key, value)
    elif (number := _number(item)) is not None:
        yield name, number


def _samples_in(item: Any) -> list[Any] | None:
    """Return the samples of a batch that were not put together; None where it is no list of samples.

    Samples are alike: either each has a number or a text of its own, of which a collate function would make
    a column, or their parts have names.
    """
    if not isinstance(item, (list, tuple)) or not item or _by_name(item) is not None:
        return None
    shapes = [_shape(sample) for sample in item]
    return list(item) if shapes[0] and all(shape == shapes[0] for shape in shapes) else None


def is_of_values(item: Any) -> bool:
    """Whether this is what loaders yield: an array, or a collection of arrays or by names.

    Lists of lists, which a faulty sampler may yield, are not; a plain row of numbers that was no batch of
    indices is a row of floats.
    """
    if (_is_array(item) and item.ndim > 1) or _by_name(item) is not None:
        return True
    return isinstance(item, (list, tuple)) and any(_is_array(part) or is_of_values(part) for part in item)


def _as_column(leaf: Any) -> list[int] | None:
    """Return one integer for each row; a row of several numbers must repeat one number."""
    if not _is_array(leaf):
        return _whole(leaf) if isinstance(leaf, (list, tuple)) else None
    if not len(leaf):
        return []
    rows = leaf.reshape(len(leaf), -1).tolist()
    if not rows[0] or any(value != row[0] for row in rows for value in row):
        return None
    return _whole([row[0] for row in rows])


def _as_number(leaf: Any) -> int | None:
    """Return the integer that a number is, or that all numbers of a row or a picture are."""
    if _is_array(leaf):
        leaf = leaf.reshape(-1).tolist()
    found = _whole(leaf if isinstance(leaf, (list, tuple)) else [leaf])
    return found[0] if found and len(set(found)) == 1 else None


def _columns(item: Any) -> list[Leaf]:
    """Return the samples with names that a list holds as one column for each name."""
    samples = [_by_name(sample) for sample in _samples_in(item) or ()]
    first = samples[0] if samples else None
    return [(str(key), [sample[key] for sample in samples if sample is not None]) for key in first or ()]


def _by_name(item: Any) -> Mapping[Any, Any] | None:
    """Return the parts of what has parts with names."""
    names = _names_of(type(item))  # type: ignore[arg-type]  # a class is hashable
    if names is None:
        return None
    if not names:
        return item if isinstance(item, Mapping) else {}
    if isinstance(item, tuple):
        return dict(zip(names, item, strict=False))
    return {name: getattr(item, name) for name in names}


@lru_cache(maxsize=256)
def _names_of(kind: type) -> tuple[str, ...] | None:
    """Return the names that a kind has for its parts, none for mappings; None where parts have no names."""
    if issubclass(kind, Mapping):
        return ()
    if is_dataclass(kind):
        return tuple(part.name for part in fields(kind))
    return tuple(kind._fields) if issubclass(kind, tuple) and hasattr(kind, "_fields") else None


def _shape(sample: Any) -> tuple[Any, ...]:
    """Return what samples of one kind have in common; nothing for what is no sample by itself.

    A row of numbers alone is no sample: a faulty sampler yields such rows.
    """
    named = _by_name(sample)
    if named is not None:
        return tuple(named)
    if not isinstance(sample, (list, tuple)):
        return ()
    numbers = [_number(part) is not None for part in sample]
    alone = tuple(number or isinstance(part, str) for number, part in zip(numbers, sample, strict=True))
    return alone if any(alone) and not all(numbers) else ()


def _is_array(item: Any) -> bool:
    return getattr(item, "ndim", 0) >= 1 and hasattr(item, "tolist") and hasattr(item, "reshape")


def _number(value: Any) -> int | float | None:
    """Return a number that stands by itself, 0-d tensors included; a bool is none."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _whole(values: Any) -> list[int] | None:
    """Return the integers that these numbers are; a dataset may hand out floats."""
    numbers = [_number(value) for value in values]
    if any(number is None or not float(number).is_integer() for number in numbers):
        return None
    return [int(number) for number in numbers if number is not None]
