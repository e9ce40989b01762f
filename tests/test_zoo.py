"""Every planted bug of the zoo is found, nothing else is, and every sound twin passes.

Run by pytest under the brief profile, and nightly under quick. The claims about a file stand in the file:
EXPECT, ALSO and SMALLEST, and WORLDS where only real process groups show the bug.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.support.brief import BRIEFLY, look_briefly
from tests.support.complaints import complaints
from tests.support.tiers import thin_out
from tests.zoo.cases import FIELDS, SIMULATED, is_strict, worlds_of, zoo

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from _pytest.mark import ParameterSet

    from samplercheck.values.case import Case
    from samplercheck.values.report import Report

CODES = {law.code for law in ALL_LAWS}


def params(modules: Iterable[ModuleType]) -> list[ParameterSet]:
    """Return the files as parameters; what is judged in real process groups is marked."""
    marks: dict[tuple[str, ...], tuple[pytest.MarkDecorator, ...]] = {
        SIMULATED: (),
        ("gloo",): (pytest.mark.gloo,),
    }
    return [
        pytest.param(
            module,
            id=module.SLUG,
            marks=marks[worlds_of(module)],
        )
        for module in modules
    ]


FILES = params(zoo())
# Bugs of loaders and of many cases, which take more than a second each.
COSTLY = {
    "account_kept_in_the_class",
    "batch_size_dead",
    "batch_size_zero_accepted",
    "batches_cut_before_shuffle",
    "batches_kept_from_another_epoch",
    "batches_of_all_ranks_skipped",
    "buckets_filled_once",
    "buckets_left_after_a_break",
    "cache_forgets_the_rank",
    "classes_in_the_order_of_a_set",
    "consumers_get_unequal_shards",
    "copies_on_one_rank",
    "counts_after_the_yield",
    "counts_what_the_sampler_drew",
    "cut_to_the_first_total",
    "drawn_by_weight_without_replacement",
    "draws_of_the_neighbour",
    "draws_of_the_neighbour_in_time",
    "drop_before_shuffle",
    "each_rank_cuts_its_own_batches",
    "ended_iterator_begins_again",
    "endless_draws_anew",
    "endless_lap_recurs",
    "endless_ranks_read_alike",
    "end_begins_the_epoch_again",
    "ends_on_an_empty_epoch",
    "epoch_lost_in_pickle",
    "epoch_stays_in_the_main_process",
    "epoch_taken_and_left",
    "epochs_that_are_over_skipped_again",
    "every_rank_draws_the_same",
    "every_worker_ends_short",
    "every_worker_reads_every_file",
    "exhausted_state_skips_epoch",
    "files_in_the_order_listed",
    "filled_up_with_sample_zero",
    "frames_behind_the_last_clip",
    "full_round_when_it_divides",
    "generator_forked_around_the_yields",
    "generator_left_out_of_the_state",
    "generator_shared_with_the_loader",
    "global_rng_permutation",
    "goes_on_one_later",
    "grows_the_batches_it_wraps",
    "hardest_never_comes",
    "holds_a_lambda",
    "laps_stand_still_behind_the_first",
    "last_class_left_out",
    "last_global_batch_short",
    "len_rounded_down",
    "loader_spends_the_skip",
    "loader_without_a_sampler",
    "loading_seeds_the_process",
    "long_sample_empties_the_batch",
    "more_ranks_than_samples_refused",
    "more_workers_than_files",
    "moves_on_by_itself",
    "negative_rank_takes_all",
    "not_reiterable",
    "number_of_the_worker_subtracted",
    "odd_one_of_the_batch_dropped",
    "only_the_epoch_is_saved",
    "only_the_first_slot_is_drawn",
    "order_left_in_the_process",
    "own_count_taken_by_fewer_ranks",
    "own_loader_doubles_its_stream",
    "part_cut_from_a_part",
    "part_of_rank_0_in_the_state",
    "passes_counted_in_workers",
    "passes_counted_when_opened",
    "persistent_worker_epoch_frozen",
    "place_counted_in_batches",
    "place_lost_when_saved_after_loading",
    "place_of_the_world_looked_up",
    "place_restored_from_the_state",
    "position_kept_in_the_class",
    "quota_stays_reduced",
    "rank_dependent_seed",
    "rank_plus_worker",
    "ranks_balanced_once",
    "remainder_of_no_worker",
    "rest_carried_into_any_epoch",
    "rest_of_a_shuffle_in_a_set",
    "resume_resets_epoch",
    "resumed_epoch_comes_twice",
    "rotates_without_shuffle",
    "rounds_by_a_reciprocal",
    "same_batches_reordered",
    "second_part_stands_still",
    "seed_from_epoch_alone",
    "seed_hashed_from_text",
    "set_epoch_adds_up",
    "share_by_a_fraction",
    "shared_iterator_state",
    "short_steps_at_different_times",
    "short_tail_in_two_batches",
    "shuffle_flag_hardcoded",
    "shuffle_left_out_of_the_state",
    "shuffled_pile_by_pile",
    "skip_spent_by_the_first_iterator",
    "skips_samples_for_batches",
    "slots_of_a_rank_together",
    "state_ahead_by_prefetch",
    "state_eaten_by_its_reader",
    "state_goes_on_changing",
    "state_of_another_dataset_taken",
    "state_of_numpy_numbers",
    "static_partition",
    "surplus_cut_while_sorted",
    "token_budget_infinite_loop",
    "weights_of_its_own_share",
    "window_begins_again",
    "workers_draw_alike",
    "workers_draw_the_same_shards",
    "workers_of_all_ranks_draw_alike",
    "workers_overlap_by_one",
    "workers_shuffle_apart",
    "workers_split_when_distributed",
}
PLANTED = thin_out(params(module for module in zoo() if module.EXPECT & CODES), COSTLY)
IN_GROUPS = [module for module in zoo() if worlds_of(module) != SIMULATED]
HANGS = {"SC002"}

# Bugs that the brief profile is too small for: quick looks for them in every run of the tests.
BEYOND_BRIEF = {
    "local_rank_for_rank",
    "odd_one_of_the_batch_dropped",
    "rounds_by_a_reciprocal",
    "share_by_a_fraction",
    "short_tail_in_two_batches",
    "tail_replaced_by_the_longest",
}

# Laws that no bug of the zoo breaks alone, and why.
NEVER_ALONE = {
    "SC203": "a length unlike torch's is another total (SC105), a lie (SC201) or of other batches (SC601)",
    "SC308": "it advises and never breaks a run",
    "SC309": "an ignored batch_size breaks SC601, drop_last SC105, shuffle SC301 or SC302",
    "SC401": "different orders lose and double samples (SC102, SC103), or a rank built again differs (SC402)",
}


def report_of(
    module: ModuleType,
    part: str,
    worlds: tuple[str, ...] = (),
    *,
    strict: bool | None = None,
    briefly: bool = False,
) -> Report:
    """Run one part of a zoo file, ``bug`` or ``sound``."""
    contract = sc.Contract(**module.CONTRACT)
    target = sc.target(getattr(module, part), name=module.SLUG, contract=contract, axes=module.AXES)
    # A planted hang need not be waited for as long as an unknown one.
    settings = {"deadlines": Deadlines(seconds=0.25)} if module.EXPECT & HANGS and part == "bug" else None
    plan = Plan(
        target=target,
        profile="quick",
        worlds=worlds or worlds_of(module),
        strict=is_strict(module) if strict is None else strict,
        explains=False,  # tests/explain does
        world_settings=settings or {},
    )
    with look_briefly(briefly=briefly and module.SLUG not in BEYOND_BRIEF):
        return carry_out(plan)


def size(case: Case) -> tuple[int, int, int]:
    """What is compared of a smallest case; the rest of it depends on how the search counts."""
    return case.length, case.world_size, case.batch_size


def catches_alone(code: str) -> list[str]:
    """Name the files whose bug this law, and no other of this version, catches."""
    return [module.SLUG for module in zoo() if {code} == module.EXPECT and not module.ALSO & CODES]


@pytest.mark.parametrize("module", zoo(), ids=lambda module: module.SLUG)
def test_a_zoo_file_says_all_that_its_format_asks_for(module: ModuleType) -> None:
    assert [name for name in FIELDS if not hasattr(module, name)] == []
    assert module.__name__.rpartition(".")[2] == module.SLUG


@pytest.mark.parametrize("module", PLANTED)
@pytest.mark.parametrize("briefly", BRIEFLY)
def test_a_planted_bug_is_found_by_its_laws_alone_and_in_its_smallest_case(
    module: ModuleType, *, briefly: bool
) -> None:
    """One test for three claims: workers share no runs, and these are most of the suite."""
    failures = {result.code: result.failure for result in report_of(module, "bug", briefly=briefly).failures}
    assert failures.keys() & module.EXPECT
    said = {code: failure.message for code, failure in failures.items() if failure}
    assert said == {code: text for code, text in said.items() if code in module.EXPECT | module.ALSO}
    found = [failure.case for code, failure in failures.items() if failure and code in module.EXPECT]
    known = {"world_size": 1, "batch_size": 1, **module.SMALLEST}
    assert min(map(size, found)) <= (known["length"], known["world_size"], known["batch_size"])


@pytest.mark.parametrize("module", thin_out(params(filter(is_strict, zoo())), COSTLY))
def test_a_bug_of_the_grade_strict_is_advice_with_its_case_and_breaks_no_run(module: ModuleType) -> None:
    report = report_of(module, "bug", strict=False, briefly=True)
    assert complaints(report) == {}
    assert report.ok
    advised = {one.code: one.advised for one in report.results if one.advised}
    assert advised.keys() >= module.EXPECT
    assert all(one.grade == "strict" for one in advised.values())


@pytest.mark.slow  # tests/test_sound.py has as many that are not
@pytest.mark.parametrize("module", FILES)
def test_the_sound_twin_of_a_bug_keeps_every_law(module: ModuleType) -> None:
    report = report_of(module, "sound")
    assert complaints(report) == {}
    assert report.ok


@pytest.mark.thorough
@pytest.mark.parametrize("module", IN_GROUPS, ids=lambda module: module.SLUG)
def test_a_bug_that_is_judged_in_groups_is_not_seen_in_simulation(module: ModuleType) -> None:
    report = report_of(module, "bug", SIMULATED)
    assert complaints(report) == {}
    assert report.ok


@pytest.mark.parametrize("code", sorted(CODES - NEVER_ALONE.keys()))
def test_every_law_has_a_bug_that_it_alone_catches(code: str) -> None:
    """Alone among the laws of this version: later families may see the same bug from another side."""
    assert catches_alone(code)


@pytest.mark.parametrize("code", sorted(NEVER_ALONE))
def test_a_law_that_is_never_broken_alone_is_a_law_without_such_a_file(code: str) -> None:
    assert code in CODES
    assert catches_alone(code) == []
