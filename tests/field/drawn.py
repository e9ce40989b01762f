"""Samplers that draw by class or weight, of one process.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import SequentialSampler, WeightedRandomSampler

from tests.field._field import Sampler, module, of_older_torch

__all__ = ["DRAWN"]

CATALYST = "catalyst.data.sampler"
PYG = "torch_geometric.loader"
OPACUS = "opacus.utils.uniform_sampler"
CHEMPROP = "chemprop/data/samplers.py"
REID = "torchreid/reid/data/sampler.py"


def _catalyst(name: str) -> Any:
    return of_older_torch(getattr(module(CATALYST), name))


def _weighted(weights: Any) -> Any:
    return WeightedRandomSampler(weights, len(weights))


def _downsampled(labels: Any) -> Any:
    return _catalyst("BalanceClassSampler")(labels)


def _upsampled(labels: Any) -> Any:
    return _catalyst("BalanceClassSampler")(labels, "upsampling")


def _dynamic(labels: Any) -> Any:
    kind = _catalyst("DynamicBalanceClassSampler")
    return kind(labels, ignore_warning=True)


def _class_batches(length: int) -> Any:
    """Two samples of each of two classes; every class has two samples."""
    labels = [number // 2 for number in range(length // 2 * 2)]
    return _catalyst("BatchBalanceClassSampler")(labels, 2, 2) if length >= 4 else []


def _mini_epochs(length: int, mini: int) -> Any:
    return _catalyst("MiniEpochSampler")(length, mini) if length >= mini else []


def _imbalanced(labels: Any) -> Any:
    return module(PYG).ImbalancedSampler(torch.tensor(labels))


def _torchsampler(dataset: Any, labels: Any) -> Any:
    kind = module("torchsampler.imbalanced").ImbalancedDatasetSampler
    return kind(dataset, labels=list(labels))


def _poisson(length: int) -> Any:
    return module(OPACUS).UniformWithReplacementSampler(num_samples=length, sample_rate=0.5)


def _poisson_ranks(length: int, seed: int) -> Any:
    """Its place comes from torch.distributed."""
    kind = module(OPACUS).DistributedUniformWithReplacementSampler
    return kind(total_size=length, sample_rate=0.5, shuffle_seed=seed)


def _tasks(length: int) -> Any:
    """Tasks of two classes, one image to learn from and one to ask for."""

    class Pictures:
        def get_labels(self) -> list[int]:
            return [number // 2 for number in range(length // 2 * 2)]

    return (
        of_older_torch(module("easyfsl.samplers").TaskSampler)(Pictures(), 2, 1, 1, 3) if length >= 4 else []
    )


def _nlp_balanced(labels: Any) -> Any:
    return module("torchnlp.samplers").BalancedSampler(list(labels))


def _speechbrain_weighted(weights: Any, seed: int) -> Any:
    kind = module("speechbrain.dataio.sampler").ReproducibleWeightedRandomSampler
    return kind(weights, len(weights), True, seed=seed)


def _proportional(length: int) -> Any:
    """As a Sampler for each of two sets: two samples of the first and one of the second in a batch."""
    halves = [SequentialSampler(range(length - length // 2)), SequentialSampler(range(length // 2))]
    return module("speechbrain.dataio.sampler").ConcatDatasetBatchSampler(halves, [2, 1])


def _class_balance(labels: Any, seed: int) -> Any:
    """The first class is inactive, all others are active."""
    kind = module(CHEMPROP).ClassBalanceSampler
    return kind(np.array(labels).reshape(-1, 1) > 0, seed, shuffle=True)


def _identities(labels: Any) -> Any:
    """Two images of each of two persons in a batch, where there are as many persons."""
    people = [("", label, 0, 0) for label in labels]
    enough = len(set(labels)) > 1
    return module(REID).RandomIdentitySampler(people, 4, 2) if enough else []


PLAIN = {"sharding": "none", "epochs": "advance", "ambient_rng": "shared", "order": "free"}
SAMPLED = {**PLAIN, "coverage": "sampled"}
# By class, so that samples are not equally likely where classes have several sizes.
PLAIN_LAWS = ("SC001", "SC002", "SC101", "SC201", "SC202", "SC601", "SC602")
SUBSET = {**PLAIN, "coverage": "subset"}

DRAWN = (
    Sampler(
        name="torch-weighted",
        place="torch.utils.data",
        build=_weighted,
        says="draws with the given probabilities",
        contract=SAMPLED,
        strict=("SC001",),
    ),
    Sampler(
        name="catalyst-balance",
        place=CATALYST,
        build=_downsampled,
        says="as many of each class as the smallest has",
        contract=SUBSET,
        strict=("SC001",),
    ),
    Sampler(
        name="catalyst-balance-up",
        place=CATALYST,
        build=_upsampled,
        says="as many of each class as the largest has",
        contract=SAMPLED,
        strict=("SC001",),
    ),
    Sampler(
        name="catalyst-balance-dynamic",
        place=CATALYST,
        build=_dynamic,
        says="from the original distribution of classes gradually to a uniform one, by downsampling",
        contract=SUBSET,
        strict=("SC001",),
    ),
    Sampler(
        name="catalyst-class-batches",
        place=CATALYST,
        build=_class_batches,
        says="num_samples of num_classes classes in every batch, num_batches of them",
        contract=SAMPLED,
        only=PLAIN_LAWS,
    ),
    Sampler(
        name="catalyst-mini-epochs",
        place=CATALYST,
        build=_mini_epochs,
        says="mini epochs of mini_epoch_len samples, in turn",
        contract={**SUBSET, "ambient_rng": "independent"},
        axes={"mini": [1, 2, 3]},
        broken=("SC201",),
    ),
    Sampler(
        name="pyg-imbalanced",
        place=PYG,
        build=_imbalanced,
        says="weighted by the class distribution",
        contract=SAMPLED,
        strict=("SC001",),
    ),
    Sampler(
        name="torchsampler-imbalanced",
        place="torchsampler.imbalanced",
        build=_torchsampler,
        says="weighted by the class distribution",
        contract=SAMPLED,
        strict=("SC001",),
    ),
    Sampler(
        name="opacus-poisson",
        place=OPACUS,
        build=_poisson,
        says="each sample is selected with a probability, for a number of steps",
        contract={**SAMPLED, "batches": "variable", "empty_batches": True},
        strict=("SC001",),
    ),
    Sampler(
        name="opacus-poisson-ranks",
        place=OPACUS,
        build=_poisson_ranks,
        says="each replica selects of its chunk; as many batches as non-distributed sampling has",
        contract={
            "coverage": "sampled",
            "batches": "variable",
            "empty_batches": True,
            "ambient_rng": "shared",
            "order": "free",
        },
        broken=("SC104", "SC201"),
        strict=("SC001",),
        only=("SC001", "SC101", "SC104", "SC201"),
    ),
    Sampler(
        name="easyfsl-tasks",
        place="easyfsl.samplers",
        build=_tasks,
        says="n_tasks tasks of n_way classes, each with n_shot and n_query images",
        contract=SAMPLED,
        only=PLAIN_LAWS,
    ),
    Sampler(
        name="nlp-balanced",
        place="torchnlp.samplers",
        build=_nlp_balanced,
        says="weighted by the class of an element",
        contract=SAMPLED,
    ),
    Sampler(
        name="speechbrain-weighted",
        place="speechbrain.dataio.sampler",
        build=_speechbrain_weighted,
        says="torch's weighted sampler, seeded by seed and epoch",
        contract={"sharding": "none", "coverage": "sampled", "order": "free"},
        broken=("SC502",),
        strict=("SC001",),
    ),
    Sampler(
        name="speechbrain-concatenated",
        place="speechbrain.dataio.sampler",
        build=_proportional,
        says="batches with a share of each dataset, until one has no more",
        contract={"sharding": "none", "coverage": "subset", "order": "free", "epochs": "fixed"},
    ),
    Sampler(
        name="chemprop-class-balance",
        place=CHEMPROP,
        build=_class_balance,
        says="positive and negative classes are equally sampled, shuffled by the seed",
        contract={"sharding": "none", "coverage": "subset", "epochs": "advance", "order": "free"},
    ),
    Sampler(
        name="torchreid-identities",
        place=REID,
        build=_identities,
        says="N identities each with K instances in every batch",
        contract={**SAMPLED, "frequencies": "unjudged"},
        broken=("SC201",),
    ),
)
