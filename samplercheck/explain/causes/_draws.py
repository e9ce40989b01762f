"""Causes that lie in what samples are drawn or grouped by: weights, labels, datasets.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change
from samplercheck.explain.causes._cause import PARTITION, Cause
from samplercheck.explain.remedies import DEALT

OWN_PART = (
    "Look at how a drawn number becomes a sample: of all numbers each sample must own a part as large as its "
    "weight, wherever it stands in the dataset."
)
BY_DRAWS = "by draws"
"""The trait of what draws its samples, and shuffles nothing."""
DRAWN_TOGETHER = (
    "Draw for all ranks together, then give each its share, as in drawn[rank::world_size]; or let the rank "
    "enter the seed."
)
EACH_AS_OFTEN = (
    "Look at how a drawn number becomes a sample, and at what is cut or filled up after that: each sample "
    "must come as often as it is meant to, wherever it stands in the dataset."
)

DRAWS = (
    Cause(
        laws=("SC1001",),
        change=change.weights_alike,
        sentence="Where all weights are alike the draws are right; unlike ones are not followed.",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC1001",),
        change=change.datasets_alike,
        sentence="Where all datasets have one weight the draws are right; unlike ones are not followed.",
        fix="Keep each weight beside its dataset: what sorts, filters or deals out the one does it to both.",
    ),
    Cause(
        laws=("SC1001",),
        change=change.all_labels_used,
        sentence="A label that no sample has, below the highest, counts as one of them.",
        fix="Count the labels that have samples, and not up to the highest number.",
    ),
    Cause(
        laws=PARTITION,
        change=change.all_labels_used,
        sentence="It takes labels to be numbered without a gap: where each number has samples it is right.",
        fix="Go through the labels that samples have, set(labels), and not through range(their number).",
    ),
    Cause(
        laws=PARTITION,
        change=change.labels_in_one_piece,
        besides=(change.all_labels_used,),
        sentence="It depends on how the samples of a label lie: side by side they come as they should.",
        fix="Sort by label before grouping: itertools.groupby begins another group wherever labels change.",
    ),
    Cause(
        laws=("SC1001",),
        change=change.rarest_last,
        besides=(change.labels_in_one_piece, change.all_labels_used),
        sentence="How often samples come depends on the numbers of labels: with the rarest last it is right.",
        fix="What is cut to one label, such as a quota, must be whole again for the labels after it.",
    ),
    Cause(
        laws=("SC1001",),
        change=change.labels_in_one_piece,
        besides=(change.rarest_last,),
        sentence="How often samples come depends on how those of their label lie: side by side it is right.",
        fix="Draw among all that a label has, and not among its stretches first, unless by their sizes.",
    ),
)
