"""Parts: what a sample or a batch consists of, with the names of its parts, and the numbers in each.

Called by ``_values``. Looks at structure alone: lists, tuples, names, data classes, arrays, numbers.
Standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    Leaf = tuple[str, Any]


def leaves_in(name: str, item: Any) -> Iterator[Leaf]:
    """Yield the parts that are arrays, rows of numbers, and numbers, with their names."""
    named = _by_name(item)
    if _is_array(item):
        yield name, item
    elif named is not None:
        for key, value in named.items():
            yield from leaves_in(str(key), value)
    elif isinstance(item, (list, tuple)):
        if _whole(item) is not None:
            yield name, item
        else:
            for key, value in _columns(item) or [(name, value) for value in item]:
                yield from leaves_in(key, value)
    elif (number := _number(item)) is not None:
        yield name, number


def samples_in(item: Any) -> list[Any] | None:
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


def as_column(leaf: Any) -> list[int] | None:
    """Return one integer for each row; a row of several numbers must repeat one number."""
    if not _is_array(leaf):
        return _whole(leaf) if isinstance(leaf, (list, tuple)) else None
    if not len(leaf):
        return []
    rows = leaf.reshape(len(leaf), -1).tolist()
    if not rows[0] or any(value != row[0] for row in rows for value in row):
        return None
    return _whole([row[0] for row in rows])


def as_number(leaf: Any) -> int | None:
    """Return the integer that a number is, or that all numbers of a row or a picture are."""
    if _is_array(leaf):
        leaf = leaf.reshape(-1).tolist()
    found = _whole(leaf if isinstance(leaf, (list, tuple)) else [leaf])
    return found[0] if found and len(set(found)) == 1 else None


def _columns(item: Any) -> list[Leaf]:
    """Return the samples with names that a list holds as one column for each name."""
    samples = [_by_name(sample) for sample in samples_in(item) or ()]
    first = samples[0] if samples else None
    return [(str(key), [sample[key] for sample in samples if sample is not None]) for key in first or ()]


def _by_name(item: Any) -> Mapping[Any, Any] | None:
    """Return the parts of what has parts with names."""
    if isinstance(item, Mapping):
        return item
    if is_dataclass(item) and not isinstance(item, type):
        return {part.name: getattr(item, part.name) for part in fields(item)}
    if isinstance(item, tuple) and hasattr(item, "_fields"):
        return dict(zip(item._fields, item, strict=False))
    return None


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
