"""The laws: one property of samplers each, judged on a trace.

Read by the engine, the reports and the command line. ``ALL_LAWS`` is in the order of the codes, in
which laws are reported. Imports neither torch nor experiments nor worlds.
"""

from __future__ import annotations

from samplercheck.laws import (
    abandon_safely,
    arguments_have_effect,
    batch_size,
    batches_mix,
    complete,
    correct_length,
    deterministic,
    disjoint,
    elastic,
    epoch_after_resume,
    epoch_reaches_workers,
    equal_step_sizes,
    equal_steps,
    finishes_in_step,
    follows_weights,
    foreign_state,
    group_agrees,
    in_range,
    independent_iterators,
    keeps_batch_rule,
    keeps_dataset_order,
    leaves_inner_alone,
    leaves_rng_alone,
    loader_agrees,
    minimal_padding,
    no_empty_batch,
    no_sample_always_dropped,
    order_from_seed_and_epoch,
    pickles,
    place_from_group,
    plain_state,
    pure_length,
    ranks_agree,
    ranks_mix,
    reference_length,
    reference_order,
    reiterates,
    rejects_invalid_values,
    repeats_exactly,
    replicas_alike,
    reshuffles,
    resumes_exactly,
    resumes_repeatedly,
    runs,
    same_collectives,
    seed_matters,
    seeds_do_not_overlap,
    state_counts_delivered,
    state_round_trips,
    terminates,
    uniform_shuffle,
    workers_split_data,
)
from samplercheck.laws.law import Law

ALL_LAWS: tuple[Law, ...] = tuple(
    module.LAW
    for module in (
        *(runs, terminates, rejects_invalid_values),
        *(in_range, complete, disjoint, equal_steps, minimal_padding, no_sample_always_dropped),
        *(repeats_exactly,),
        *(correct_length, pure_length, reference_length),
        *(reshuffles, keeps_dataset_order, seed_matters, order_from_seed_and_epoch, ranks_mix),
        *(batches_mix, reference_order, seeds_do_not_overlap, arguments_have_effect),
        *(ranks_agree, deterministic, leaves_rng_alone, replicas_alike),
        *(reiterates, independent_iterators, abandon_safely, pickles, leaves_inner_alone),
        *(batch_size, no_empty_batch, equal_step_sizes, keeps_batch_rule),
        *(resumes_exactly, epoch_after_resume, resumes_repeatedly, plain_state, elastic),
        *(foreign_state, state_round_trips),
        *(loader_agrees, workers_split_data, epoch_reaches_workers, state_counts_delivered),
        *(group_agrees, finishes_in_step, place_from_group, same_collectives),
        *(follows_weights, uniform_shuffle),
    )
)
"""In the order of their codes; each family of these, such as SC1xx, begins in a line of its own."""
