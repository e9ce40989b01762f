"""Pairs: few cases of a grid that is too large to be tried whole, in which every two of its values meet.

Called by the engine behind a small scope that had to be cut. No Hypothesis, no chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.case import Case
from samplercheck.search.chosen import covering

if TYPE_CHECKING:
    from samplercheck.search.small_scope import SmallScope

__all__ = ["pairs_of"]


def pairs_of(scope: SmallScope) -> tuple[Case, ...]:
    """Return cases in which every two values of the scope meet at least once, the smallest first."""
    variants = max(len(scope.features_of(length)) for length in range(scope.longest + 1))
    columns: dict[str, list[Any]] = {
        "length": list(range(scope.longest + 1)),
        "world_size": list(scope.worlds),
        "batch_size": list(scope.batches),
        "shuffle": list(scope.shuffles),
        "drop_last": list(scope.drops),
        "seed": list(scope.seeds),
        "options": list(scope.options),
        "features": list(range(variants)),
    }
    rows = covering([len(values) for values in columns.values()])
    return tuple(sorted({_case(scope, columns, row) for row in rows}))


def _case(scope: SmallScope, columns: dict[str, list[Any]], row: tuple[int, ...]) -> Case:
    fields = {name: values[at] for (name, values), at in zip(columns.items(), row, strict=True)}
    variants = scope.features_of(fields["length"])
    fields["features"] = variants[fields["features"] % len(variants)]
    return Case(**fields, epochs=scope.epochs)
