"""The reference sampler ``"torch"``: DistributedSampler.

Built like a target inside a rank; imports torch.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import DistributedSampler

__all__ = ["build"]


def build(dataset: Any, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
    """Return torch's own sampler for one rank."""
    return DistributedSampler(
        dataset, num_replicas=world_size, rank=rank, shuffle=shuffle, seed=seed, drop_last=drop_last
    )
