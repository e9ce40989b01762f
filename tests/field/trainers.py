"""Samplers of transformers, Lightning and TRL, as their trainers build them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from tests.field._field import Sampler, module

__all__ = ["TRAINERS"]

TRANSFORMERS = "transformers.trainer_pt_utils"
FABRIC = "lightning_fabric.utilities.distributed"
LIGHTNING = "pytorch_lightning.overrides.distributed"
TRL = "trl.trainer.utils"


def _unrepeated(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module(LIGHTNING).UnrepeatedDistributedSampler
    return kind(dataset, num_replicas=num_replicas, rank=rank, shuffle=shuffle, seed=seed)


def _wrapper(sampler: Any, num_replicas: int, rank: int, drop_last: bool) -> Any:
    kind = module(FABRIC).DistributedSamplerWrapper
    return kind(sampler, num_replicas=num_replicas, rank=rank, drop_last=drop_last)


def _wrapper_unshuffled(sampler: Any, num_replicas: int, rank: int, drop_last: bool, shuffle: bool) -> Any:
    kind = module(FABRIC).DistributedSamplerWrapper
    return kind(sampler, num_replicas=num_replicas, rank=rank, drop_last=drop_last, shuffle=False)


def _repeat(data_source: Any, shuffle: bool, seed: int) -> Any:
    kind = module(TRL).RepeatSampler
    return kind(data_source, mini_repeat_count=2, repeat_count=2, shuffle=shuffle, seed=seed)


def _repeat_chunks(data_source: Any, batch_size: int, shuffle: bool, seed: int) -> Any:
    kind = module(TRL).RepeatSampler
    return kind(data_source, 2, batch_size, repeat_count=2, shuffle=shuffle, seed=seed)


ALONE = {"sharding": "none", "epochs": "advance"}

TRAINERS = (
    Sampler(
        name="transformers-length-grouped",
        place=TRANSFORMERS,
        build="LengthGroupedSampler",
        says="groups samples of roughly the same length while keeping a bit of randomness",
        contract={**ALONE, "order": "free", "ambient_rng": "shared"},
        strict=("SC001", "SC003"),
    ),
    Sampler(
        name="transformers-length-grouped-ranks",
        place=TRANSFORMERS,
        build="DistributedLengthGroupedSampler",
        says="the same, distributed; copied and adapted from PyTorch's DistributedSampler",
        contract={"order": "free"},
        broken=("SC001",),
        strict=("SC003",),
    ),
    Sampler(
        name="lightning-unrepeated",
        place=LIGHTNING,
        build=_unrepeated,
        says="does not repeat data; the number of batches may be off by one",
        contract={"tail": "keep", "layout": "strided"},
        broken=("SC001", "SC303"),
    ),
    Sampler(
        name="lightning-wrapper",
        place=FABRIC,
        build=_wrapper,
        says="shards the sampler's indices; its own shuffle and seed have no effect",
        contract={"layout": "strided"},
        broken=("SC302", "SC505"),
    ),
    Sampler(
        name="lightning-wrapper-unshuffled",
        place=FABRIC,
        build=_wrapper_unshuffled,
        says="the same with shuffle=False, as the trainer passes it for evaluation",
        contract={"layout": "strided"},
    ),
    Sampler(
        name="trl-repeat",
        place=TRL,
        build=_repeat,
        says="repeats each index mini_repeat_count x repeat_count times",
        contract={**ALONE, "repeats": 4},
    ),
    Sampler(
        name="trl-repeat-chunks",
        place=TRL,
        build=_repeat_chunks,
        says="the same, and leaves out a last chunk that is not full",
        contract={**ALONE, "repeats": 4, "coverage": "subset", "order": "free"},
        strict=("SC003",),
    ),
)
