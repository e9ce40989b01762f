"""Samplers of timm, mmengine and MONAI, as their users build them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from tests.field._field import Sampler, module

__all__ = ["VISION"]

TIMM = "timm.data.distributed_sampler"


def _repeated(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    """All repeats of all samples: no rounding, and as many selected as there are."""
    kind = module(TIMM).RepeatAugSampler
    return kind(dataset, num_replicas, rank, shuffle, num_repeats=3, selected_round=0, selected_ratio=1e-9)


def _default_without_seed(dataset: Any, shuffle: bool) -> Any:
    return module("mmengine.dataset").DefaultSampler(dataset, shuffle)


def _default_uneven(dataset: Any, shuffle: bool, seed: int) -> Any:
    return module("mmengine.dataset").DefaultSampler(dataset, shuffle, seed, round_up=False)


def _monai_uneven(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module("monai.data").DistributedSampler
    return kind(dataset, False, num_replicas, rank, shuffle, seed=seed)


VISION = (
    Sampler(
        name="timm-ordered",
        place=TIMM,
        build="OrderedDistributedSampler",
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
        build="RepeatAugSampler",
        says="the same, and a rank selects as many samples as it would without repeats",
        contract={"repeats": 3, "coverage": "subset", "tail": "pad"},
        strict=("SC003",),
    ),
    Sampler(
        name="mmengine-default",
        place="mmengine.dataset",
        build="DefaultSampler",
        says="round_up=True is the same as DistributedSampler with drop_last=False",
        contract={"reference": "torch", "layout": "strided"},
        strict=("SC001",),
    ),
    Sampler(
        name="mmengine-default-without-seed",
        place="mmengine.dataset",
        build=_default_without_seed,
        says="without a seed all ranks take that of rank 0",
        contract={"layout": "strided", "ambient_rng": "shared"},
        strict=("SC001",),
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
        build="InfiniteSampler",
        says="for iteration-based runners; set_epoch is not supported, len is that of the dataset",
        contract={"endless": True, "epochs": "fixed", "layout": "strided", "spawn": False},
        broken=("SC002", "SC102", "SC202", "SC501", "SC502", "SC503"),
        strict=("SC504",),
    ),
    Sampler(
        name="monai-distributed",
        place="monai.data",
        build="DistributedSampler",
        says="PyTorch's DistributedSampler, enhanced",
        contract={"reference": "torch", "layout": "strided"},
    ),
    Sampler(
        name="monai-distributed-uneven",
        place="monai.data",
        build=_monai_uneven,
        says="even_divisible=False: ranks can have different lengths",
        contract={"tail": "keep", "layout": "strided"},
        strict=("SC001",),
    ),
)
