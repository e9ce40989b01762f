"""The laws: one property of samplers each, judged on a trace.

Read by the engine, the reports and the command line. ``ALL_LAWS`` is in the order of the codes, in
which laws are reported. Imports neither torch nor experiments nor worlds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.laws import (
    abandon_safely,
    batch_size,
    batches_mix,
    complete,
    deterministic,
    disjoint,
    epoch_is_a_place,
    equal_steps,
    even_global_steps,
    finds_its_place,
    finishes_in_step,
    frugal_tail,
    group_agrees,
    honest_length,
    in_range,
    independent_iterators,
    inert_length,
    knobs_count,
    leaves_inner_alone,
    leaves_rng_alone,
    no_empty_batch,
    nothing_lost,
    pickles,
    ranks_agree,
    ranks_mix,
    reference_length,
    reference_order,
    reiterates,
    rejects_nonsense,
    repeats_exactly,
    replicas_alike,
    reshuffles,
    runs,
    same_collectives,
    seed_and_epoch_apart,
    seed_matters,
    stands_still,
    terminates,
    uniform,
    weights_hold,
)

if TYPE_CHECKING:
    from samplercheck.laws._law import Law

__all__ = ["ALL_LAWS"]

ALL_LAWS: tuple[Law, ...] = (
    runs.LAW,
    terminates.LAW,
    rejects_nonsense.LAW,
    in_range.LAW,
    complete.LAW,
    disjoint.LAW,
    equal_steps.LAW,
    frugal_tail.LAW,
    nothing_lost.LAW,
    repeats_exactly.LAW,
    honest_length.LAW,
    inert_length.LAW,
    reference_length.LAW,
    reshuffles.LAW,
    stands_still.LAW,
    seed_matters.LAW,
    epoch_is_a_place.LAW,
    ranks_mix.LAW,
    batches_mix.LAW,
    reference_order.LAW,
    seed_and_epoch_apart.LAW,
    knobs_count.LAW,
    ranks_agree.LAW,
    deterministic.LAW,
    leaves_rng_alone.LAW,
    replicas_alike.LAW,
    reiterates.LAW,
    independent_iterators.LAW,
    abandon_safely.LAW,
    pickles.LAW,
    leaves_inner_alone.LAW,
    batch_size.LAW,
    no_empty_batch.LAW,
    even_global_steps.LAW,
    group_agrees.LAW,
    finishes_in_step.LAW,
    finds_its_place.LAW,
    same_collectives.LAW,
    weights_hold.LAW,
    uniform.LAW,
)
