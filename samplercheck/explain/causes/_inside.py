"""The cause that says the least: not what is wrong, but on which side of a sampler inside it lies.

Read by ``cause`` through ``CAUSES``, after all others. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import bare
from samplercheck.explain.causes._cause import LENGTHS, ORDERS, PARTITION, Cause

__all__ = ["INSIDE"]

BATCHES = ("SC601", "SC602", "SC603", "SC604")
PASSES = ("SC401", "SC402", "SC501", "SC502", "SC503")

SENTENCE = "The sampler inside keeps this by itself; what is around it does not."
MEND = "Look at what becomes of the sampler's yields: in __iter__, in collate_fn, in the dataset."

INSIDE = (
    Cause(
        laws=("SC101",),
        change=bare.inner_bare,
        sentence=SENTENCE,
        fix=f"{MEND} Where a batch has several parts, call the one idx that holds the dataset's value.",
    ),
    Cause(
        laws=(*PARTITION, "SC107", *LENGTHS, "SC302", *ORDERS, "SC307", *PASSES, *BATCHES),
        change=bare.inner_bare,
        sentence=SENTENCE,
        fix=MEND,
    ),
)
