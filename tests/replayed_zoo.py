"""Bugs of the zoo as stored cases, for tests of replaying and of scripts: each is run in its smallest case.

Used by tests. The target that is recorded is the bug; tests put the sound twin in its place.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.zoo.cases import worlds_of, zoo

if TYPE_CHECKING:
    from types import ModuleType

    from samplercheck.case import Case
    from samplercheck.store import Store

__all__ = ["IN_SIMULATION", "keep", "place", "zoo_file"]

# One or two of each family, among them luck, other arguments, generators, batches, wrappers and replicas.
IN_SIMULATION = {
    "more_ranks_than_samples_refused": "SC001",
    "negative_rank_takes_all": "SC003",
    "one_based_indices": "SC101",
    "ceil_chunk_clamp": "SC104",
    "one_round_too_many": "SC105",
    "drop_before_shuffle": "SC106",
    "copies_on_one_rank": "SC107",
    "len_counts_samples": "SC201",
    "len_costs_an_epoch": "SC202",
    "len_rounded_down": "SC203",
    "set_epoch_forgotten": "SC301",
    "contiguous_dealt_strided": "SC302",
    "seed_ignored": "SC303",
    "epoch_never_goes_back": "SC304",
    "share_shuffled_in_place": "SC305",
    "batches_cut_before_shuffle": "SC306",
    "padded_from_the_end": "SC307",
    "batch_size_dead": "SC309",
    "rank_dependent_seed": "SC401",
    "numbered_instances": "SC402",
    "takes_a_global_draw": "SC403",
    "replicas_shuffle_apart": "SC404",
    "not_reiterable": "SC501",
    "position_on_the_object": "SC502",
    "rest_of_an_abandoned_pass": "SC503",
    "holds_a_lambda": "SC504",
    "marks_what_it_wraps": "SC505",
}
"""Files of the zoo and the law that each is stored for."""


@cache
def zoo_file(slug: str) -> ModuleType:
    """Return a file of the zoo."""
    return next(module for module in zoo() if slug == module.SLUG)


def place(slug: str, part: str = "bug") -> str:
    """Return the text that names one part of a file of the zoo."""
    return f"tests.zoo.{slug}:{part}"


def keep(slug: str, law: str, store: Store) -> Case:
    """Run a bug by one law, store what fails and return the case."""
    module = zoo_file(slug)
    target = sc.target(place(slug), contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    plan = Plan(target=target, profile="quick", worlds=worlds_of(module), select=(law,), store=store)
    (result,) = carry_out(plan).results
    assert result.failure is not None, f"{slug} does not break {law}: {result.outcome} {result.reason}"
    return result.failure.case
