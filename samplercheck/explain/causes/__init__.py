"""Causes: what it means when a law that was broken holds with one thing changed.

Read by ``cause``, in this order: for each law the changes that say most come first. A sentence says
no more than its change has shown, given that the law is broken without it.
"""

from __future__ import annotations

from samplercheck.explain.causes._arguments import ARGUMENTS, MEANINGS, RANDOM_STATE, SIZES
from samplercheck.explain.causes._cause import BY_LUCK, BY_ORDER, COMES_FROM, KEPT, LENGTHS, PARTITION, Cause
from samplercheck.explain.causes._dealing import (
    ABOVE_A_BORDER,
    BY_SHARE,
    DROPS,
    ENDLESS,
    IN_BATCHES,
    KEEPS,
    LEAVES_OUT,
    OF_A_PART,
    OWN_BATCHES,
    SHARES,
    TAIL,
)
from samplercheck.explain.causes._draws import BY_DRAWS, DRAWS
from samplercheck.explain.causes._epochs import EPOCHS, LATE, SEEDED
from samplercheck.explain.causes._habits import COUNTS_ON, HABITS, INDICES, INSIDE, LENGTH
from samplercheck.explain.causes._loading import LOADING
from samplercheck.explain.causes._resuming import ADVANCES, IN_CHUNKS, OF_TAILS, RESUMING
from samplercheck.explain.causes._rules import RULES
from samplercheck.values.contract import Contract

__all__ = [
    "ABOVE_A_BORDER",
    "BY_LUCK",
    "BY_ORDER",
    "CAUSES",
    "COMES_FROM",
    "DROPS",
    "KEPT",
    "LEAVES_OUT",
    "LENGTHS",
    "OF_TAILS",
    "PARTITION",
    "SEEDED",
    "SHARES",
    "SIZES",
    "Cause",
    "traits_of_contract",
]

CAUSES: tuple[Cause, ...] = (
    *ARGUMENTS,
    *SIZES,
    *RANDOM_STATE,
    *DRAWS,
    *EPOCHS,
    *LENGTH,
    *HABITS,
    *MEANINGS,
    *INDICES,
    *TAIL,
    *RULES,
    *RESUMING,
    *LOADING,
    *INSIDE,
    *LATE,
    *SHARES,
)


def traits_of_contract(contract: Contract) -> set[str]:
    """Return what a contract says of a target that a fix depends on."""
    traits = {
        IN_BATCHES: contract.tail_unit == "batch",
        KEEPS: contract.tail == "keep",
        IN_CHUNKS: contract.shuffles == "chunks",
        BY_SHARE: contract.shuffles == "share",
        OF_A_PART: contract.coverage == "subset" and contract.tail == "auto",
        ENDLESS: contract.endless,
        ADVANCES: contract.epochs == "advance",
        OWN_BATCHES: contract.batches == "variable",
        COUNTS_ON: contract.resume == "consumed" and contract.is_one_walk,
        BY_DRAWS: contract.coverage == "sampled",
    }
    return {trait for trait, has_it in traits.items() if has_it}
