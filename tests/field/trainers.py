"""Samplers of transformers, Lightning and TRL, as their trainers build them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from tests.field._field import Sampler, module
from tests.zoo._sound import Strided, Uneven

__all__ = ["TRAINERS"]

TRANSFORMERS = "transformers.trainer_pt_utils"
FABRIC = "lightning_fabric.utilities.distributed"
LIGHTNING = "pytorch_lightning.overrides.distributed"
TRL = "trl.trainer.utils"


def _length_grouped(batch_size: int, lengths: Any) -> Any:
    return module(TRANSFORMERS).LengthGroupedSampler(batch_size, lengths=lengths)


def _length_grouped_not_empty(batch_size: int, lengths: Any) -> Any:
    return _length_grouped(batch_size, lengths) if len(lengths) else []


def _length_grouped_ranks(
    batch_size: int, lengths: Any, num_replicas: int, rank: int, seed: int, drop_last: bool
) -> Any:
    kind = module(TRANSFORMERS).DistributedLengthGroupedSampler
    return kind(batch_size, None, num_replicas, rank, seed, drop_last, lengths)


def _length_grouped_ranks_enough(
    batch_size: int, lengths: Any, num_replicas: int, rank: int, seed: int, drop_last: bool
) -> Any:
    if len(lengths) * 2 < num_replicas or not lengths:
        return Strided(len(lengths), rank, num_replicas, shuffle=True, seed=seed, drop_last=drop_last)
    return _length_grouped_ranks(batch_size, lengths, num_replicas, rank, seed, drop_last)


def _unrepeated(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    kind = module(LIGHTNING).UnrepeatedDistributedSampler
    return kind(dataset, num_replicas=num_replicas, rank=rank, shuffle=shuffle)


def _unrepeated_enough(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    if len(dataset) < num_replicas:
        return Uneven(len(dataset), rank, num_replicas, shuffle=shuffle)
    return _unrepeated(dataset, num_replicas, rank, shuffle)


def _unrepeated_seeded(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
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
        build=_length_grouped_not_empty,
        says="groups samples of roughly the same length while keeping a bit of randomness",
        contract={**ALONE, "order": "free", "ambient_rng": "shared"},
        strict=("SC003",),
    ),
    Sampler(
        name="transformers-length-grouped-empty",
        place=TRANSFORMERS,
        build=_length_grouped,
        says="the same over an empty dataset",
        contract={**ALONE, "order": "free", "ambient_rng": "shared"},
        strict=("SC001",),
        only=("SC001",),
    ),
    Sampler(
        name="transformers-length-grouped-ranks",
        place=TRANSFORMERS,
        build=_length_grouped_ranks_enough,
        says="the same, distributed; copied and adapted from PyTorch's DistributedSampler",
        contract={"order": "free"},
        strict=("SC003",),
    ),
    Sampler(
        name="transformers-length-grouped-ranks-tiny",
        place=TRANSFORMERS,
        build=_length_grouped_ranks,
        says="the same over fewer samples than half the ranks",
        contract={"order": "free"},
        broken=("SC001",),
        only=("SC001",),
    ),
    Sampler(
        name="lightning-unrepeated",
        place=LIGHTNING,
        build=_unrepeated_enough,
        says="does not repeat data; the number of batches may be off by one",
        contract={"tail": "keep", "layout": "strided"},
    ),
    Sampler(
        name="lightning-unrepeated-tiny",
        place=LIGHTNING,
        build=_unrepeated,
        says="each process has one batch at least, which is asserted",
        contract={"tail": "keep", "layout": "strided"},
        broken=("SC001",),
        only=("SC001",),
    ),
    Sampler(
        name="lightning-unrepeated-seeded",
        place=LIGHTNING,
        build=_unrepeated_seeded,
        says="a fork of PyTorch's DistributedSampler, with its arguments",
        contract={"tail": "keep", "layout": "strided"},
        broken=("SC303",),
        only=("SC303",),
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
