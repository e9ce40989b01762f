"""A target that names nearly all that can be bound, for tests of what scripts pass to it."""

from __future__ import annotations

from typing import Any


def everything(  # noqa: PLR0917  (that is the point)
    dataset: Any,
    rank: int,
    world_size: int,
    batch_size: int,
    shuffle: bool,
    seed: int,
    drop_last: bool,
    labels: list[int],
    num_workers: int,
    sampler: Any,
    consumed_samples: int = 0,
) -> Any:
    """Return something; no test runs it."""
    places = rank, world_size, batch_size, num_workers, consumed_samples
    return dataset, places, shuffle, seed, drop_last, labels, sampler
