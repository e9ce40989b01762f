"""Megatron's samplers as they are, and as docs/resuming.md says that they are judged: wrapped.

Read by ``tests/sound/samplers.py``, which says what they promise.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class MegatronPretrainingSampler:
    """One pass, in order, over all samples of a training; behind it there is none."""

    def __init__(
        self,
        total_samples: int,
        consumed_samples: int,
        micro_batch_size: int,
        data_parallel_rank: int,
        data_parallel_size: int,
    ) -> None:
        if total_samples <= 0 or micro_batch_size <= 0 or data_parallel_size <= 0:
            raise ValueError("no sample to consume, or nobody to consume it")
        if consumed_samples >= total_samples:
            raise RuntimeError(f"no samples left to consume: {consumed_samples}, {total_samples}")
        if not 0 <= data_parallel_rank < data_parallel_size:
            raise ValueError(f"data_parallel_rank={data_parallel_rank}")
        self.total, self.consumed = total_samples, consumed_samples
        self.size, self.rank = micro_batch_size, data_parallel_rank
        self.together = micro_batch_size * data_parallel_size

    def __len__(self) -> int:
        return self.total

    def __iter__(self) -> Iterator[list[int]]:
        for first in range(self.consumed, self.total - self.together + 1, self.together):
            start = first + self.rank * self.size
            yield list(range(start, start + self.size))


class EveryEpoch:
    """Passes of a sampler that has one alone; the first begins where training was stopped."""

    def __init__(self, build: Callable[..., MegatronPretrainingSampler], consumed: int, whole: int) -> None:
        self.build, self.whole = build, whole
        self.first: MegatronPretrainingSampler | None = build(
            consumed_samples=consumed % whole if whole else 0
        )

    def __iter__(self) -> Iterator[list[int]]:
        sampler, self.first = self.first or self.build(consumed_samples=0), None
        yield from sampler if self.whole else ()


def in_order(
    total_samples: int,
    consumed_samples: int,
    micro_batch_size: int,
    data_parallel_rank: int,
    data_parallel_size: int,
) -> EveryEpoch:
    """Whole global batches make an epoch."""
    build = partial(
        MegatronPretrainingSampler,
        max(1, total_samples),
        micro_batch_size=micro_batch_size,
        data_parallel_rank=data_parallel_rank,
        data_parallel_size=data_parallel_size,
    )
    whole = total_samples - total_samples % (micro_batch_size * data_parallel_size)
    return EveryEpoch(build, consumed_samples, whole)
