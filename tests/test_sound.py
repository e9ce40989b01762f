"""No law is broken, and none left undecided, by any of the sound samplers: a false alarm is the worst bug.

Run by pytest under the brief profile, and nightly under quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from tests.sound.samplers import SOUND
from tests.sound.trainers import seen_batches
from tests.support.brief import look_briefly
from tests.support.complaints import complaints
from tests.support.tiers import thin_out

if TYPE_CHECKING:
    from collections.abc import Callable

# Sound samplers of which some law can say nothing in so few cases.
BEYOND_BRIEF = {"filled_quarters", "dropped_before_repeated", "repeat_augmented", "repeated"}
# Those that take seconds and differ little from others that take part: the nightly run has them.
SELDOM = {
    "keeps_its_order",
    "loader_made_again",
    "loader_of_batches",
    "loader_of_pictures",
    "loader_of_plain_batches",
    "repeat_factors",
    "resumable_batches",
    "shards_of_several",
    "shuffled_bootstrap",
}
DEAR = (
    "advancing", "asks_its_group", "asks_where_it_was_saved", "batch_sampler_of_torch",
    "batches_in_pairs", "blocks_of_batches", "chain_of_permutations", "class_balanced", "consumed",
    "consumed_by_epoch", "counts_its_node", "counts_passes", "deals_out", "drawn_by_each_rank",
    "draws_each_order", "dropped_before_repeated", "endless_anywhere", "endless_by_steps",
    "endless_loader", "endless_one_label", "goes_on_by_itself", "goes_on_in_its_epoch", "lazy_lock",
    "length_grouped", "list_batches", "live_state", "loader", "loader_of_a_stream",
    "loader_of_ones_own", "loader_of_pairs", "loader_over_parts", "loader_with_a_pool",
    "loads_fours", "many_draws", "megatron_in_order", "megatron_random", "method", "named_places",
    "numpy_integers", "one_checkpoint_for_all_ranks", "one_epoch_an_object", "one_label_a_batch",
    "one_label_dropping", "one_label_unevenly", "ordered_by_the_loader", "own_chunk",
    "padded_groups", "partial", "pass_for_each_label", "plain_batch_sampler", "rare_labels_again",
    "reads_the_environment", "repeated", "restarted_batches", "resumable", "resumable_uneven",
    "seed_of_the_process", "sharded_batches", "shards", "shards_again", "shards_by_node",
    "shared_generator", "shuffled_stream", "skip_first", "skips_finished", "stateful_loader",
    "stream_of_samples", "synonyms", "tempered", "tensor_batches", "torch_batches",
    "torch_generator", "torchdata_distributed", "weighted", "weighted_ranks", "whole_questions",
    "wraps_and_reads_in_set_epoch", "wraps_batches_that_move_on", "wraps_batches_untold",
    "wraps_one_order",
)  # fmt: skip
COSTLY = {f"{name}-brief" for name in DEAR}
RUNS = [
    *thin_out(
        (pytest.param(*one, True, id=f"{one[0]}-brief") for one in SOUND if one[0] not in SELDOM), COSTLY
    ),
    *(pytest.param(*one, False, id=one[0], marks=pytest.mark.slow) for one in SOUND),
]


@pytest.mark.parametrize(("name", "factory", "promise", "axes", "briefly"), RUNS)
def test_a_sound_sampler_keeps_every_law(
    name: str,
    factory: Callable[..., Any],
    promise: dict[str, Any],
    axes: dict[str, list[Any]],
    briefly: bool,
) -> None:
    target = sc.target(factory, name=name, contract=sc.Contract(**promise), axes=axes)
    with look_briefly(briefly=briefly and name not in BEYOND_BRIEF):
        report = sc.run(target, profile="quick")
    assert complaints(report) == {}
    assert report.ok


def test_the_sound_samplers_have_names_of_their_own() -> None:
    names = [name for name, *_ in SOUND]
    assert len(set(names)) == len(names) >= 25


@pytest.mark.thorough
def test_a_wrapper_that_is_its_own_iterator_is_advised_of_two_open_passes_alone() -> None:
    report = sc.run(sc.target(seen_batches), profile="quick")
    assert complaints(report) == {}
    graded = {one.code for one in report.results if one.advised and one.advised.grade == "strict"}
    assert graded == {"SC502"}
