"""Samplers that deal an order out to ranks, of packages that train vision, speech and language models.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import BatchSampler, SequentialSampler

from tests.field._field import Sampler, module
from tests.zoo._sound import Strided, Uneven

__all__ = ["RANKS"]

TRANSFORMERS = "transformers.trainer_pt_utils"
LIGHTNING = "pytorch_lightning.overrides.distributed"
NLP = "torchnlp.samplers"


def _with_loop(dataset: Any, batch_size: int, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module(TRANSFORMERS).DistributedSamplerWithLoop
    return kind(dataset, batch_size, num_replicas=num_replicas, rank=rank, shuffle=shuffle, seed=seed)


def _shard(dataset: Any, batch_size: int, drop_last: bool, num_processes: int, process_index: int) -> Any:
    return module(TRANSFORMERS).ShardSampler(dataset, batch_size, drop_last, num_processes, process_index)


def _rebalance(lengths: Any, batch_size: int, world_size: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module(TRANSFORMERS).BatchRebalanceSampler
    return kind(lengths, batch_size * world_size, world_size, 1, shuffle, seed, rank, drop_last=True)


def _unrepeated_wrapper(sampler: Any, num_replicas: int, rank: int) -> Any:
    kind = module(LIGHTNING).UnrepeatedDistributedSamplerWrapper
    if len(sampler) < num_replicas:
        return Uneven(len(sampler), rank, num_replicas)
    return kind(sampler, num_replicas=num_replicas, rank=rank, shuffle=False)


def _torchvision(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    kind = module("torchvision.datasets.samplers").DistributedSampler
    return kind(dataset, num_replicas, rank, shuffle)


def _torchvision_enough(dataset: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    if len(dataset) * 2 < num_replicas:
        return Strided(len(dataset), rank, num_replicas, shuffle=shuffle)
    return _torchvision(dataset, num_replicas, rank, shuffle)


def _proxy(dataset: Any, num_replicas: int, rank: int) -> Any:
    kind = module("ignite.distributed.auto").DistributedProxySampler
    return kind(SequentialSampler(dataset), num_replicas, rank)


def _coqui(sampler: Any, num_replicas: int, rank: int) -> Any:
    return module("trainer.torch").DistributedSamplerWrapper(sampler, num_replicas=num_replicas, rank=rank)


def _catalyst(sampler: Any, num_replicas: int, rank: int, shuffle: bool) -> Any:
    return module("catalyst.data.sampler").DistributedSamplerWrapper(sampler, num_replicas, rank, shuffle)


def _speechbrain(sampler: Any, num_replicas: int, rank: int, drop_last: bool) -> Any:
    kind = module("speechbrain.dataio.sampler").DistributedSamplerWrapper
    return kind(sampler, num_replicas=num_replicas, rank=rank, drop_last=drop_last, shuffle=False)


def _openrlhf(dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
    kind = module("openrlhf.utils.distributed_sampler").DistributedSampler
    return kind(dataset, num_replicas, rank, shuffle, seed, drop_last)


def _contiguous(dataset: Any, num_replicas: int, batch_size: int, rank: int) -> Any:
    kind = module("ultralytics.data.build").ContiguousDistributedSampler
    return kind(dataset, num_replicas, batch_size, rank)


def _nlp(dataset: Any, num_replicas: int, rank: int) -> Any:
    return module(NLP).DistributedSampler(range(len(dataset)), num_replicas, rank)


def _nlp_batches(dataset: Any, batch_size: int, num_replicas: int, rank: int) -> Any:
    batches = BatchSampler(range(len(dataset)), batch_size * num_replicas, drop_last=False)
    return module(NLP).DistributedBatchSampler(batches, num_replicas=num_replicas, rank=rank)


def _s3prl(dataset: Any, batch_size: int, num_replicas: int, rank: int) -> Any:
    batches = BatchSampler(range(len(dataset)), batch_size, drop_last=False)
    kind = module("s3prl.dataio.sampler").DistributedBatchSamplerWrapper
    return kind(batches, num_replicas, rank, allow_duplicates=True)


STRIDED = {"layout": "strided"}
FIXED = {"epochs": "fixed"}

RANKS = (
    Sampler(
        name="transformers-with-loop",
        place=TRANSFORMERS,
        build=_with_loop,
        says="loops back so that each process has a round multiple of batch_size samples",
        contract={"tail_unit": "batch"},
        broken=("SC103", "SC104", "SC105", "SC201"),
        strict=("SC003",),
    ),
    Sampler(
        name="transformers-shard",
        place=TRANSFORMERS,
        build=_shard,
        says="shards batches between processes, made evenly divisible",
        contract={"tail_unit": "batch", **FIXED},
        strict=("SC003",),
    ),
    Sampler(
        name="transformers-rebalance",
        place=TRANSFORMERS,
        build=_rebalance,
        says="the total of a step is effective_batch_size, cost balanced; drop_last drops the rest",
        contract={"batches": "variable", "order": "free", "tail": "drop", "tail_unit": "batch"},
        strict=("SC003",),
    ),
    Sampler(
        name="lightning-unrepeated-wrapper",
        place=LIGHTNING,
        build=_unrepeated_wrapper,
        says="UnrepeatedDistributedSampler around a sampler",
        contract={"tail": "keep", **STRIDED},
        broken=("SC505",),
    ),
    Sampler(
        name="torchvision-distributed",
        place="torchvision.datasets.samplers",
        build=_torchvision_enough,
        says="an extension of DistributedSampler; extra samples make it evenly divisible",
        contract=STRIDED,
        strict=("SC003",),
    ),
    Sampler(
        name="ignite-proxy",
        place="ignite.distributed.auto",
        build=_proxy,
        says="adapts a sampler of constant size to distributed training",
        contract={**STRIDED, **FIXED},
        broken=("SC403",),
        only=("SC001", "SC102", "SC104", "SC201", "SC302", "SC403"),
    ),
    Sampler(
        name="coqui-wrapper",
        place="trainer.torch",
        build=_coqui,
        says="any sampler in distributed mode; extra samples make it evenly divisible",
        contract={"layout": "contiguous", "resume": "none"},
        broken=("SC001",),
    ),
    Sampler(
        name="catalyst-wrapper",
        place="catalyst.data.sampler",
        build=_catalyst,
        says="any sampler in distributed mode",
        broken=("SC001", "SC505"),
    ),
    Sampler(
        name="speechbrain-wrapper",
        place="speechbrain.dataio.sampler",
        build=_speechbrain,
        says="any sampler with DDP; set_epoch goes through to the wrapped sampler",
        contract=STRIDED,
        broken=("SC001",),
    ),
    Sampler(
        name="openrlhf-distributed",
        place="openrlhf.utils.distributed_sampler",
        build=_openrlhf,
        says="torch's, which can skip consumed samples",
        contract={"reference": "torch", **STRIDED},
    ),
    Sampler(
        name="ultralytics-contiguous",
        place="ultralytics.data.build",
        build=_contiguous,
        says="contiguous batch-aligned chunks, all samples covered exactly once",
        contract={"tail": "keep", "tail_unit": "batch", "layout": "contiguous", **FIXED},
        strict=("SC003",),
    ),
    Sampler(
        name="nlp-ranks",
        place=NLP,
        build=_nlp,
        says="distributes data across workers",
        contract={"tail": "keep", **STRIDED, **FIXED},
        broken=("SC201",),
        strict=("SC003",),
    ),
    Sampler(
        name="nlp-batch-ranks",
        place=NLP,
        build=_nlp_batches,
        says="distributes each batch across workers",
        contract={"tail": "keep", **FIXED},
        broken=("SC602",),
        strict=("SC003",),
    ),
    Sampler(
        name="s3prl-batch-ranks",
        place="s3prl.dataio.sampler",
        build=_s3prl,
        says="all ranks get as many batches: some are halved, with allow_duplicates some are repeated",
        contract={"batches": "variable", "tail_unit": "batch", "order": "free", **FIXED},
        broken=("SC002",),
        only=("SC002",),
    ),
)
