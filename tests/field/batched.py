"""Batch samplers of one process: in order, shuffled, sorted or by budget.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch.utils.data import BatchSampler, ConcatDataset, RandomSampler

from samplercheck.values.batch_rules import budget, homogeneous
from tests.field._field import Sampler, module
from tests.field.streams import numbered

__all__ = ["BATCHED"]

NLP = "torchnlp.samplers"
PYG = "torch_geometric.loader"
TEXT = "sentence_transformers.base.sampler"
S3PRL = "s3prl.dataio.sampler"
COQUI = "TTS/utils/samplers.py"
SCGPT = "scgpt/data_sampler.py"
LONGEST = 20


def _largest_first(batch_sampler: Any, lengths: Any) -> Any:
    return module(NLP).OomBatchSampler(batch_sampler, lengths.__getitem__)


def _graphs(lengths: Any, most: int, *, skip: bool = False) -> Any:
    data = [SimpleNamespace(num_nodes=length) for length in lengths]
    return module(PYG).DynamicBatchSampler(data, most, skip_too_big=skip)


class Unsized:
    """The batches of a sampler that refuses to have a length, by a ValueError."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def __iter__(self) -> Any:
        return iter(self.sampler)


def _graphs_whole(lengths: Any) -> Any:
    return Unsized(_graphs(lengths, LONGEST))


def _graphs_that_fit(lengths: Any) -> Any:
    return Unsized(_graphs(lengths, 4, skip=True))


def _halves(length: int, batch_size: int) -> list[Any]:
    return [BatchSampler(range(part), batch_size, False) for part in (length - length // 2, length // 2)]


def _round_robin(length: int, batch_size: int) -> Any:
    parts = ConcatDataset([range(length - length // 2), range(length // 2)])  # type: ignore[list-item]
    return (
        module(TEXT).RoundRobinBatchSampler(parts, _halves(length, batch_size))
        if length > 1
        else BatchSampler(range(length), batch_size, drop_last=False)
    )


def _proportional(length: int, batch_size: int, seed: int) -> Any:
    parts = ConcatDataset([range(length - length // 2), range(length // 2)])  # type: ignore[list-item]
    kind = module(TEXT).ProportionalBatchSampler
    return (
        kind(parts, _halves(length, batch_size), torch.Generator(), seed)
        if length > 1
        else BatchSampler(range(length), batch_size, drop_last=False)
    )


def _no_duplicates(length: int, batch_size: int, drop_last: bool, seed: int) -> Any:
    module("datasets")
    return module(TEXT).NoDuplicatesBatchSampler(
        numbered(length), batch_size, drop_last, None, torch.Generator(), seed
    )


def _by_length(lengths: Any, shuffle: bool, seed: int) -> Any:
    short = [min(length, LONGEST) for length in lengths]
    return module(S3PRL).MaxTimestampBatchSampler(short, LONGEST, shuffle, seed)


def _sorted_buckets(lengths: Any, batch_size: int, seed: int) -> Any:
    return module(S3PRL).SortedBucketingSampler(lengths, batch_size, shuffle=True, seed=seed)


def _same_item(labels: Any) -> Any:
    return module(S3PRL).GroupSameItemSampler(labels)


def _buckets(lengths: Any, batch_size: int, drop_last: bool) -> Any:
    data = list(lengths)
    return module(COQUI).BucketBatchSampler(RandomSampler(data), data, batch_size, drop_last)


def _class_batches(labels: Any, drop_last: bool) -> Any:
    """Two samples of every class in a batch."""
    classes = sorted(set(labels))
    items = [{"class_name": label} for label in labels]
    kind = module(COQUI).PerfectBatchSampler
    return kind(items, classes, 2 * len(classes), len(classes), drop_last=drop_last) if classes else []


def _coqui_sorted(lengths: Any) -> Any:
    return module(COQUI).SortedSampler(lengths)


def _subsets(length: int, batch_size: int, drop_last: bool) -> Any:
    halves = [range(length // 2), range(length // 2, length)]
    return module(SCGPT).SubsetsBatchSampler(halves, batch_size, drop_last=drop_last)


ALONE = {"sharding": "none"}
SHARED = {**ALONE, "epochs": "advance", "ambient_rng": "shared"}
STILL = {**ALONE, "epochs": "fixed"}
FREE = {"order": "free"}
BUDGET = {**STILL, "batches": "variable", **FREE}

BATCHED = (
    Sampler(
        name="torch-batches",
        place="torch.utils.data",
        build="BatchSampler",
        says="batches of another sampler",
        contract=ALONE,
    ),
    Sampler(
        name="accelerate-skip-batches",
        place="accelerate.data_loader",
        build="SkipBatchSampler",
        says="the batches but for the first n",
        contract=ALONE,
        strict=("SC505",),
    ),
    Sampler(
        name="ignite-reproducible",
        place="ignite.engine.deterministic",
        build="ReproducibleBatchSampler",
        says="the batches of another batch sampler",
        contract=STILL,
    ),
    Sampler(
        name="lightning-index-batches",
        place="pytorch_lightning.overrides.distributed",
        build="_IndexBatchSamplerWrapper",
        says="the batches of another batch sampler, remembered",
        contract=ALONE,
        strict=("SC502", "SC505"),
    ),
    Sampler(
        name="nlp-largest-first",
        place=NLP,
        build=_largest_first,
        says="the largest batches first",
        contract={**STILL, **FREE},
    ),
    Sampler(
        name="pyg-dynamic-batches",
        place=PYG,
        build=_graphs_whole,
        says="nodes up to max_num; a larger sample alone",
        contract={**BUDGET, "batch_rule": budget("lengths", LONGEST)},
    ),
    Sampler(
        name="pyg-dynamic-batches-that-fit",
        place=PYG,
        build=_graphs_that_fit,
        says="skip_too_big leaves out what does not fit",
        contract={**BUDGET, "coverage": "subset"},
        broken=("SC103", "SC602"),
    ),
    Sampler(
        name="sentences-round-robin",
        place=TEXT,
        build=_round_robin,
        says="batches of each dataset in turn, until one has no more",
        contract={**BUDGET, "coverage": "subset"},
    ),
    Sampler(
        name="sentences-proportional",
        place=TEXT,
        build=_proportional,
        says="batches of each dataset by its size, in an order by seed and epoch",
        contract={**ALONE, "batches": "variable", **FREE},
    ),
    Sampler(
        name="sentences-no-duplicates",
        place=TEXT,
        build=_no_duplicates,
        says="shuffled by seed and epoch, no text twice in a batch",
        contract={**ALONE, "order": "shuffled"},
    ),
    Sampler(
        name="s3prl-by-length",
        place=S3PRL,
        build=_by_length,
        says="longest times number is max_length at most",
        contract={**ALONE, "batches": "variable", "batch_rule": budget("lengths", LONGEST, padded=True)},
    ),
    Sampler(
        name="s3prl-fixed",
        place=S3PRL,
        build="FixedBatchSizeBatchSampler",
        says="torch's batches, shuffled by seed and epoch",
        contract=ALONE,
        broken=("SC202", "SC501", "SC502", "SC503"),
        strict=("SC001", "SC003"),
    ),
    Sampler(
        name="s3prl-sorted-buckets",
        place=S3PRL,
        build=_sorted_buckets,
        says="batches of similar lengths, shuffled by seed and epoch",
        contract={**ALONE, **FREE, "batches": "variable"},
        strict=("SC003",),
    ),
    Sampler(
        name="s3prl-same-item",
        place=S3PRL,
        build=_same_item,
        says="one label in a batch",
        contract={**BUDGET, "batch_rule": homogeneous("labels")},
    ),
    Sampler(
        name="coqui-tts-buckets",
        place=COQUI,
        build=_buckets,
        says="buckets sorted by length, batches in any order; drop_last drops a short batch",
        contract={**SHARED, **FREE, "batches": "variable"},
        strict=("SC001",),
    ),
    Sampler(
        name="coqui-tts-classes",
        place=COQUI,
        build=_class_batches,
        says="balanced batches; drop_last drops the last incomplete one",
        contract={**SHARED, **FREE, "coverage": "subset"},
        broken=("SC201",),
    ),
    Sampler(
        name="coqui-tts-sorted",
        place=COQUI,
        build=_coqui_sorted,
        says="always in the same order, by length",
        contract={**STILL, **FREE},
    ),
    Sampler(
        name="scgpt-subsets",
        place=SCGPT,
        build=_subsets,
        says="batches of one subset each, in any order",
        contract={**SHARED, **FREE, "batches": "variable"},
        broken=("SC001",),
        only=("SC001",),
    ),
)
