"""Meanings: what the names of a target's parameters say that the kit is to hand in.

Read by ``Binding``. Standard library alone.
"""

from __future__ import annotations

from typing import Any

NAMES: dict[str, tuple[str, ...]] = {
    "dataset": ("data_source", "data"),
    "length": ("n", "dataset_len", "dataset_size", "total_samples"),
    "rank": ("process_index", "data_parallel_rank", "dp_rank"),
    "world_size": (
        *("num_replicas", "num_processes", "data_parallel_size", "data_parallel_world_size"),
        *("dp_size", "dp_world_size"),
    ),
    "global_rank": (),
    "replicas": (),
    "batch_size": ("micro_batch_size",),
    "shuffle": (),
    "drop_last": (),
    "seed": ("random_seed",),
    "epoch": (),
    "lengths": ("sizes",),
    "labels": ("groups",),
    "weights": (),
    "num_workers": (),
    "case": (),
    "sampler": ("inner", "base_sampler"),
    "batch_sampler": (),
    "consumed": ("consumed_samples", "start_index"),
}
WHERE_REQUIRED: dict[str, tuple[str, ...]] = {
    "lengths": (
        *("seq_lens", "seq_lengths", "sequence_lengths", "sample_lengths", "token_counts", "durations"),
        *("difficulty", "difficulties", "scores", "costs", "priorities", "timestamps"),
    ),
    "labels": (
        *("targets", "label", "y", "class_ids", "class_labels", "class_indices"),
        *("group_ids", "group_indices", "cluster_ids", "domains", "speakers", "categories"),
    ),
    "weights": ("sample_weights", "probs", "probabilities"),
    "datasets": ("datasets",),
    "dataset": ("indices", "source", "iterable"),
    "length": ("num_samples", "num_examples", "size", "total_size", "dataset_length", "data_len"),
    "world_size": ("world", "num_gpus"),
    "batch_size": ("microbatch_size", "samples_per_gpu", "bs"),
}
"""What a parameter without a default is bound to, if no other one is; one with a default is left alone."""
SHARDS = {"num_shards": "world_size", **dict.fromkeys(("shard_id", "shard_index", "shard_idx"), "rank")}
"""What these mean together, where nothing else is called so; by itself ``num_shards`` may be of files."""
REQUIRED = {synonym: name for name, others in WHERE_REQUIRED.items() for synonym in others}
BOUND = {synonym: name for name, others in NAMES.items() for synonym in (name, *others)}


def has_own_value(default: Any) -> bool:
    """Whether a default, such as a number of groups, shows that no value for each sample is meant."""
    return isinstance(default, (int, float)) or (isinstance(default, (str, tuple, list)) and bool(default))
