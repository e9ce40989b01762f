"""Samplers of timm, mmengine and MONAI, as their users build them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from tests.field._field import Sampler, module
from tests.zoo._sound import Uneven

__all__ = ["VISION"]

TIMM = "timm.data.distributed_sampler"


def _ordered(dataset: Any, num_replicas: int, rank: int) -> Any:
    return module(TIMM).OrderedDistributedSampler(dataset, num_replicas, rank)


def _repeated(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    """All repeats of all samples: no rounding, and as many selected as there are."""
    kind = module(TIMM).RepeatAugSampler
    return kind(dataset, num_replicas, rank, shuffle, num_repeats=3, selected_round=0, selected_ratio=1e-9)


def _repeated_by_default(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    return module(TIMM).RepeatAugSampler(dataset, num_replicas, rank, shuffle)


def _default(dataset: Any, shuffle: bool, seed: int) -> Any:
    return module("mmengine.dataset").DefaultSampler(dataset, shuffle, seed)


def _default_not_empty(dataset: Any, shuffle: bool, seed: int) -> Any:
    return _default(dataset, shuffle, seed) if len(dataset) else []


def _default_without_seed(dataset: Any, shuffle: bool) -> Any:
    return module("mmengine.dataset").DefaultSampler(dataset, shuffle) if len(dataset) else []


def _default_uneven(dataset: Any, shuffle: bool, seed: int) -> Any:
    return module("mmengine.dataset").DefaultSampler(dataset, shuffle, seed, round_up=False)


def _infinite(dataset: Any, shuffle: bool, seed: int) -> Any:
    return module("mmengine.dataset").InfiniteSampler(dataset, shuffle, seed)


def _infinite_not_empty(dataset: Any, shuffle: bool, seed: int) -> Any:
    return _infinite(dataset, shuffle, seed) if len(dataset) else []


def _monai(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
    kind = module("monai.data").DistributedSampler
    return kind(dataset, True, num_replicas, rank, shuffle, seed=seed, drop_last=drop_last)


def _monai_uneven(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module("monai.data").DistributedSampler
    return kind(dataset, False, num_replicas, rank, shuffle, seed=seed)


def _monai_uneven_enough(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    if len(dataset) < num_replicas:
        return Uneven(len(dataset), rank, num_replicas, shuffle=shuffle, seed=seed)
    return _monai_uneven(dataset, num_replicas, rank, shuffle, seed)


VISION = (
    Sampler(
        name="timm-ordered",
        place=TIMM,
        build=_ordered,
        says="each rank an exclusive subset, wrapped around so that it is evenly divisible",
        contract={"layout": "strided"},
        strict=("SC003",),
    ),
    Sampler(
        name="timm-repeated",
        place=TIMM,
        build=_repeated,
        says="each augmented version of a sample is visible to a different process",
        contract={"repeats": 3},
        strict=("SC003",),
    ),
    Sampler(
        name="timm-repeated-by-default",
        place=TIMM,
        build=_repeated_by_default,
        says="the same, and a rank selects as many samples as it would without repeats",
        contract={"repeats": 3, "coverage": "subset", "tail": "pad"},
        strict=("SC003",),
    ),
    Sampler(
        name="mmengine-default",
        place="mmengine.dataset",
        build=_default_not_empty,
        says="round_up=True is the same as DistributedSampler with drop_last=False",
        contract={"reference": "torch", "layout": "strided"},
    ),
    Sampler(
        name="mmengine-default-empty",
        place="mmengine.dataset",
        build=_default,
        says="the same over an empty dataset",
        contract={"reference": "torch", "layout": "strided"},
        strict=("SC001",),
        only=("SC001",),
    ),
    Sampler(
        name="mmengine-default-without-seed",
        place="mmengine.dataset",
        build=_default_without_seed,
        says="without a seed all ranks take that of rank 0",
        contract={"layout": "strided", "ambient_rng": "shared"},
    ),
    Sampler(
        name="mmengine-default-uneven",
        place="mmengine.dataset",
        build=_default_uneven,
        says="round_up=False neither removes nor adds samples",
        contract={"tail": "keep", "layout": "strided"},
    ),
    Sampler(
        name="mmengine-infinite",
        place="mmengine.dataset",
        build=_infinite_not_empty,
        says="for iteration-based runners; set_epoch is not supported, len is that of the dataset",
        contract={"endless": True, "epochs": "fixed", "layout": "strided"},
        broken=("SC002", "SC501", "SC502", "SC503", "SC504"),
    ),
    Sampler(
        name="mmengine-infinite-empty",
        place="mmengine.dataset",
        build=_infinite,
        says="the same over an empty dataset",
        contract={"endless": True, "epochs": "fixed", "layout": "strided"},
        broken=("SC002",),
        only=("SC001", "SC002"),
    ),
    Sampler(
        name="monai-distributed",
        place="monai.data",
        build=_monai,
        says="PyTorch's DistributedSampler, enhanced",
        contract={"reference": "torch", "layout": "strided"},
    ),
    Sampler(
        name="monai-distributed-uneven",
        place="monai.data",
        build=_monai_uneven_enough,
        says="even_divisible=False: ranks can have different lengths",
        contract={"tail": "keep", "layout": "strided"},
    ),
    Sampler(
        name="monai-distributed-uneven-tiny",
        place="monai.data",
        build=_monai_uneven,
        says="the same with fewer samples than ranks, which is refused",
        contract={"tail": "keep", "layout": "strided"},
        strict=("SC001",),
        only=("SC001",),
    ),
)
