"""Remedies: what a wrapper around a target can do about a cause, and which wrappers are made of them.

Causes name the remedies that may help; ``storage.wrappers`` writes them down and ``running.fixing`` tries
them. Nothing is offered that no run has tested. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum


class Remedy(Enum):
    """One thing that a wrapper does; reports name it by its value."""

    FORWARD = "forward set_epoch"
    FRESH = "fresh passes"
    EPOCH = "epoch in the seed"
    SEEDED = "seeded generators"
    ORDERED = "own shuffle"
    DEALT = "one order dealt out"
    CUT = "batches of shares"
    RESUMED = "own state"
    SHIELDED = "shielded inner"
    GUARDED = "place in the state"
    COUNTED = "delivered batches counted"


FORWARD, FRESH, EPOCH, SEEDED, ORDERED, DEALT, CUT, RESUMED, SHIELDED, GUARDED, COUNTED = Remedy

RECIPES: tuple[frozenset[Remedy], ...] = tuple(
    map(
        frozenset,
        (
            (FORWARD,),
            (SHIELDED,),
            (GUARDED,),
            (COUNTED,),
            (FRESH,),
            (EPOCH,),
            (DEALT,),
            (SEEDED,),
            (RESUMED,),
            (SEEDED, FRESH),
            (DEALT, FRESH),
            (DEALT, EPOCH),
            (DEALT, SEEDED),
            (DEALT, SEEDED, FRESH),
            (DEALT, CUT),
            (DEALT, CUT, FRESH),
            (DEALT, CUT, EPOCH),
            (RESUMED, EPOCH),
            (RESUMED, SEEDED),
            (RESUMED, DEALT),
            (RESUMED, DEALT, EPOCH),
            (RESUMED, DEALT, SEEDED),
            (RESUMED, DEALT, CUT),
            (ORDERED,),
            (ORDERED, DEALT),
            (ORDERED, DEALT, CUT),
            (RESUMED, ORDERED, DEALT),
            (RESUMED, ORDERED, DEALT, CUT),
        ),
    )
)
"""The wrappers that are tried, those that change least first."""


def recipes_for(named: Collection[str], *, may_shuffle: bool = False) -> list[frozenset[Remedy]]:
    """Return the wrappers that have one of the remedies which causes name.

    Where no cause is known, or none that names a remedy, all are tried but, unless it ``may_shuffle``, those
    that shuffle by themselves: what a target shuffles otherwise may be meant.
    """
    wanted = {one for one in Remedy if one.value in named}
    return [one for one in RECIPES if (one & wanted if wanted else may_shuffle or ORDERED not in one)]
