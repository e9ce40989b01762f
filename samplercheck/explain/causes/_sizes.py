"""Causes that lie in a number of bits: what fails begins right behind a power of two.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain.causes._cause import LENGTHS, ORDERS, PARTITION, Cause
from samplercheck.explain.change import at_most

DEALT = ("SC101", *PARTITION, *LENGTHS, "SC302", *ORDERS)
BITS = {15: "16 bits with a sign", 16: "16 bits", 31: "32 bits with a sign", 32: "32 bits"}

SIZES = tuple(
    Cause(
        laws=DEALT,
        change=at_most("length", 2**bits),
        besides=(at_most("length", 2**bits + 1),),
        sentence=f"It goes wrong from 2**{bits} + 1 samples on: {BITS[bits]} do not hold the last index.",
        fix=f"Look for indices in {BITS[bits]}, and keep them in 64 (torch.int64).",
    )
    for bits in (15, 16)
) + tuple(
    Cause(
        laws=("SC001", *DEALT, "SC401", "SC402"),
        change=at_most("seed", 2**bits - 1),
        besides=(at_most("seed", 2**bits),),
        sentence=f"It goes wrong from seed 2**{bits} on, the first that {BITS[bits]} do not hold.",
        fix=f"Look for a seed in {BITS[bits]}, and mix in all of it.",
    )
    for bits in (31, 32)
)
