"""Causes that lie in how samples are put into batches that have a rule of their own.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change
from samplercheck.explain.causes._cause import Cause

RULES = (
    Cause(
        laws=("SC604",),
        change=change.lengths_longest,
        longer=True,
        meant=lambda contract, _: not getattr(contract.batch_rule, "padded", False),
        sentence="Of a batch with unlike lengths less is counted than it holds once it is padded.",
        fix="Count the longest length times the number of samples, the new sample included, before it is "
        "added: padding makes all of them as long.",
    ),
    Cause(
        laws=("SC604",),
        change=change.lengths_1,
        sentence="It depends on the samples' lengths: with unlike ones a batch holds more than it may.",
        fix="Check the batch together with the new sample before it is added; a sample that never fits is a "
        "batch of its own.",
    ),
    Cause(
        laws=("SC604",),
        change=change.whole_labels,
        sentence="The tail of a label, which does not fill a round of batches, is filled up with "
        "samples that the rule does not allow.",
        fix="Fill up its last batches with samples of the same label.",
    ),
)
