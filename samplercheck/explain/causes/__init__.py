"""Causes: what it means when a law that was broken holds with one thing changed.

Read by ``cause``, in this order: for each law the changes that say most come first. A sentence says
no more than its change has shown, given that the law is broken without it.
"""

from __future__ import annotations

from samplercheck.explain.causes._arguments import ARGUMENTS, MEANINGS, RANDOM_STATE, SIZES
from samplercheck.explain.causes._cause import BY_LUCK, BY_ORDER, COMES_FROM, KEPT, PARTITION, Cause
from samplercheck.explain.causes._dealing import DROPS, IN_BATCHES, INDICES, KEEPS, OF_A_PART, TAIL
from samplercheck.explain.causes._draws import DRAWS
from samplercheck.explain.causes._epochs import EPOCHS, LATE, SEEDED
from samplercheck.explain.causes._habits import HABITS, INSIDE, LENGTH
from samplercheck.explain.causes._loading import LOADING
from samplercheck.explain.causes._resuming import IN_CHUNKS, RESUMING

__all__ = [
    "BY_LUCK",
    "BY_ORDER",
    "CAUSES",
    "COMES_FROM",
    "DROPS",
    "IN_BATCHES",
    "IN_CHUNKS",
    "KEEPS",
    "KEPT",
    "OF_A_PART",
    "PARTITION",
    "SEEDED",
    "Cause",
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
    *RESUMING,
    *LOADING,
    *INSIDE,
    *LATE,
)
