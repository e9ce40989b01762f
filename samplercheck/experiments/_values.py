"""Values: the indices in what a loader yields: tensors of more than one dimension, and collections of them.

Called by ``_reading`` for what is neither an index nor a plain batch. The kit's dataset holds its own
indices, so any part of a batch that says which samples it holds tells them. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["indices_in"]

TELLING = ("index", "indices", "idx", "id", "ids", "sample", "samples", "item", "items", "value", "values")
"""Names of parts that say which samples a batch holds, where its parts disagree."""


def indices_in(item: Any) -> list[int] | None:
    """Return the indices that a batch holds, one for each sample; None where it cannot be told.

    A batch whose parts are all alike says it anyhow; of others the one counts that is called by a
    name like "index".
    """
    parts = list(_parts("", item))
    if not parts or not _is_of_values(item):
        return None
    named = [values for name, values in parts if name.lower() in TELLING]
    candidates = named or [values for _, values in parts]
    return candidates[0] if all(values == candidates[0] for values in candidates) else None


def _is_of_values(item: Any) -> bool:
    """Whether this is what loaders yield: an array, or a collection of arrays or by names.

    Lists of lists, which a faulty sampler may yield, are none, and a plain row of numbers that was no
    batch of indices is a row of floats.
    """
    if (_is_array(item) and item.ndim > 1) or isinstance(item, Mapping) or _is_record(item):
        return True
    return isinstance(item, (list, tuple)) and any(_is_array(one) or _is_of_values(one) for one in item)


def _parts(name: str, item: Any) -> Iterator[tuple[str, list[int]]]:
    """Yield the parts of a batch that hold an integer for each sample, with their names."""
    if _is_record(item):
        item = {one.name: getattr(item, one.name) for one in fields(item)}
    if isinstance(item, (list, tuple)) and item and all(isinstance(one, Mapping) for one in item):
        item = {key: [one.get(key) for one in item] for key in item[0]}  # samples that were not put together
    if _is_array(item):
        column = _column(item)
    elif isinstance(item, Mapping):
        for key, value in item.items():
            yield from _parts(str(key), value)
        return
    elif isinstance(item, (list, tuple)):
        column = _whole(list(item))
        if column is None:
            for number, value in enumerate(item):
                key = item._fields[number] if hasattr(item, "_fields") else name
                yield from _parts(key, value)
            return
    else:
        return
    if column is not None:
        yield name, column


def _is_record(item: Any) -> bool:
    return is_dataclass(item) and not isinstance(item, type)


def _is_array(item: Any) -> bool:
    return getattr(item, "ndim", 0) >= 1 and hasattr(item, "tolist") and hasattr(item, "reshape")


def _column(array: Any) -> list[int] | None:
    """Return one number for each row; rows of more than one number must hold the same all along."""
    if not len(array):
        return []
    rows = array.reshape(len(array), -1).tolist()
    if any(value != row[0] for row in rows for value in row) or not rows[0]:
        return None
    return _whole([row[0] for row in rows])


def _whole(values: list[Any]) -> list[int] | None:
    """Return the integers that these numbers are; a dataset may hand out floats."""
    found = []
    for value in values:
        number = value
        if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
            number = value.item()
        if not isinstance(number, (int, float)) or not float(number).is_integer():
            return None
        found.append(int(number))
    return found
