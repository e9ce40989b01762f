"""The regions of the zoo's bugs: exact, as they were read once, and true of 1,000 larger cases each.

The condition is evaluated here from its text, as a reader would, and compared with what the law says.
"""

from __future__ import annotations

from math import ceil

import pytest

import samplercheck as sc
from samplercheck.engine._inquiry import CaseJudge
from samplercheck.explain.larger import larger_cases
from samplercheck.laws import ALL_LAWS
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.targets.features import feature
from samplercheck.values.finding import Outcome
from samplercheck.worlds import open_world
from tests.explain.zoo_runs import explained
from tests.zoo.cases import zoo

LARGER = 1000
SHUFFLED = "length >= 2 and shuffle"

EXACT = {
    "ceil_chunk_clamp": ("SC104", "not drop_last and length % world_size != 0"),
    "contiguous_dealt_strided": ("SC302", "not shuffle and world_size >= 2 and length > world_size"),
    "copies_on_one_rank": ("SC107", "world_size >= 2 and 2 * length > world_size"),
    "empty_ranks_skip_the_broadcast": ("SC904", "length >= 1 and length < world_size"),
    "full_round_when_it_divides": ("SC105", "length >= 1 and length % world_size == 0"),
    "lap_never_closes": ("SC002", "length == 1"),
    "last_global_batch_short": (
        "SC105",
        "not drop_last and ceil(length / world_size) % batch_size != 0",
    ),
    "len_counts_samples": ("SC201", "batch_size >= 2 and length > world_size"),
    "len_rounded_down": ("SC203", "length % world_size != 0"),
    "more_ranks_than_samples_refused": ("SC001", "length >= 1 and length < world_size"),
    "oversized_sample_vanishes": ("SC102", "max(lengths) > budget"),
    "padded_from_the_end": ("SC307", "length % world_size != 0 and 2 * length > world_size"),
    "rank_len_inverted": ("SC201", "world_size >= 2"),
    "rank_zero_skips_the_reduction": ("SC904", "world_size >= 2"),
    "reseeds_global_rng": ("SC403", "shuffle"),
    "seed_zero_stands_still": ("SC301", "length >= 2 and seed == 0 and shuffle"),
    "set_epoch_forgotten": ("SC301", SHUFFLED),
    "shuffle_argument_dead": ("SC309", SHUFFLED),
    "short_tail_in_two_batches": ("SC203", "ceil(length / world_size) % batch_size > 1"),
    "wrapper_swallows_set_epoch": ("SC301", SHUFFLED),
}

FEW_KNOBS = ("empty_ranks_skip_the_broadcast", "lap_never_closes", "rank_zero_skips_the_reduction")
"""Of targets with nothing but a length and a world there are fewer cases."""


def is_inside(text: str, case: sc.Case) -> bool:
    """What a reader finds who puts the case's values into the condition."""
    names: dict[str, object] = {
        name: getattr(case, name) for name in ("length", "world_size", "batch_size", "seed", "shuffle")
    }
    lengths = feature(case, "lengths") or [0]
    names |= {"drop_last": case.drop_last, "lengths": lengths, **dict(case.options)}
    return bool(eval(text, {"ceil": ceil}, names))


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(EXACT))
def test_the_region_of_a_bug_is_the_one_that_was_read_once(slug: str) -> None:
    code, text = EXACT[slug]
    failure = explained(slug)[code]
    assert failure.region == f"exactly when {text}"
    assert f"  fails exactly when          {text.split()[0]}" in failure.text


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(EXACT))
def test_the_region_of_a_bug_is_true_of_a_thousand_larger_cases(slug: str) -> None:
    code, text = EXACT[slug]
    module = next(module for module in zoo() if slug == module.SLUG)
    law = next(law for law in ALL_LAWS if law.code == code)
    target = sc.target(module.bug, contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    binding = target.bind()
    scope = scope_of(binding, find_profile("quick"), combinations(target.axes, 0))
    cases = larger_cases(list(scope.cases()), number=2 * LARGER)[:LARGER]
    with open_world("simulated") as world:
        kind = "batches" if "batch_size" in binding.named else "samples"
        case_judge = CaseJudge(world, kind, strict=True)  # of an empty dataset a condition speaks too
        wrong = [
            case.token
            for case in cases
            if (case_judge.outcome(law, binding, case) is Outcome.BROKEN) != is_inside(text, case)
        ]
    assert len(cases) == LARGER or (slug in FEW_KNOBS and len(cases) >= LARGER // 2)
    assert wrong == []


@pytest.mark.thorough
def test_a_law_that_is_broken_in_every_case_says_so() -> None:
    assert explained("holds_a_lambda")["SC504"].region == "in every case; undecided where length == 0"


@pytest.mark.thorough
def test_what_fails_only_beyond_a_size_is_claimed_as_sufficient() -> None:
    assert explained("chained_shuffle")["SC304"].region.startswith("at least when shuffle and length >")
