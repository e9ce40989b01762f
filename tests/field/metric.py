"""The sampler of pytorch-metric-learning, as its users build it.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from torch.utils.data import BatchSampler

from tests.field._field import Sampler, module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["METRIC"]

PLACE = "pytorch_metric_learning.samplers"


def _per_class(labels: Any, m: int, length_before_new_iter: int, batch_size: int | None = None) -> Any:
    """Draws from numpy's own generator, as a script that wants its seed to count sets it."""
    module("pytorch_metric_learning.utils.common_functions").NUMPY_RANDOM = np.random.mtrand._rand
    kind = module(PLACE).MPerClassSampler
    return kind(labels, m, batch_size, length_before_new_iter)


def _per_class_long(labels: Any, m: int) -> Any:
    return _per_class(labels, m, 100)


def _per_class_batches(labels: Any) -> Any:
    """Batches of two samples of each of two classes, or of the only one."""
    if not len(labels):
        return []
    size = 2 * min(2, len(set(labels)))
    return BatchSampler(_per_class(labels, 2, 40, size), size, drop_last=False)


def _two_of_each(batch: Sequence[int], features: Mapping[str, Any]) -> bool:
    labels = Counter(features["labels"][index] for index in batch)
    return set(labels.values()) == {2} and len(labels) == min(2, len(set(features["labels"])))


DRAWN = {
    "sharding": "none",
    "coverage": "sampled",
    "order": "free",
    "epochs": "advance",
    "ambient_rng": "shared",
}

METRIC = (
    Sampler(
        name="metric-learning-per-class",
        place=PLACE,
        build=_per_class_long,
        says="m samples of each class, length_before_new_iter of them",
        contract=DRAWN,
        axes={"m": [1, 2, 3]},
        broken=("SC201",),
        strict=("SC001",),
    ),
    Sampler(
        name="metric-learning-per-class-batches",
        place=PLACE,
        build=_per_class_batches,
        says="with a batch_size, m samples of batch_size / m classes in every batch",
        contract={**DRAWN, "batch_rule": _two_of_each},
        only=("SC001", "SC101", "SC201", "SC602", "SC604"),
    ),
)
