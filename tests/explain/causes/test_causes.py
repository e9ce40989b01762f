"""The causes of the zoo's bugs, each read and judged right by hand once and pinned here.

A wrong cause is worse than none: where none of the changes says what a bug is, none is told.
"""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.explain import change, rebuilt
from samplercheck.explain.causes import CAUSES, DROPS, traits_of_contract
from tests.explain.zoo_runs import CODES, explained
from tests.zoo.cases import SIMULATED, worlds_of, zoo

HISTORY = "What it yields depends on what the object did before"
THE_TAIL = "The tail that world_size does not divide "
FEW_SAMPLES = "The code does not handle so few samples for so many ranks"
RANDOM_STATE = "The order depends on the global random generators"
FAVOURS = "Which sample comes, or where, depends on its place in the dataset"
NO_PLACE = "Whole epochs are right; what follows a loaded state is not"
DRAWN = "The state counts what the sampler handed out"
OF_ONE = "The order that a single process yields is right; the shares that ranks take of it are not"
BATCH_TAIL = "The last, incomplete round of batches"

RIGHT = {
    "account_kept_in_the_class": ("SC502", "Objects share a list, set or dictionary"),
    "backwards_every_other_epoch": ("SC1002", "An epoch goes through the order of the epoch before"),
    "backwards_without_shuffle": ("SC302", "The order runs backwards"),
    "batch_size_dead": ("SC309", "The sampler ignores batch_size"),
    "batch_size_of_all_ranks": ("SC602", "batch_size is taken for that of all ranks"),
    "batch_size_zero_accepted": ("SC003", "The constructor accepts a batch_size below 1"),
    "batches_cut_before_shuffle": ("SC306", "The batches are put together first"),
    "batches_kept_from_another_epoch": ("SC701", "Loading a state does not restore the epoch"),
    "batches_of_all_ranks_skipped": ("SC701", "Resuming between two epochs is right; inside an epoch"),
    "blend_from_the_front": ("SC1001", FAVOURS),
    "buckets_filled_once": ("SC306", "The batches are put together first"),
    "buckets_left_after_a_break": ("SC503", "A break out of an epoch leaves state on the object"),
    "budget_checked_before_adding": ("SC604", "It depends on the samples' lengths: with unlike"),
    "ceil_chunk_clamp": ("SC104", THE_TAIL),
    "chained_shuffle": ("SC304", HISTORY),
    "chunk_without_its_offset": ("SC1001", FAVOURS),
    "chunks_in_one_order": ("SC301", "The shuffle does not depend on the epoch"),
    "consumers_get_unequal_shards": ("SC802", "What the workers of all ranks cannot share"),
    "contiguous_dealt_strided": ("SC302", "The order is right, but ranks take turns where the"),
    "copies_on_one_rank": ("SC107", "The copies of a sample stand side by side, and each rank"),
    "counted_in_whole_datasets": ("SC102", HISTORY),
    "counts_after_the_yield": ("SC701", "The sampler counts an item only when the next one is"),
    "counts_an_abandoned_pass": ("SC701", NO_PLACE),
    "counts_what_the_sampler_drew": ("SC804", DRAWN),
    "curriculum_stops_at_a_share": ("SC1001", FAVOURS),
    "drawn_by_weight_without_replacement": ("SC1001", "Where all weights are alike the draws are"),
    "draws_a_fixed_order_anew": ("SC501", RANDOM_STATE),
    "draws_of_the_neighbour": ("SC103", "Seed, epoch and rank are added up"),
    "draws_of_the_neighbour_in_time": ("SC103", "Seed, epoch and rank are added up"),
    "drop_before_shuffle": ("SC106", "What is dropped is chosen before the shuffle"),
    "drops_unasked": ("SC102", OF_ONE),
    "each_rank_picks_its_own_subset": ("SC103", "The seed of the order differs by rank"),
    "empty_ranks_skip_the_broadcast": ("SC904", FEW_SAMPLES),
    "empty_shard_fill": ("SC602", BATCH_TAIL),
    "endless_draws_alike": ("SC103", "The sampler ignores its rank: every rank yields the"),
    "endless_labels_read_alike": ("SC103", "The sampler ignores its rank"),
    "endless_ranks_read_alike": ("SC103", "The sampler ignores its rank"),
    "endless_ranks_walk_apart": ("SC103", "The seed of the order differs by rank"),
    "endless_share_of_each_lap": ("SC103", "Each pass over the data is dealt out by itself"),
    "generator_saved_behind_the_draw": ("SC701", NO_PLACE),
    "laps_in_order_each_by_itself": ("SC103", "Each pass over the data is dealt out by itself"),
    "ended_iterator_begins_again": ("SC801", "An iterator that was at its end begins again"),
    "ends_on_an_empty_epoch": ("SC701", NO_PLACE),
    "epoch_lost_in_pickle": ("SC504", "A pickled copy loses its epoch"),
    "epoch_never_goes_back": ("SC304", HISTORY),
    "epoch_stays_in_the_main_process": ("SC803", "set_epoch reaches the object in the main"),
    "epoch_stays_outside": ("SC505", "The wrapper does not pass set_epoch on to the sampler that"),
    "epoch_stops_at_batches": ("SC505", "The wrapper does not pass set_epoch on to the sampler that"),
    "epoch_taken_and_left": ("SC301", "The wrapper does not pass set_epoch on to the"),
    "epoch_zero_not_passed_on": ("SC505", "The wrapper does not pass set_epoch on to the"),
    "epochs_that_are_over_skipped_again": ("SC701", "The resumed epoch skips the samples of"),
    "every_rank_draws_the_same": ("SC103", "The sampler ignores its rank: every rank yields the"),
    "every_worker_reads_every_file": ("SC802", "Every worker yields all that its rank has"),
    "exhausted_state_skips_epoch": ("SC501", HISTORY),
    "fixed_length_bias": ("SC1001", FAVOURS),
    "fold_moves_with_the_epoch": ("SC102", "The epoch decides which samples come"),
    "full_round_when_it_divides": ("SC105", "It pads a dataset that world_size divides as well,"),
    "generator_forked_around_the_yields": ("SC403", "It draws from, or reseeds, the global random generator"),
    "generator_left_out_of_the_state": ("SC701", "Loading a state does not restore what the passes"),
    "generator_shared_with_the_loader": ("SC801", "The sampler shares its generator with the"),
    "global_rng_permutation": ("SC102", RANDOM_STATE),
    "goes_on_into_one_lap_alone": ("SC601", "A batch of more samples than there are is not"),
    "grows_the_batches_it_wraps": ("SC505", "It changes the lists that the wrapped sampler yields"),
    "hardest_never_comes": ("SC1001", FAVOURS),
    "holds_a_lambda": ("SC504", "It holds a function or class that pickle cannot find"),
    "keys_of_which_many_are_alike": ("SC1002", FAVOURS),
    "labels_numbered_with_a_gap": ("SC102", "It takes labels to be numbered without a gap"),
    "label_padded_from_another": ("SC604", "The tail of a label, which does not fill a round of"),
    "lap_never_closes": ("SC002", "The code does not handle a dataset of a single sample"),
    "last_class_left_out": ("SC1001", "Which sample comes depends on its label"),
    "last_global_batch_short": ("SC105", BATCH_TAIL),
    "last_samples_never_seen": ("SC106", "What is dropped is chosen before the shuffle"),
    "len_costs_an_epoch": ("SC202", "Asking len() changes the object"),
    "len_counts_samples": ("SC201", "len() counts samples"),
    "len_keeps_the_last_batches": ("SC202", "Asking len() changes the object"),
    "len_is_no_integer": ("SC201", "__len__ returns a number that is no integer"),
    "len_of_first_epoch": ("SC201", "len() depends on what this object did before"),
    "len_of_its_first_shard": ("SC201", "len() is that of another epoch"),
    "len_rounded_down": ("SC203", "len() does not round the tail that world_size does not divide"),
    "len_stops_before_the_last_phase": ("SC201", "len() is that of another epoch"),
    "length_of_what_was_left": ("SC702", "The restored position is applied in later"),
    "loader_spends_the_skip": ("SC801", "Calling iter() changes the object"),
    "loader_without_a_sampler": ("SC103", "The sampler ignores its rank: every rank yields the"),
    "local_rank_for_rank": ("SC102", "The place is read from LOCAL_RANK"),
    "marks_what_it_wraps": ("SC505", "It sets attributes on the sampler that it wraps"),
    "more_ranks_than_samples_refused": ("SC001", FEW_SAMPLES),
    "micro_batches_of_a_step_forgotten": ("SC701", NO_PLACE),
    "moves_on_by_itself": ("SC501", "A pass leaves the object in another state"),
    "negative_rank_takes_all": ("SC003", "The constructor accepts several invalid arguments"),
    "never_at_its_own_place": ("SC1002", FAVOURS),
    "nodes_for_ranks_of_a_node": ("SC104", "It depends on the node that a rank is on"),
    "not_reiterable": ("SC501", HISTORY),
    "numbered_instances": ("SC402", "Two objects built with the same arguments differ: something"),
    "odd_one_of_the_batch_dropped": ("SC102", "The wrapped sampler alone does it right; the"),
    "one_based_indices": ("SC101", "Indices start at 1"),
    "one_order_begun_elsewhere": ("SC301", "The shuffle does not depend on the epoch"),
    "one_round_too_many": ("SC105", "It pads, but by the wrong number: 3 samples where 1 is needed"),
    "only_its_own_samples_are_done": ("SC701", NO_PLACE),
    "only_the_epoch_is_saved": ("SC701", "Resuming between two epochs is right"),
    "order_from_worker_seed": ("SC401", RANDOM_STATE),
    "order_read_once": ("SC505", "It reads the wrapped sampler once and keeps that order"),
    "oversized_sample_vanishes": ("SC102", "Which samples come depends on their lengths"),
    "own_count_taken_by_fewer_ranks": ("SC706", "Nothing in the state says where it was saved"),
    "own_loader_doubles_its_stream": ("SC802", "Every worker yields all that its rank has"),
    "own_mix_of_seed_and_epoch": ("SC307", "The order uses the seed in another way than the"),
    "pad_once_overflow": ("SC001", FEW_SAMPLES),
    "padded_from_the_end": ("SC307", "Only the tail, which world_size does not divide, differs"),
    "passes_counted_when_opened": ("SC801", "Calling iter() changes the object, and a DataLoader"),
    "persistent_worker_epoch_frozen": ("SC803", "set_epoch reaches the object in the main"),
    "place_counted_in_batches": ("SC701", "Resuming after whole batches is right"),
    "place_lost_when_saved_after_loading": ("SC707", "state_dict() right after load_state_dict() is not"),
    "place_reset_by_set_epoch": ("SC701", "set_epoch(), which a training loop calls after loading"),
    "place_restored_from_the_state": ("SC705", "Loading a state restores the rank and world size"),
    "position_kept_in_the_class": ("SC704", "Part of what resuming needs is on the class and not"),
    "position_on_the_object": ("SC502", "Iterators that are open at once share state on the"),
    "quota_stays_reduced": ("SC1001", "How often samples come depends on the numbers"),
    "reservoir_one_off": ("SC1001", FAVOURS),
    "rounds_by_a_reciprocal": ("SC102", "The order that a single process yields is right; the shares"),
    "rank_dependent_seed": ("SC102", "The seed of the order differs by rank"),
    "rank_not_asked": ("SC903", "When rank is left out, the sampler does not ask the process"),
    "ranks_balanced_once": ("SC305", "The samples are dealt out to the ranks first"),
    "refills_its_list": ("SC801", "A batch that was yielded is changed for the next one"),
    "remainder_of_no_worker": ("SC802", "What the workers of all ranks cannot share"),
    "repeated_samples_not_divided": ("SC104", OF_ONE),
    "replicas_dealt_in_turn": ("SC404", "The order depends on the rank itself"),
    "replicas_shuffle_apart": ("SC404", "The order depends on the rank itself"),
    "reseeds_global_rng": ("SC403", "It sets the global seed of random to the epoch: dropout"),
    "reservoir_favours_the_end": ("SC1001", FAVOURS),
    "rest_of_no_node": ("SC102", "It depends on the node that a rank is on, where"),
    "rest_of_a_shuffle_in_a_set": ("SC301", "The order depends on neither the seed nor the"),
    "rest_of_an_abandoned_pass": ("SC503", "A break out of an epoch leaves state on the object,"),
    "rest_carried_into_any_epoch": ("SC501", HISTORY),
    "rest_of_a_label_left_in_order": ("SC106", "What is dropped is chosen before the shuffle"),
    "resume_offset_every_epoch": ("SC702", "The restored position is applied in later"),
    "resume_resets_epoch": ("SC701", "Loading a state does not restore what the passes before it"),
    "resumed_epoch_comes_twice": ("SC702", "The resumed epoch is not counted"),
    "rotates_without_shuffle": ("SC302", "The epoch changes the order even without shuffling"),
    "rounds_of_the_dataset": ("SC701", "Resuming between two epochs is right"),
    "runs_drawn_alike": ("SC1001", "How often samples come depends on how those"),
    "same_batches_reordered": ("SC306", "The batches are put together first"),
    "second_resume_drift": (
        "SC703",
        "After resuming, the state is not the one that an uninterrupted run would save",
    ),
    "second_part_stands_still": ("SC301", "The shuffle does not depend on the epoch"),
    "seed_from_epoch_alone": ("SC303", "The sampler ignores seed: every seed gives the same order"),
    "seed_ignored": ("SC303", "The sampler ignores seed: every seed gives the same order"),
    "seed_of_one_byte": ("SC1002", "The seed of an epoch has few values"),
    "seed_zero_counts_as_none": ("SC102", RANDOM_STATE),
    "seed_zero_stands_still": ("SC301", "With seed 0 the epoch has no effect"),
    "set_epoch_adds_up": ("SC304", HISTORY),
    "set_epoch_counts_calls": ("SC304", HISTORY),
    "set_epoch_forgotten": ("SC301", "The wrapper does not pass set_epoch on to the"),
    "shards_shuffled_by_each_rank": ("SC102", RANDOM_STATE),
    "share_by_a_fraction": ("SC104", OF_ONE),
    "share_of_rank_0_taken_by_all": ("SC706", "Nothing in the state says where it was saved"),
    "share_shuffled_in_place": ("SC305", "The samples are dealt out to the ranks first"),
    "shared_iterator_state": ("SC501", HISTORY),
    "short_batches_counted_as_full": ("SC701", NO_PLACE),
    "short_tail_in_two_batches": ("SC203", BATCH_TAIL),
    "shuffle_argument_dead": ("SC309", "The sampler ignores shuffle: with and without it the"),
    "shuffle_left_on": ("SC302", "DistributedSampler shuffles unless shuffle=False"),
    "shuffle_flag_hardcoded": ("SC302", "The sampler ignores shuffle: with and without it the"),
    "shuffle_left_out_of_the_state": ("SC701", NO_PLACE),
    "shuffled_pile_by_pile": ("SC1002", "Which sample comes, or where, depends on its place"),
    "skip_spent_by_the_first_iterator": ("SC801", "Calling iter() changes the object"),
    "skip_spent_in_one_order": ("SC801", "Calling iter() changes the object"),
    "skips_samples_for_batches": ("SC701", NO_PLACE),
    "slots_of_a_rank_together": ("SC802", "What the workers of all ranks cannot share"),
    "split_evenly": ("SC307", "Only the tail, which world_size does not divide, differs"),
    "state_draws_the_next_order": ("SC707", "state_dict() changes what the object does next."),
    "state_ahead_by_prefetch": ("SC804", DRAWN),
    "state_of_another_dataset_taken": ("SC706", "Nothing in the state says where it was saved"),
    "state_of_numpy_numbers": ("SC704", "The state holds numbers or arrays of numpy"),
    "static_partition": ("SC305", "The samples are dealt out to the ranks first"),
    "subset_dealt_unevenly": ("SC104", OF_ONE),
    "subset_padded_too_far": ("SC103", OF_ONE),
    "swaps_with_any_place": ("SC1002", "Which sample comes, or where, depends on its place"),
    "tail_batch_before_the_full_ones": ("SC601", BATCH_TAIL),
    "tail_replaced_by_the_longest": ("SC102", THE_TAIL),
    "takes_a_global_draw": ("SC403", "It draws from, or reseeds, the global random generator of"),
    "tensor_shuffled_by_random": ("SC102", "random.shuffle overwrites elements of a tensor"),
    "unused_class_counted": ("SC1001", "A label that no sample has, below the highest"),
    "weighted_ranks_forget_the_epoch": ("SC301", "The shuffle does not depend on the epoch"),
    "weights_of_other_datasets": ("SC1001", "Where all datasets have one weight the draws are"),
    "weights_of_its_own_share": ("SC1001", "Where all weights are alike the draws are right"),
    "window_begins_again": ("SC701", "Resuming between two epochs is right"),
    "workers_draw_alike": ("SC802", "All workers of a rank yield the same part of what it has"),
    "workers_draw_the_same_shards": ("SC802", "All workers of a rank yield the same"),
    "workers_duplicate_iterable": ("SC802", "Every worker yields all that its rank has"),
    "workers_shuffle_apart": ("SC802", "Each worker shuffles by a seed of its own"),
    "wrapper_swallows_set_epoch": ("SC301", "The wrapper does not pass set_epoch on to the"),
    "wrapper_without_set_epoch": ("SC505", "The wrapper does not pass set_epoch on to the"),
    "yields_floats": ("SC101", "The indices are whole numbers, but not of type int"),
}
"""What was judged right: the law whose block tells it, and how it begins."""

NOT_KNOWN = {
    "batches_dealt_out_unevenly": "the number of batches is that of the wrapped sampler",
    "bins_of_like_space": "what holds a bin is the target's own, and another order loses nothing by luck",
    "chunks_of_draws_alike": "no change of what is made seeds a part of a pass otherwise",
    "cut_to_the_first_total": "no change of what is made counts another epoch's copies",
    "dataset_padded_from_the_first": "no change of what is made fills up a dataset from another place",
    "default_generator_shared": "no change of one object says what another one does to it",
    "drawn_with_replacement": "no change of what is made different draws without replacement",
    "elastic_skip_in_batches": "no state of one world is right in another",
    "empty_batches_fill_budget": "the budget is the target's own",
    "end_begins_the_epoch_again": "no change of what is made keeps an end apart from a beginning",
    "endless_draws_anew": "no change of what is made different draws without replacement",
    "endless_lap_recurs": "no change of what is made different counts laps",
    "frames_behind_the_last_clip": "where a clip may begin is the target's own",
    "full_buffer_lost_at_the_end": "what is left at an end is the target's own",
    "half_of_each_label": "how many of a label come is the target's own",
    "identities_popped_once": "no change of what is made fills a list again",
    "laps_stand_still_behind_the_first": "no change of what is made different counts laps",
    "epoch_from_samples_seen": "no change of what is made counts samples otherwise",
    "every_worker_ends_short": "no change of what is made gives a stream other batches",
    "filled_up_with_sample_zero": "wrong for all weights",
    "first_bucket_never_checked": "mostly broken for empty datasets",
    "goes_on_one_later": "no change of what is made puts an item back that was handed out",
    "labels_in_a_narrow_type": "labels so far apart are in too few cases to try a change on",
    "last_bucket_thrown_away": "batches of a varying size",
    "limit_of_a_rank_in_each_worker": "how many come is the target's own",
    "loading_seeds_the_process": "no change of what is made puts a generator back behind loading",
    "long_sample_empties_the_batch": "the budget is the target's own",
    "longest_bucket_has_an_end": "samples so long are in too few cases to try a change on",
    "more_workers_than_files": "how many files there are is the target's own",
    "moved_by_the_first_alone": "no change of what is made moves datasets otherwise",
    "number_of_the_worker_subtracted": "no change of what is made numbers workers otherwise",
    "one_short_of_an_epoch": "it stops early in every case",
    "only_the_first_slot_is_drawn": "what is written into the buffer is the target's own",
    "part_cut_from_a_part": "no change of what is made undoes what an iterator sets in a worker",
    "part_of_rank_0_in_the_state": "what all ranks have in common is the target's own",
    "parts_of_other_orders": "no change of what is made seeds a cycle of epochs",
    "passes_counted_in_workers": "no change of what is made counts passes elsewhere",
    "place_given_and_not_used": "no change of what is made makes it use its place",
    "place_of_the_world_looked_up": "what a state says of other ranks is the target's own",
    "rank_len_inverted": "wrong in every world of several ranks, whatever the length",
    "rank_plus_worker": "no change of what is made different numbers workers otherwise",
    "rank_zero_skips_the_reduction": "wrong in every world of several ranks, whatever the length",
    "ranks_fill_unequal_batches": "no change of what is made fills batches otherwise",
    "rare_filled_up_with_replacement": "no change of what is made different draws without replacement",
    "round_left_half_way": "no change of what is made ends a round otherwise",
    "second_break_begins_again": "no change of what is made resets a flag",
    "short_steps_at_different_times": "batches of a varying size",
    "split_into_empty_parts": "no change of what is made leaves parts out",
    "state_eaten_by_its_reader": "no change of what is made copies a state",
    "state_goes_on_changing": "no change of what is made copies a state",
    "support_meets_query": "no change of what is made draws an episode at once",
    "surplus_cut_while_sorted": "with one length all is right, and what fills no bucket would be, too",
    "third_dataset_begins_too_early": "no change of what is made begins a dataset elsewhere",
    "tidied_up_after_loading": "no change of what is made closes a pass sooner",
    "token_budget_infinite_loop": "cases that hang are not run again",
    "walk_in_too_few_bits": "no change of what is made gives a walk another bit",
    "weights_in_percent": "what becomes of weights is the target's own",
    "window_never_reaches_the_end": "where a window begins is the target's own",
    "workers_of_all_ranks_draw_alike": "no change of what is made seeds the draws of workers otherwise",
    "workers_overlap_by_one": "no change of what is made cuts other chunks",
    "workers_split_when_distributed": "no change of what is made splits other branches",
    "written_over_while_walking": "no change of what is made mixes otherwise",
}
"""Bugs of which nothing is told, and why."""


def test_what_counts_consumed_samples_on_in_one_walk_is_not_told_to_count_none() -> None:
    cause = next(one for one in CAUSES if one.change is rebuilt.fresh and "SC102" in one.laws)
    walk, passes = (Contract(resume="consumed", epochs="advance", after_break=at) for at in ("rest", "next"))
    for contract, said in ((walk, "Divide what is counted"), (passes, "Count nothing on the object")):
        assert cause.fix_for("SC102", {"consumed"} | traits_of_contract(contract)).startswith(said)


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(RIGHT))
def test_the_cause_of_a_bug_is_the_one_that_was_judged_right(slug: str) -> None:
    code, sentence = RIGHT[slug]
    failure = explained(slug)[code]
    assert failure.cause.startswith(sentence)
    assert failure.evidence.startswith("with ")
    assert f"cause    {sentence.split()[0]}" in failure.text
    assert "tested: with" in failure.text


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(NOT_KNOWN))
def test_where_no_cause_was_shown_none_is_told(slug: str) -> None:
    failures = explained(slug)
    assert failures
    assert {failure.cause for failure in failures.values()} == {""}
    assert not [failure for failure in failures.values() if "tested:" in failure.text]


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(RIGHT))
def test_no_other_cause_is_told_of_a_bug(slug: str) -> None:
    told = {code: failure.cause for code, failure in explained(slug).items() if failure.cause}
    assert not {code: cause for code, cause in told.items() if not cause.startswith(RIGHT[slug][1])}


def test_every_bug_of_the_zoo_that_simulation_shows_was_judged() -> None:
    """A new one is read together with the cause that is told of it, and entered above."""
    bugs = {module.SLUG for module in zoo() if worlds_of(module) == SIMULATED and module.EXPECT & CODES}
    assert {*RIGHT, *NOT_KNOWN} == bugs


def test_three_bugs_in_four_have_a_cause() -> None:
    assert len(RIGHT) >= 0.75 * (len(RIGHT) + len(NOT_KNOWN))


def test_every_cause_is_a_sentence_and_every_fix_too() -> None:
    for cause in CAUSES:
        assert cause.sentence.endswith(".")
        assert not cause.fix or cause.fix.endswith(".")
        assert cause.laws


@pytest.mark.slow
def test_laws_with_the_same_cause_name_one_another() -> None:
    failures = explained("global_rng_permutation")
    assert set(failures["SC102"].also) >= {"SC103", "SC401", "SC402"}
    assert "SC102" in failures["SC103"].also
    assert "broken for this cause: SC103" in failures["SC102"].text


def test_who_counts_consumed_samples_is_not_asked_to_save_a_state() -> None:
    told = [cause for cause in CAUSES if "consumed" in cause.having]
    assert len(told) == 4
    for cause in told:
        assert "state" not in cause.fix_for("SC701", frozenset({"consumed"}))
        assert "consumed" not in cause.fix_for("SC701", frozenset({"state_dict"}))


INNOCENT = {
    "fixed_length_bias": "SC1001",
    "elastic_skip_in_batches": "SC705",
    "resume_offset_every_epoch": "SC702",
    "second_resume_drift": "SC703",
}
"""Bugs whose last line that yields, draws or returns the state decides nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(INNOCENT))
def test_no_line_is_named_that_decides_nothing(slug: str) -> None:
    assert explained(slug)[INNOCENT[slug]].line == ""


def test_of_a_walk_without_an_end_no_order_is_to_be_repeated_for_ranks_without_samples() -> None:
    (cause,) = (one for one in CAUSES if "SC002" in one.laws and one.change is change.as_many_as_ranks)
    walk, ends = (traits_of_contract(one) for one in (Contract.endless(), Contract()))
    assert cause.fix_for("SC002", walk).startswith("Join all passes to one endless order")
    assert cause.fix_for("SC002", ends).startswith("Repeat the order as often as it takes")


def test_what_ranks_without_samples_may_do_is_what_the_tail_allows() -> None:
    (cause,) = (one for one in CAUSES if "SC001" in one.laws and one.change is change.as_many_as_ranks)
    assert cause.fix_for("SC001", traits_of_contract(Contract(tail="keep"))).startswith("Raise ValueError")
    for traits in ({DROPS}, traits_of_contract(Contract(coverage="subset"))):
        assert cause.fix_for("SC001", traits).startswith("Yield nothing on any rank")
    assert "nothing" not in cause.fix_for("SC001", traits_of_contract(Contract()))


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["local_rank_for_rank", "nodes_for_ranks_of_a_node", "rest_of_no_node"])
def test_what_is_right_on_one_node_is_said_to_go_wrong_on_several(slug: str) -> None:
    told = [one for one in explained(slug).values() if "node" in one.cause]
    assert told
    assert {one.violation.event for one in told} == {"on several nodes"}


FITS = {
    "counts_an_abandoned_pass": ("SC701", "Where a pass begins, set the count to the place"),
    "draws_a_fixed_order_anew": ("SC501", "where orders are to differ, the epoch"),
    "empty_ranks_skip_the_broadcast": ("SC904", "call the same collectives"),
    "end_begins_the_epoch_again": ("SC701", "nothing is left of its epoch"),
    "epoch_never_goes_back": ("SC304", "from the arguments and the epoch"),
    "first_bucket_never_checked": ("SC001", "The values that the raising line gets"),
    "label_padded_from_another": ("SC604", "Fill up its last batches with samples"),
    "last_class_left_out": ("SC1001", "each label must be possible"),
    "set_epoch_forgotten": ("SC301", "Add set_epoch(epoch)"),
    "share_of_rank_0_taken_by_all": ("SC706", "Save rank, world size"),
    "split_evenly": ("SC307", "what splits a batch leaves its last parts smaller"),
}
"""What is advised of a bug, where one text did not fit all the code that it was told to."""


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(FITS))
def test_what_is_advised_fits_the_code(slug: str) -> None:
    code, words = FITS[slug]
    failure = explained(slug)[code]
    assert words in (failure.fix or failure.violation.hint)
