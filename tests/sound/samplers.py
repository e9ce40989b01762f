"""Sound samplers of many kinds and styles: the kit must find nothing wrong with any of them.

``SOUND`` lists a name, a factory, what it promises (keyword arguments of ``Contract``) and its axes.
Read by tests.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tests.sound import (
    batches,
    corners,
    declared,
    endless,
    frameworks,
    loaders,
    megatron,
    odd,
    orders,
    parts,
    promises,
    resumable,
    styles,
    trainers,
    wrappers,
)
from tests.zoo import _resumable, _sound

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SOUND"]


def _samples(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Return a factory of the class that names the usual parameters, so that all of them are varied."""

    def build(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
        return kind(length, rank, world_size, shuffle=shuffle, seed=seed)

    return build


def _dropping(kind: Callable[..., Any]) -> Callable[..., Any]:
    """The same with drop_last."""

    def build(length: int, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
        return kind(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)

    return build


def _batches(kind: Callable[..., Any]) -> Callable[..., Any]:
    """The same with a batch size."""

    def build(length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
        return kind(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)

    return build


def _dropping_batches(kind: Callable[..., Any]) -> Callable[..., Any]:
    """The same with a batch size and drop_last."""

    def build(
        length: int,
        batch_size: int,
        rank: int,
        world_size: int,
        shuffle: bool,
        seed: int,
        drop_last: bool,
    ) -> Any:
        return kind(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)

    return build


def _walking(kind: Callable[..., Any]) -> Callable[..., Any]:
    """A factory of what always shuffles and names no shuffle."""

    def build(length: int, rank: int, world_size: int, seed: int) -> Any:
        return kind(length, rank, world_size, shuffle=True, seed=seed)

    return build


def _in_order(kind: Callable[..., Any]) -> Callable[..., Any]:
    """A factory of what never shuffles."""

    def build(length: int, rank: int, world_size: int) -> Any:
        return kind(length, rank, world_size)

    return build


def _endless_in_order(length: int, rank: int, world_size: int) -> Any:
    return promises.Endless(length, rank, world_size)


def _weighted(weights: Any, seed: int) -> Any:
    return promises.Weighted(weights, seed=seed)


def _weighted_ranks(weights: Any, rank: int, world_size: int, seed: int) -> Any:
    return promises.Weighted(weights, rank, world_size, seed=seed)


def _labelled(labels: Any, batch_size: int, rank: int, world_size: int, seed: int) -> Any:
    return batches.OneLabelABatch(labels, batch_size, rank, world_size, shuffle=True, seed=seed)


def _labelled_dropping(labels: Any, batch_size: int, rank: int, world_size: int, drop_last: bool) -> Any:
    return batches.OneLabelABatch(labels, batch_size, rank, world_size, shuffle=True, drop_last=drop_last)


def _labelled_unevenly(labels: Any, batch_size: int, rank: int, world_size: int) -> Any:
    return batches.OneLabelUnevenly(labels, batch_size, rank, world_size, shuffle=True)


def _endless_batches(length: int, batch_size: int, rank: int, world_size: int) -> Any:
    return batches.EndlessBatches(length, batch_size, rank, world_size)


def _budget(lengths: Any, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
    return batches.TokenBudget(lengths, rank, world_size, shuffle=shuffle, seed=seed)


def _budget_dropping(lengths: Any, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
    return corners.BudgetDropping(lengths, rank, world_size, shuffle=shuffle, seed=seed)


def _alone(kind: Callable[..., Any]) -> Callable[..., Any]:
    """A factory that knows of no ranks."""

    def build(length: int, shuffle: bool, seed: int) -> Any:
        return kind(length, shuffle=shuffle, seed=seed)

    return build


def _alone_walking(kind: Callable[..., Any]) -> Callable[..., Any]:
    """A factory that knows of no ranks, of what always shuffles."""

    def build(length: int, seed: int) -> Any:
        return kind(length, shuffle=True, seed=seed)

    return build


_unplaced = _alone

Promise = dict[str, Any]
ADVANCE: Promise = {"epochs": "advance", "order": "shuffled"}
EITHER: Promise = {"epochs": "either", "order": "shuffled"}
WHOLE_ROUNDS: Promise = {"tail_unit": "batch", "order": "shuffled"}
WHOLE_BATCHES: Promise = {"tail": "drop", "tail_unit": "batch", "order": "shuffled"}
IN_BUCKETS: Promise = {**WHOLE_BATCHES, "shuffles": "share"}
DRAWN_ALONE: Promise = {"sharding": "none", "coverage": "sampled", "order": "free"}
ENDLESS: Promise = {"endless": True, "epochs": "fixed"}
CHUNKS_DRAWN: Promise = {
    "coverage": "sampled",
    "frequencies": "unjudged",
    "order": "shuffled",
    "shuffles": "chunks",
}
SINGLE: Promise = {"sharding": "none", "order": "free", "epochs": "advance", "ambient_rng": "shared"}

SOUND: list[tuple[str, Callable[..., Any], Promise, dict[str, list[Any]]]] = [
    # how it is written
    ("torch_generator", _dropping(_sound.Strided), {"layout": "strided"}, {}),
    ("torch_generator_kept", _samples(styles.KeepsGenerator), {}, {}),
    ("numpy_generator", _dropping(styles.NumpyGenerator), {}, {}),
    ("chain_of_permutations", _samples(styles.Chain), {}, {}),
    ("python_random", _dropping(styles.PythonRandom), {}, {}),
    ("lazy", _samples(styles.Lazy), {}, {}),
    ("pass_for_each_label", styles.PassForEachLabel, {"order": "shuffled"}, {}),
    ("eager", _dropping(styles.Eager), {}, {}),
    ("plain_list", styles.plain_list, {"epochs": "fixed", "layout": "strided"}, {}),
    ("plain_range", styles.plain_range, {"epochs": "fixed", "tail": "keep", "layout": "strided"}, {}),
    ("without_length", _samples(styles.WithoutLength), {}, {}),
    ("slotted", _samples(styles.Slotted), {}, {}),
    ("lazy_lock", _samples(styles.LazyLock), {}, {}),
    ("made_in_a_function", styles.made_in_a_function, {}, {}),
    ("epoch_by_constructor", styles.EpochByConstructor, {}, {}),
    ("deals_out", styles.deals_out, {"tail": "keep", "layout": "strided"}, {}),
    ("pads_what_it_wraps", styles.pads_what_it_wraps, {"layout": "strided"}, {}),
    ("wraps_by_places", wrappers.of_places, {"layout": "strided"}, {}),
    ("wraps_and_reads_in_set_epoch", wrappers.read_in_set_epoch, {"tail": "keep", "layout": "strided"}, {}),
    ("wraps_and_counts_first", wrappers.counted_first, {"tail": "keep"}, {}),
    ("wraps_for_evaluation", wrappers.frozen, {"tail": "keep", "order": "sequential"}, {}),
    ("wraps_one_order", wrappers.frozen, {"tail": "keep", "epochs": "fixed"}, {}),
    ("wraps_untold", wrappers.untold, {"tail": "keep"}, {}),
    ("wraps_what_moves_on", wrappers.untold, {"tail": "keep", "order": "shuffled", "epochs": "advance"}, {}),
    ("wraps_batches_untold", wrappers.untold_batches, {"tail": "keep", "tail_unit": "batch"}, {}),
    (
        "wraps_batches_that_move_on",
        wrappers.untold_batches,
        {"tail": "keep", "tail_unit": "batch", "order": "shuffled", "epochs": "advance"},
        {},
    ),
    (
        "wraps_by_groups",
        wrappers.of_groups,
        {
            "sharding": "none",
            "order": "free",
            "tail_unit": "group",
            "tail": "keep",
            "batch_rule": "homogeneous(labels)",
        },
        {},
    ),
    # what it yields
    ("numpy_integers", _samples(styles.YieldsNumpyIntegers), {}, {}),
    ("narrow_integers", _samples(styles.YieldsNarrowIntegers), {}, {}),
    ("zero_dim_tensors", _samples(styles.YieldsZeroDimTensors), {}, {}),
    ("list_batches", _dropping_batches(_sound.Batches), {}, {}),
    ("batches_in_pairs", _batches(batches.InPairs), {}, {}),
    ("tuple_batches", _dropping_batches(batches.TupleBatches), {}, {}),
    ("tensor_batches", _batches(batches.TensorBatches), {}, {}),
    ("array_batches", _batches(batches.ArrayBatches), {}, {}),
    ("range_batches", batches.RangeBatches, {"tail": "keep", "layout": "contiguous"}, {}),
    ("named_places", _samples(styles.YieldsNamedTuples), {}, {}),
    ("sorted_batches", _batches(batches.SortedBatches), {}, {}),
    ("global_batches", _dropping_batches(_sound.GlobalBatches), {"tail_unit": "batch"}, {}),
    ("batch_sampler_of_torch", batches.batch_sampler_of_torch, {"tail": "keep"}, {}),
    # what it promises of the tail, of coverage and of layout
    ("evaluation", _samples(_sound.Uneven), {"tail": "keep", "layout": "strided"}, {}),
    ("contiguous", _dropping(promises.Contiguous), {"layout": "contiguous"}, {}),
    ("contiguous_uneven", _samples(promises.ContiguousUneven), {"layout": "contiguous", "tail": "keep"}, {}),
    ("drops_always", promises.drops_always, {"tail": "drop"}, {}),
    (
        "last_takes_the_rest",
        promises.LastTakesTheRest,
        {"tail": "keep", "even_steps": False, "epochs": "fixed", "layout": "contiguous"},
        {},
    ),
    ("whole_global_batches", _batches(promises.WholeGlobalBatches), {"tail_unit": "batch"}, {}),
    ("subset", _samples(promises.Subset), {"coverage": "subset"}, {}),
    ("padded_by_one", _samples(promises.PaddedByOne), {}, {}),
    ("padded_subset", _samples(promises.PaddedSubset), {"coverage": "subset", "tail": "pad"}, {}),
    ("repeated", _samples(promises.Repeated), {"repeats": 3}, {}),
    ("repeated_subset", _samples(promises.RepeatedSubset), {"repeats": 3, "coverage": "subset"}, {}),
    ("many_draws", promises.many_draws, {**SINGLE, "coverage": "sampled"}, {}),
    ("weighted_by_the_process", promises.weighted_by_the_process, {**SINGLE, "coverage": "sampled"}, {}),
    ("one_bootstrap", promises.one_bootstrap, {**SINGLE, "coverage": "sampled", "epochs": "fixed"}, {}),
    ("weighted", _weighted, {"sharding": "none", "coverage": "sampled", "order": "shuffled"}, {}),
    ("weighted_ranks", _weighted_ranks, {"coverage": "sampled", "order": "free"}, {}),
    ("drops_what_fills_no_batch", batches.drops_what_fills_no_batch, WHOLE_BATCHES, {}),
    ("loads_fours", batches.loads_fours, WHOLE_BATCHES, {}),
    ("loads_whole_batches", batches.loads_whole_batches, WHOLE_BATCHES, {}),
    ("loads_parts_of_a_batch", batches.loads_parts_of_a_batch, WHOLE_BATCHES, {}),
    ("asks_its_group", batches.asks_its_group, WHOLE_BATCHES, {}),
    (
        "drops_eights_alone",
        batches.drops_eights_alone,
        {**WHOLE_BATCHES, "sharding": "none", "epochs": "advance"},
        {},
    ),
    (
        "fills_its_last_batch",
        batches.fills_its_last_batch,
        {"sharding": "none", "epochs": "fixed", "tail": "pad", "tail_unit": "batch"},
        {},
    ),
    ("fills_batches_of_four", batches.fills_batches_of_four, WHOLE_ROUNDS, {}),
    ("fills_rounds_of_four", batches.fills_rounds_of_four, WHOLE_ROUNDS, {}),
    ("cuts_rounds_of_four", batches.cuts_rounds_of_four, {"tail": "drop", "tail_unit": "batch"}, {}),
    ("one_label_a_batch", _labelled, {"order": "free", "tail_unit": "group"}, {}),
    ("one_label_dropping", _labelled_dropping, {"order": "free", "tail_unit": "group"}, {}),
    ("one_label_unevenly", _labelled_unevenly, {"order": "free", "tail_unit": "group", "tail": "keep"}, {}),
    ("quarters", batches.Quarters, {"order": "shuffled", "tail_unit": "batch"}, {}),
    ("filled_quarters", batches.FilledQuarters, {"order": "shuffled", "batches": "variable"}, {}),
    ("length_buckets", batches.LengthBuckets, {"order": "shuffled", "batches": "variable"}, {}),
    ("padded_groups", batches.PaddedGroups, {"order": "shuffled", "tail_unit": "group"}, {}),
    ("token_budget", _budget, {"batches": "variable"}, {}),
    # what it promises of order and epochs
    ("by_the_process", promises.ByTheProcess, SINGLE, {}),
    ("advancing", _walking(promises.Advancing), ADVANCE, {}),
    ("advancing_generator", _walking(promises.AdvancingGenerator), ADVANCE, {}),
    ("fixed_order", _samples(_sound.Strided), {"epochs": "fixed"}, {}),
    ("shuffled_blocks", _samples(promises.ShuffledBlocks), {"order": "free"}, {}),
    ("endless_in_order", _endless_in_order, ENDLESS, {}),
    ("endless_shuffled", _walking(promises.Endless), {**ENDLESS, "order": "shuffled"}, {}),
    ("endless_batches", _endless_batches, ENDLESS, {}),
    # where it finds its place
    ("pairs_of_ranks", promises.pairs_of_ranks, {"replicas": 2}, {}),
    ("data_parallel_places", promises.data_parallel_places, {"replicas": 2}, {}),
    ("asks_the_group", promises.asks_the_group, {}, {}),
    ("asks_when_not_told", promises.asks_when_not_told, {}, {}),
    ("seed_of_rank_zero", promises.SeedOfRankZero, {"order": "shuffled"}, {}),
    ("asks_the_group_late", _unplaced(odd.AsksLate), {}, {}),
    ("reads_the_environment", _unplaced(odd.ReadsEnvironment), {}, {}),
    ("counts_its_node", _unplaced(odd.CountsItsNode), {}, {}),
    ("shuffles_on_its_node", _samples(odd.ShufflesOnItsNode), {"shuffles": "share"}, {}),
    ("on_every_rank_alike", _alone(_sound.Strided), {"sharding": "none"}, {}),
    ("on_every_rank_its_own", odd.own_order_of_a_rank, {"sharding": "none"}, {}),
    ("fixed_partition", _samples(odd.FixedPartition), {"order": "free"}, {}),
    # unusual ways to be written
    ("borrows_the_global_generator", _samples(odd.BorrowsGlobalGenerator), {}, {}),
    ("sorts_by_hash", _samples(odd.SortsByHash), {}, {}),
    ("caches_orders", _samples(odd.CachesOrders), {}, {}),
    ("plans_late", _samples(odd.PlansLate), {}, {}),
    ("old_sequence", _samples(odd.OldSequence), {}, {}),
    ("partial", partial(_sound.Strided, shuffle=False), {}, {}),
    ("instance", odd.Factory(), {}, {}),
    ("method", odd.Factory().build, {}, {}),
    ("synonyms", odd.synonyms, {}, {}),
    ("positional", odd.positional, {}, {}),
    ("own_option", odd.own_option, {"order": "free"}, {"block": [1, 2, 5]}),
    ("shared_generator", odd.shared_generator, {**ADVANCE, "ambient_rng": "shared"}, {}),
    # corners
    (
        "blocks_of_batches",
        _batches(corners.BlocksOfBatches),
        {"tail": "keep", "tail_unit": "batch", "layout": "contiguous"},
        {},
    ),
    ("token_budget_dropping", _budget_dropping, {"batches": "variable", "tail": "drop"}, {}),
    ("without_epochs", corners.WithoutEpochs, {}, {}),
    ("walk_through_an_epoch", corners.walk_through_an_epoch, {}, {}),
    ("loader_over_a_stream", corners.loader_over_a_stream, {"tail": "keep"}, {}),
    (
        "one_order_of_the_process",
        corners.OneOrderOfTheProcess,
        {"order": "shuffled", "epochs": "fixed", "ambient_rng": "shared"},
        {},
    ),
    (
        "seed_of_the_process",
        corners.seed_of_the_process,
        {"order": "shuffled", "ambient_rng": "shared"},
        {},
    ),
    ("agrees_among_several", corners.AgreesAmongSeveral, {}, {}),
    ("cuts_floats", _samples(corners.CutsFloats), {"tail": "keep", "layout": "contiguous"}, {}),
    (
        "like_torch_in_whole_batches",
        corners.like_torch_in_whole_batches,
        {"reference": "torch", "tail_unit": "batch"},
        {},
    ),
    ("endless_in_chunks", corners.EndlessInChunks, ENDLESS, {}),
    ("endless_laps_of_torch", endless.LapsOfTorch, {**ENDLESS, "order": "shuffled", "layout": "strided"}, {}),
    ("endless_own_shard", endless.OwnShard, {**ENDLESS, "order": "shuffled"}, {}),
    ("endless_one_label", endless.OneLabelForEver, {**ENDLESS, "order": "shuffled"}, {}),
    ("endless_full_batches", endless.FullBatches, {**ENDLESS, "order": "shuffled"}, {}),
    (
        "endless_goes_on_in_turn",
        endless.GoesOnInTurn,
        {**ENDLESS, "order": "shuffled", "layout": "strided", "after_break": "rest"},
        {},
    ),
    ("endless_by_steps", endless.CountsItsSteps, {**ENDLESS, "order": "shuffled", "layout": "strided"}, {}),
    (
        "endless_anywhere",
        endless.GoesOnAnywhere,
        {**ENDLESS, "sharding": "none", "after_break": "rest"},
        {},
    ),
    ("endless_loader", endless.LoaderForEver, {**SINGLE, **ENDLESS}, {}),
    ("endless_loaders_of_torch", endless.LoadersOfTorch, {**ENDLESS, "order": "shuffled"}, {}),
    ("drawn_by_each_rank", endless.DrawnByEachRank, {"coverage": "sampled", "order": "free"}, {}),
    ("torchdata_distributed", corners.torchdata_distributed, {"reference": "torch"}, {}),
    # loaders and streams
    ("loader", loaders.loader, {}, {}),
    ("loader_of_pictures", loaders.loader_of_pictures, {}, {}),
    ("loader_of_batches", loaders.loader_of_batches, {"order": "shuffled"}, {}),
    ("loader_of_pairs", loaders.loader_of_pairs, {}, {}),
    ("loader_in_order", loaders.loader_in_order, {"sharding": "none", "epochs": "fixed"}, {}),
    ("loader_of_ones_own", loaders.loader_of_ones_own, {"order": "shuffled"}, {}),
    ("loader_made_again", loaders.loader_made_again, {"order": "shuffled"}, {}),
    ("loader_with_a_pool", loaders.loader_with_a_pool, {"tail": "keep", "epochs": "fixed"}, {}),
    ("shards", loaders.Shards, {"tail": "keep", "order": "free"}, {}),
    ("stream_of_samples", loaders.StreamOfSamples, {"tail": "keep", "order": "free"}, {}),
    ("shards_of_several", loaders.ShardsOfSeveral, {"tail": "keep", "tail_unit": "batch"}, {}),
    ("shuffled_stream", loaders.ShuffledStream, {"order": "shuffled"}, {}),
    ("ordered_by_the_loader", loaders.OrderedByTheLoader, {**SINGLE, "order": "shuffled"}, {}),
    ("loader_of_a_stream", loaders.loader_of_a_stream, {"order": "shuffled"}, {}),
    # what can be resumed
    ("resumable", _dropping(_resumable.Resumable), {"elastic": True}, {}),
    ("resumable_uneven", _samples(resumable.ResumableUneven), {"tail": "keep", "elastic": True}, {}),
    ("resumable_batches", _batches(resumable.ResumableBatches), {"elastic": True}, {}),
    ("resumable_in_order", _in_order(_resumable.Resumable), {"epochs": "fixed", "elastic": True}, {}),
    (
        "asks_where_it_was_saved",
        _samples(resumable.AsksWhereItWasSaved),
        {"resume": "state_dict", "foreign_state": "refused"},
        {},
    ),
    (
        "one_checkpoint_for_all_ranks",
        _samples(_resumable.Resumable),
        {"resume": "state_dict", "foreign_state": "rank_0"},
        {},
    ),
    ("tidies_up", _samples(resumable.TidiesUp), {"resume": "state_dict"}, {}),
    (
        "goes_on_by_itself",
        _samples(resumable.GoesOnByItself),
        {"epochs": "either", "after_break": "rest", "resume": "state_dict"},
        {},
    ),
    (
        "goes_on_in_its_epoch",
        _samples(resumable.GoesOnInItsEpoch),
        {"epochs": "either", "after_break": "rest", "resume": "state_dict"},
        {},
    ),
    ("keeps_its_order", _samples(resumable.KeepsItsOrder), {}, {}),
    ("live_state", _samples(resumable.LiveState), {}, {}),
    ("counts_passes", _walking(resumable.CountsPasses), ADVANCE, {}),
    ("skips_finished", _walking(resumable.SkipsFinished), ADVANCE, {}),
    ("endless_resumable", _walking(resumable.EndlessResumable), {**ENDLESS, "order": "shuffled"}, {}),
    (
        "consumed",
        resumable.Consumed,
        {"tail": "drop", "tail_unit": "batch", "epochs": "fixed", "resume": "consumed", "elastic": True},
        {},
    ),
    (
        "megatron_in_order",
        megatron.in_order,
        {"tail": "drop", "tail_unit": "batch", "epochs": "fixed", "resume": "consumed"},
        {},
    ),
    ("consumed_shuffled", resumable.ConsumedShuffled, {**ADVANCE, "resume": "consumed"}, {}),
    ("consumed_by_epoch", resumable.ConsumedByEpoch, {"resume": "consumed"}, {}),
    ("one_epoch_an_object", resumable.OneEpochAnObject, {}, {}),
    (
        "seed_of_the_process_kept",
        resumable.SeedOfTheProcess,
        {"order": "shuffled", "ambient_rng": "shared"},
        {},
    ),
    ("draws_each_order", resumable.DrawsEachOrder, {"order": "shuffled", "ambient_rng": "shared"}, {}),
    ("stateful_loader", resumable.stateful_loader, {"resume": "state_dict"}, {}),
    # in the shape of training frameworks
    ("restarted_samples", _dropping(trainers.RestartedSamples), {}, {}),
    ("restarted_batches", _dropping_batches(trainers.RestartedBatches), {}, {}),
    ("bare_iterator", _samples(trainers.BareIterator), {}, {}),
    ("opened_counts", _walking(trainers.OpenedCounts), ADVANCE, {}),
    ("plain_batch_sampler", trainers.plain_batch_sampler, {}, {}),
    ("loader_of_plain_batches", trainers.loader_of_plain_batches, {}, {}),
    ("in_order_first", _walking(trainers.InOrderFirst), {"order": "shuffled"}, {}),
    ("poisson_bootstrap", _alone_walking(trainers.PoissonBootstrap), DRAWN_ALONE, {}),
    (
        "shuffled_bootstrap",
        _alone_walking(trainers.ShuffledBootstrap),
        {**DRAWN_ALONE, "order": "shuffled"},
        {},
    ),
    ("repeat_factors", trainers.repeat_factors, DRAWN_ALONE, {}),
    ("now_and_then_in_order", _walking(trainers.NowAndThenInOrder), {"order": "shuffled"}, {}),
    (
        "shuffled_length_batches",
        batches.ShuffledLengthBatches,
        {"sharding": "none", "order": "shuffled"},
        {},
    ),
    (
        "loader_of_a_split",
        batches.loader_of_a_split,
        {"coverage": "subset", "frequencies": "fixed", "tail": "pad", "order": "free"},
        {},
    ),
    (
        "draws_a_dataset",
        declared.DrawsADataset,
        {"coverage": "sampled", "order": "shuffled", "tail": "drop"},
        {},
    ),
    (
        "mixes_by_quota",
        declared.MixesByQuota,
        {"coverage": "sampled", "order": "shuffled", "tail": "drop"},
        {},
    ),
    ("sharded_batches", frameworks.sharded_batches, {**EITHER, "tail_unit": "batch"}, {}),
    ("skip_first", frameworks.skip_first, {**EITHER, "tail_unit": "batch"}, {}),
    ("repeat_augmented", _samples(frameworks.RepeatAugmented), {"repeats": 3}, {}),
    (
        "grouped_generations",
        frameworks.grouped_generations,
        {"sharding": "none", "repeats": 2, "order": "free"},
        {},
    ),
    (
        "generations_by_chunk",
        _samples(frameworks.GenerationsByChunk),
        {"sharding": "none", "repeats": 2, "tail": "keep", "shuffles": "chunks"},
        {},
    ),
    (
        "dynamic_cuts",
        frameworks.dynamic_cuts,
        {"batches": "variable", "tail": "drop", "order": "shuffled"},
        {},
    ),
    ("megatron_random", frameworks.MegatronRandom, IN_BUCKETS, {}),
    ("shards_by_node", frameworks.ShardsByNode, {"tail": "keep", "tail_unit": "batch", "order": "free"}, {}),
    ("cyclic", frameworks.cyclic, {**ENDLESS, "order": "shuffled", "layout": "strided"}, {}),
    # orders and draws of a kind
    ("length_grouped", orders.length_grouped, {"order": "shuffled"}, {}),
    ("class_balanced", orders.class_balanced, {**DRAWN_ALONE, "frequencies": orders.by_class}, {}),
    ("interleaved", _walking(orders.Interleaved), {"order": "free"}, {}),
    ("curriculum", _walking(orders.Curriculum), {"order": "free"}, {}),
    ("growing_curriculum", _samples(orders.Growing), {"coverage": "subset", "tail": "pad"}, {}),
    (
        "by_difficulty",
        orders.ByDifficulty,
        {"sharding": "none", "coverage": "subset", "frequencies": "eventually", "order": "free"},
        {},
    ),
    ("buffer_shuffled", _walking(orders.BufferShuffled), {"order": "free"}, {}),
    ("subset_of_epoch", _walking(orders.SubsetOfEpoch), {"coverage": "subset", "order": "shuffled"}, {}),
    ("turned_by_a_coin", _walking(orders.TurnedByACoin), {"order": "shuffled"}, {}),
    ("to_and_fro", _walking(orders.ToAndFro), {"order": "free"}, {}),
    ("hashed_seeds", _walking(orders.HashedSeeds), {"order": "shuffled"}, {}),
    ("wrapped_eval", _in_order(orders.WrappedEval), {"tail": "keep", "layout": "contiguous"}, {}),
    # what is declared
    (
        "tempered",
        declared.tempered,
        {**DRAWN_ALONE, "frequencies": declared.by_fourth_roots},
        {},
    ),
    ("tempered_unjudged", declared.tempered, {**DRAWN_ALONE, "frequencies": "unjudged"}, {}),
    (
        "class_pairs",
        declared.class_pairs,
        {"sharding": "none", "coverage": "subset", "order": "free", "epochs": "advance"},
        {},
    ),
    (
        "poisson",
        declared.poisson,
        {**DRAWN_ALONE, "batches": "variable", "empty_batches": True},
        {},
    ),
    ("own_chunk", _walking(declared.OwnChunk), {"order": "shuffled", "shuffles": "share"}, {}),
    ("seedable", _samples(declared.Seedable), {"epochs": "either"}, {}),
    (
        "dropped_before_repeated",
        _samples(declared.DroppedBeforeRepeated),
        {"repeats": 3, "tail": "drop", "tail_first": True},
        {},
    ),
    ("topped_up", declared.topped_up, {"batches": "variable", "top_up": True}, {}),
    # what belongs together
    ("loader_over_parts", parts.loader_over_parts, {}, {}),
    ("whole_questions", parts.WholeQuestions, {"batches": "variable", "order": "shuffled"}, {}),
    ("padded_at_random", _samples(parts.PaddedAtRandom), {}, {}),
    ("padded_and_then_scaled", _samples(parts.PaddedAndThenScaled), {"batches": "variable"}, {}),
    (
        "fold_cut_for_ranks",
        _walking(parts.FoldCutForRanks),
        {"coverage": "subset", "frequencies": "fixed", "tail": "drop", "order": "shuffled"},
        {},
    ),
    ("by_labels", parts.ByLabels, {"sharding": "none", "order": "shuffled"}, {}),
    (
        "shards_again",
        parts.ShardsAgain,
        {**CHUNKS_DRAWN, "tail": "keep", "even_steps": False},
        {},
    ),
    (
        "all_but_the_newest",
        parts.AllButTheNewest,
        {
            "sharding": "none",
            "coverage": "sampled",
            "frequencies": parts.frequencies_of_all_but_the_newest,
            "order": "shuffled",
        },
        {},
    ),
    ("chunks_of_a_class", parts.ChunksOfAClass, {**CHUNKS_DRAWN, "sharding": "none"}, {}),
    (
        "rare_labels_again",
        parts.RareLabelsAgain,
        {
            "sharding": "none",
            "coverage": "sampled",
            "frequencies": parts.frequencies_of_rare_labels,
            "order": "shuffled",
        },
        {},
    ),
    # torch's own
    ("torch_distributed", odd.torch_distributed, {"reference": "torch", "layout": "strided"}, {}),
    ("torch_batches", odd.torch_batches, {"reference": "torch"}, {}),
    ("torch_random", odd.torch_random, SINGLE, {}),
    ("torch_sequential", odd.torch_sequential, {**SINGLE, "order": "sequential"}, {}),
    ("torch_subset_random", odd.torch_subset_random, {**SINGLE, "coverage": "subset"}, {}),
]
