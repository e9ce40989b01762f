"""Hypothesis strategies for cases, also for users' own ``@given`` tests (``sc.strategies``).

Keyword-only, defaults for everything, wrong arguments refused at once. Small worlds come first, so
that what Hypothesis shrinks ends at rank 0 of 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from samplercheck.search.axes import is_strategy
from samplercheck.search.profiles import FEW, FEW_RANKS, LARGEST_SEED, affordable
from samplercheck.values.case import Case
from samplercheck.values.errors import UsageError


def worlds(*, min_size: int = 1, max_size: int = 8) -> SearchStrategy[int]:
    """World sizes, small ones first."""
    _check("worlds", min_size=min_size, max_size=max_size, lowest=1)
    return st.integers(min_size, max_size)


def interruptions(*, max_stop: int = 100) -> SearchStrategy[int]:
    """Numbers of items after which a run is interrupted, 0 and 1 among them."""
    _check("interruptions", min_size=0, max_size=max_stop, lowest=0)
    return st.one_of(st.sampled_from((0, 1)), st.integers(0, max_stop)) if max_stop else st.just(0)


def cases(  # noqa: PLR0913  (a keyword for each field of a case)
    *,
    min_length: int = 0,
    max_length: int = 100,
    min_world: int = 1,
    max_world: int = 8,
    max_batch: int = 8,
    max_work: int | None = None,
    world_step: int = 1,
    shuffle: SearchStrategy[bool] | None = None,
    drop_last: SearchStrategy[bool] | None = None,
    seeds: SearchStrategy[int] | None = None,
    epochs: SearchStrategy[int] | None = None,
    axes: Mapping[str, Any] | None = None,
) -> SearchStrategy[Case]:
    """Cases; ``max_work`` bounds (length + 100) times world size, ``axes`` are the target's own options."""
    fewest = -(-min_world // max(1, world_step))
    for low, high, lowest in (
        (min_length, max_length, 0),
        (1, world_step, 1),
        (min_world, max_world, 1),
        (fewest, max_world // max(1, world_step), 1),
        (1, max_batch, 1),
    ):
        _check("cases", min_size=low, max_size=high, lowest=lowest)
    lengths = st.integers(min_length, max_length)
    few = st.integers(min_length, max(min_length, min(max_length, FEW)))
    return st.one_of(few, lengths).flatmap(
        lambda length: st.builds(
            Case,
            length=st.just(length),
            world_size=_worlds_for(affordable(length, max_world, max_work), fewest, world_step),
            batch_size=st.integers(1, max_batch),
            shuffle=shuffle if shuffle is not None else st.booleans(),
            drop_last=drop_last if drop_last is not None else st.booleans(),
            seed=seeds if seeds is not None else _seeds(),
            epochs=epochs if epochs is not None else st.integers(2, 4),
            options=st.fixed_dictionaries({name: _values(one) for name, one in sorted((axes or {}).items())}),
        )
    )


def _worlds_for(largest: int, fewest: int, step: int) -> SearchStrategy[int]:
    most = max(fewest, largest // step)
    near = st.integers(fewest, min(most, max(fewest, FEW_RANKS)))
    return st.one_of(near, st.integers(fewest, most)).map(lambda steps: steps * step)


def _seeds() -> SearchStrategy[int]:
    return st.one_of(st.integers(0, 3), st.integers(0, 2**31 - 1), st.integers(0, LARGEST_SEED))


def _values(axis: Any) -> SearchStrategy[Any]:
    return axis if is_strategy(axis) else st.sampled_from(list(axis))


def _check(what: str, *, min_size: int, max_size: int, lowest: int) -> None:
    if not lowest <= min_size <= max_size:
        raise UsageError(f"{what}: bounds {min_size}..{max_size} are empty or below {lowest}.")
