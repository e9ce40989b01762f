"""Samplers that deal an order out to ranks, of packages that train vision, speech and language models.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

from torch.utils.data import BatchSampler, SequentialSampler

from tests.field._field import Sampler, module

__all__ = ["RANKS"]

TRANSFORMERS = "transformers.trainer_pt_utils"
LIGHTNING = "pytorch_lightning.overrides.distributed"
NLP = "torchnlp.samplers"
SCVI = "scvi/dataloaders/_samplers.py"
AXOLOTL = "axolotl/core/trainers/grpo/sampler.py"
VISSL = "vissl/data/data_helper.py"


def _with_loop(dataset: Any, batch_size: int, num_replicas: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module(TRANSFORMERS).DistributedSamplerWithLoop
    return kind(dataset, batch_size, num_replicas=num_replicas, rank=rank, shuffle=shuffle, seed=seed)


def _rebalance(lengths: Any, batch_size: int, world_size: int, rank: int, shuffle: bool, seed: int) -> Any:
    kind = module(TRANSFORMERS).BatchRebalanceSampler
    return kind(lengths, batch_size * world_size, world_size, 1, shuffle, seed, rank, drop_last=True)


def _unrepeated_wrapper(sampler: Any, num_replicas: int, rank: int) -> Any:
    kind = module(LIGHTNING).UnrepeatedDistributedSamplerWrapper
    return kind(sampler, num_replicas=num_replicas, rank=rank, shuffle=False)


def _proxy(dataset: Any, num_replicas: int, rank: int) -> Any:
    kind = module("ignite.distributed.auto").DistributedProxySampler
    return kind(SequentialSampler(dataset), num_replicas, rank)


def _speechbrain(sampler: Any, num_replicas: int, rank: int, drop_last: bool) -> Any:
    kind = module("speechbrain.dataio.sampler").DistributedSamplerWrapper
    return kind(sampler, num_replicas=num_replicas, rank=rank, drop_last=drop_last, shuffle=False)


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


def _scvi(
    dataset: Any, batch_size: int, num_replicas: int, rank: int, shuffle: bool, seed: int, drop_last: bool
) -> Any:
    kind = module(SCVI).BatchDistributedSampler
    place = {"num_replicas": num_replicas, "rank": rank}
    return kind(dataset, batch_size, drop_last, drop_last, **place, shuffle=shuffle, seed=seed)


def _axolotl(
    dataset: Any, world_size: int, rank: int, batch_size: int, shuffle: bool, seed: int, drop_last: bool
) -> Any:
    """Each sample once, and every rank a group of its own."""
    kind = module(AXOLOTL).SequenceParallelRepeatRandomSampler
    return kind(dataset, 1, world_size, rank, batch_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


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
        build="ShardSampler",
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
        broken=("SC001", "SC505"),
    ),
    Sampler(
        name="torchvision-distributed",
        place="torchvision.datasets.samplers",
        build="DistributedSampler",
        says="an extension of DistributedSampler; extra samples make it evenly divisible",
        contract=STRIDED,
        broken=("SC001",),
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
        build="DistributedSamplerWrapper",
        says="any sampler in distributed mode; extra samples make it evenly divisible",
        contract={"layout": "contiguous", "resume": "none"},
        broken=("SC001",),
    ),
    Sampler(
        name="catalyst-wrapper",
        place="catalyst.data.sampler",
        build="DistributedSamplerWrapper",
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
        build="DistributedSampler",
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
    Sampler(
        name="scvi-batches",
        place=SCVI,
        build=_scvi,
        says="batches of the rank's samples of DistributedSampler",
        strict=("SC003",),
    ),
    Sampler(
        name="axolotl-repeat",
        place=AXOLOTL,
        build=_axolotl,
        says="each group gets distinct batches, shuffled by seed and epoch; a last batch is filled",
        contract={"tail_unit": "batch"},
        broken=("SC104", "SC105", "SC201", "SC304", "SC501", "SC502", "SC503"),
        strict=("SC003",),
    ),
    Sampler(
        name="vissl-stateful",
        place=VISSL,
        build="StatefulDistributedSampler",
        says="partitions the data into ranks and shuffles within each",
        contract={"tail": "drop", "layout": "contiguous", "order": "shuffled", "shuffles": "share"},
        strict=("SC003",),
    ),
    Sampler(
        name="vissl-deterministic",
        place=VISSL,
        build="DeterministicDistributedSampler",
        says="cuts the dataset in deterministic parts",
        contract={"tail": "drop", "layout": "contiguous", **FIXED},
        strict=("SC003",),
    ),
)
