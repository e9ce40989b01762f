"""Values: the indices in what loaders and streams yield: arrays, and collections of arrays and numbers.

Called by ``_reading`` for what is neither an index nor a plain batch. The values of the kit's dataset are its
own indices, so any part that holds them identifies the samples. Standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.experiments._parts import as_column, as_number, is_of_values, leaves_in, samples_in
from samplercheck.words import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.experiments._parts import Leaf

TELLING = [
    "index",
    "indices",
    "idx",
    "id",
    "ids",
    "sample",
    "samples",
    "item",
    "items",
    "value",
    "values",
]
"""Names of parts that identify the samples, where parts disagree."""
MOST_SHOWN = 3


class UnclearError(Exception):
    """Parts hold different indices, and no name says which of them counts."""


def indices_in(item: Any, *, lone: bool = False) -> int | list[int] | None:
    """Return the indices that a batch holds, or the one of a sample; None where nothing in it identifies any.

    A plain number beside other parts makes a sample of what a stream yields (``lone``); elsewhere
    it must have a name like "index". Where all parts agree their names do not matter; where they
    disagree those with such a name count.
    """
    samples = samples_in(item)
    if samples is not None:
        found = [_find_sample(list(leaves_in("", sample))) for sample in samples]
        if None not in found:
            return found  # type: ignore[return-value]  # checked here
    leaves = list(leaves_in("", item))
    sample = _find_sample(leaves) if lone or _is_named(leaves) else None
    return _find_batch(leaves) if sample is None and is_of_values(item) else sample


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
    found = [(name, number) for name, leaf in counted if (number := as_number(leaf)) is not None]
    return _agree(found) if numbers and found else None


def _find_batch(leaves: Sequence[Leaf]) -> list[int] | None:
    """Return the indices of the batch that these are parts of, one for each sample."""
    columns = [(name, column) for name, leaf in leaves if (column := as_column(leaf)) is not None]
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
