"""Values: the indices in what loaders and streams yield: arrays, and collections of arrays and numbers.

Called by ``_reading`` for what is neither an index nor a plain batch. The kit's dataset holds its own
indices, so any part that says which samples there are tells them. Standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.experiments._parts import as_column, as_number, is_of_values, leaves_in, samples_in
from samplercheck.words import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.experiments._parts import Leaf

__all__ = ["UntoldError", "indices_in"]

TELLING = ("index", "indices", "idx", "id", "ids", "sample", "samples", "item", "items", "value", "values")
"""Names of parts that say which samples there are, where parts disagree."""
MOST_SHOWN = 3


class UntoldError(Exception):
    """Parts say different things, and no name says which of them is to be believed."""


def indices_in(item: Any, *, lone: bool = False) -> int | list[int] | None:
    """Return the indices that a batch holds, or the one of a sample; None where nothing in it tells.

    A plain number beside other parts makes a sample of what a stream yields (``lone``); elsewhere
    it must be called by a name like "index". Parts that all say the same tell it anyhow; of others
    those count that have such a name.
    """
    samples = samples_in(item)
    if samples is not None:
        found = [_sample_of(list(leaves_in("", one))) for one in samples]
        if None not in found:
            return found  # type: ignore[return-value]  # looked at here
    leaves = list(leaves_in("", item))
    sample = _sample_of(leaves) if lone or _is_named(leaves) else None
    return _batch_of(leaves) if sample is None and is_of_values(item) else sample


def _is_named(leaves: Sequence[Leaf]) -> bool:
    """Whether numbers, and nothing else, are called by a name that tells."""
    named = _named(leaves)
    return named is not leaves and all(isinstance(leaf, (int, float)) for _, leaf in named)


def _named(leaves: Sequence[Leaf]) -> Sequence[Leaf]:
    """Return the parts with a name that tells; all of them where none has one."""
    return [leaf for leaf in leaves if leaf[0].lower() in TELLING] or leaves


def _sample_of(leaves: Sequence[Leaf]) -> int | None:
    """Return the index of the one sample that these are parts of; None where no number is among them."""
    told = _named(leaves)
    numbers = [leaf for leaf in told if isinstance(leaf[1], (int, float))]
    # Under a name that tells a number needs no witness; without one, pictures and rows have a say.
    heard = numbers if told is not leaves else told
    found = [(name, number) for name, leaf in heard if (number := as_number(leaf)) is not None]
    return _agreed(found) if numbers and found else None


def _batch_of(leaves: Sequence[Leaf]) -> list[int] | None:
    """Return the indices of the batch that these are parts of, one for each sample."""
    columns = [(name, column) for name, leaf in leaves if (column := as_column(leaf)) is not None]
    return _agreed(_named(columns)) if columns else None


def _agreed(told: Sequence[tuple[str, Any]]) -> Any:
    """Return what all of these parts say."""
    said = [one for place, one in enumerate(told) if one[1] not in [other for _, other in told[:place]]]
    if len(said) == 1:
        return said[0][1]
    shown = (f"{name}: " * bool(name) + _shown(value) for name, value in said[:MOST_SHOWN])
    raise UntoldError(f"its parts disagree ({' against '.join(shown)})")


def _shown(value: Any) -> str:
    return brief([value] if isinstance(value, int) else value, MOST_SHOWN) or "nothing"
