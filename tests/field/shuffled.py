"""Samplers of one process that yield samples: shuffled, or sorted.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import RandomSampler, SubsetRandomSampler

from tests.field._field import Sampler, module, of_older_torch

__all__ = ["SHUFFLED"]

NLP = "torchnlp.samplers"
CHEMPROP = "chemprop/data/samplers.py"
NEQUIP = "nequip/data/_sampler.py"


def _subset(length: int) -> Any:
    return SubsetRandomSampler(range(length))


def _seedable(data_source: Any, seed: int) -> Any:
    return module("accelerate.data_loader").SeedableRandomSampler(data_source, data_seed=seed)


def _reproducible(data_source: Any, seed: int) -> Any:
    return module("speechbrain.dataio.sampler").ReproducibleRandomSampler(data_source, seed)


def _sorted(lengths: Any) -> Any:
    return of_older_torch(module(NLP).SortedSampler)(lengths)


def _noisy(lengths: Any) -> Any:
    return of_older_torch(module(NLP).NoisySortedSampler)(lengths)


def _deterministic(data_source: Any, seed: int) -> Any:
    return module(NLP).DeterministicSampler(RandomSampler(data_source), seed)


def _seeded(length: int, seed: int) -> Any:
    return module(CHEMPROP).SeededSampler(length, seed)


class Stepped:
    """Tells a sampler the number of the pass that begins, as a training loop does."""

    def __init__(self, sampler: Any) -> None:
        self.sampler, self.epoch = sampler, 0

    def __len__(self) -> int:
        return len(self.sampler)

    def __iter__(self) -> Any:
        self.sampler.step_epoch(self.epoch)
        self.epoch += 1
        yield from self.sampler


def _partial(dataset: Any, shuffle: bool, seed: int) -> Any:
    kind = module(NEQUIP).PartialSampler
    return Stepped(kind(dataset, shuffle, generator=torch.Generator().manual_seed(seed)))


ADVANCE = {"sharding": "none", "epochs": "advance"}
SHARED = {**ADVANCE, "ambient_rng": "shared"}

SHUFFLED = (
    Sampler(
        name="torch-random",
        place="torch.utils.data",
        build="RandomSampler",
        says="shuffles",
        contract={**SHARED, "order": "shuffled"},
        strict=("SC001",),
    ),
    Sampler(
        name="torch-subset-random",
        place="torch.utils.data",
        build=_subset,
        says="shuffles the given indices",
        contract={**SHARED, "order": "shuffled"},
    ),
    Sampler(
        name="torchdata-random",
        place="torchdata.stateful_dataloader.sampler",
        build="RandomSampler",
        says="shuffles with a generator of its own",
        contract={**SHARED, "order": "shuffled"},
        strict=("SC001",),
    ),
    Sampler(
        name="accelerate-seedable",
        place="accelerate.data_loader",
        build=_seedable,
        says="each pass is seeded by the seed and the number of the pass; set_epoch goes to one",
        contract={**ADVANCE, "epochs": "either", "order": "shuffled"},
        strict=("SC001",),
    ),
    Sampler(
        name="speechbrain-random",
        place="speechbrain.dataio.sampler",
        build=_reproducible,
        says="shuffled by seed and epoch",
        contract={"sharding": "none", "order": "shuffled"},
        broken=("SC502",),
        strict=("SC001",),
    ),
    Sampler(
        name="nlp-sorted",
        place=NLP,
        build=_sorted,
        says="always in the same order, by length",
        contract={"sharding": "none", "epochs": "fixed", "order": "free"},
    ),
    Sampler(
        name="nlp-noisy-sorted",
        place=NLP,
        build=_noisy,
        says="by length and noise",
        contract={**SHARED, "order": "free"},
    ),
    Sampler(
        name="nlp-deterministic",
        place=NLP,
        build=_deterministic,
        says="the same output in every process",
        contract={**ADVANCE, "order": "shuffled"},
        strict=("SC001",),
    ),
    Sampler(
        name="chemprop-seeded",
        place=CHEMPROP,
        build=_seeded,
        says="iterates through a dataset in a randomly seeded fashion",
        contract={**ADVANCE, "order": "shuffled"},
        broken=("SC502",),
    ),
    Sampler(
        name="nequip-partial",
        place=NEQUIP,
        build=_partial,
        says="without replacement, by seed and epoch; the caller tells the number of each pass",
        contract=ADVANCE,
        broken=("SC001",),
    ),
)
