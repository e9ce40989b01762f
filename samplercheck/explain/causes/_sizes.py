"""Causes that lie in a size: in its bits, so that what fails begins behind a power of two, or its meaning.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import rebuilt
from samplercheck.explain.causes._cause import LENGTHS, ORDERS, PARTITION, Cause
from samplercheck.explain.change import at_most

DEALT = ("SC101", *PARTITION, *LENGTHS, "SC302", *ORDERS)
BITS = {
    15: "a signed 16-bit integer",
    16: "an unsigned 16-bit integer",
    31: "a signed 32-bit integer",
    32: "an unsigned 32-bit integer",
}

SIZES = tuple(
    Cause(
        laws=DEALT,
        change=at_most("length", 2**bits),
        besides=(at_most("length", 2**bits + 1),),
        sentence=f"It goes wrong from 2**{bits} + 1 samples on: {BITS[bits]} cannot hold the last index.",
        fix=f"Look for what stores an index as {BITS[bits]}, and store it as torch.int64.",
    )
    for bits in (15, 16)
) + tuple(
    Cause(
        laws=("SC001", *DEALT, "SC401", "SC402"),
        change=at_most("seed", 2**bits - 1),
        besides=(at_most("seed", 2**bits),),
        sentence=f"It goes wrong from seed 2**{bits} on, the first that {BITS[bits]} cannot hold.",
        fix=f"Look for what stores the seed as {BITS[bits]}, and use all bits of the seed.",
    )
    for bits in (31, 32)
)

MEANINGS = (
    Cause(
        laws=("SC104", "SC105", "SC601", "SC602", "SC603"),
        change=rebuilt.batch_for_all,
        sentence="batch_size is taken for that of all ranks together, and each rank gets its part of it.",
        fix="If that is meant, check a function that builds it with batch_size * world_size; else let each "
        "rank make batches of batch_size.",
    ),
)
