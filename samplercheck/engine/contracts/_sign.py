"""Sign: what a target was seen to do, in words, and the fields of a contract that would declare it.

Made by ``_signs`` of what passes look like, chosen by ``_proposing``. Values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from samplercheck.explain.causes import KEPT
from samplercheck.laws import complete


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """Fields that declare what was seen, and what that is in words.

    Where it ``allows`` samples to be lost or repeated, or unequal steps, a bug may have done so. It is none
    where a law ``unless`` fails under it. What ``hides`` excuses what is wrong for another reason, too.
    """

    fields: dict[str, Any]
    words: str
    allows: bool = False
    unless: tuple[str, ...] = ()
    hides: bool = False


ENDLESS = Sign(fields={"endless": True, "epochs": "fixed"}, words="go on without an end")
IN_TURN = Sign(
    fields={**ENDLESS.fields, "layout": "strided"}, words="go on without an end, ranks taking samples in turn"
)
GOES_ON = Sign(fields={"after_break": "rest"}, words="go on where the last iterator stopped")
DRAWS = Sign(fields={"coverage": "sampled"}, words="draw with replacement", allows=True)
RATES = Sign(
    fields={**DRAWS.fields, "frequencies": "eventually"},
    words="draw with replacement, datasets at rates of their own",
    allows=True,
)
ONCE = Sign(fields={"coverage": "once"}, words="yield each sample once, whatever its weight")
DRAWS_ON = Sign(fields={**ENDLESS.fields, **DRAWS.fields}, words="draw with replacement, without an end")
BY_CHANCE = Sign(
    fields={**DRAWS.fields, "batches": "variable", "empty_batches": True},
    words="take each sample by a chance of its own, so that batches may be empty",
    allows=True,
)
OF_A_PART = {"coverage": "subset"}
SUBSET = Sign(fields=OF_A_PART, words="yield one part of the dataset in every epoch", allows=True)
OTHERS = "yield another part of the dataset in each epoch (a hold-out split does not)"
PARTS = Sign(fields={**OF_A_PART, "frequencies": "eventually"}, words=OTHERS, allows=True)
CYCLES = "go through the dataset in {number} epochs, a part of it in each"
WALKS = Sign(
    fields={"coverage": "sampled", "frequencies": "eventually"},
    words="walk on through the dataset, some of it in each epoch",
    allows=True,
)
GROWS = Sign(
    fields={**OF_A_PART, "frequencies": "eventually"},
    words="yield more of the dataset with each epoch",
    allows=True,
)
RETURNS = Sign(
    fields={"coverage": "sampled", "frequencies": "at_least_once"},
    words="yield every sample, and many of them again",
    allows=True,
    unless=(complete.LAW.code,),  # which come in place of others then
)
BALANCES = Sign(
    fields={"coverage": "sampled", "frequencies": "unjudged"},
    words="repeat samples of rare labels",
    allows=True,
)
PICKS = Sign(
    fields={"coverage": "sampled", "frequencies": "unjudged"},
    words="pick some samples of some labels in each epoch",
    allows=True,
)
REPEATS = "yield each sample {repeats} times in an epoch"
REPEATS_A_PART = (
    "yield a part of the dataset with each sample {repeats} times (another part each epoch with shuffle)"
)
ALONE = Sign(
    fields={"sharding": "none"}, words="yield a whole epoch on each rank (wrap it to share one)", allows=True
)
APART = Sign(
    fields={"ambient_rng": "shared"}, words="draw on global generators (seed them alike on all ranks)"
)
REPLICAS = Sign(
    fields={"replicas": 2}, words="yield the same on two neighbouring ranks, as tensor parallel ones need it"
)
KEEPS = Sign(fields={"tail": "keep"}, words="evaluate (with uneven ends)", allows=True)
KEEPS_BATCHES = Sign(
    fields={"tail": "keep", "tail_unit": "batch"},
    words="evaluate (with uneven ends of whole batches)",
    allows=True,
)
KEEPS_SHARES = Sign(
    fields={"tail": "keep", "even_steps": False},
    words="keep shares of unlike sizes (no step waits for all ranks)",
    allows=True,
)
FILLS_BATCHES = Sign(fields={"tail_unit": "batch"}, words="fill up whole batches on all ranks", allows=True)
FILLS_LAST = Sign(fields={"tail": "pad", "tail_unit": "batch"}, words="fill up the last batch", allows=True)
FILLS_GROUPS = Sign(
    fields={"tail": "pad", "tail_unit": "group"}, words="fill up whole rounds of each group", allows=True
)
DROPS_GROUPS = replace(
    FILLS_GROUPS, fields={"tail": "drop", "tail_unit": "group"}, words="drop what fills no round of its group"
)
DROPS = Sign(fields={"tail": "drop"}, words="drop the uneven tail", allows=True)
DROPS_BATCHES = replace(
    DROPS,
    fields={**DROPS.fields, "tail_unit": "batch"},
    words="drop what does not fill whole batches on all ranks",
)
DROPS_STEPS = replace(
    DROPS_BATCHES,
    fields={**OF_A_PART, **DROPS_BATCHES.fields},
    words="drop what fills no multiple of several steps, as accumulated gradients need",
)
DROPS_ROUNDS = replace(DROPS_STEPS, fields={**OF_A_PART, **DROPS.fields})
FILLS_SHARES = replace(RETURNS, words="go through short shares of groups again until all are as long")
FILLS_STEPS = replace(RETURNS, words="fill up a multiple of several steps, as accumulated gradients need")
VARIES = Sign(fields={"batches": "variable"}, words="make batches of several sizes")
MOVES_ON = Sign(fields={"epochs": "either"}, words="go on to the next epoch with each pass", unless=KEPT)
ADVANCES = Sign(fields={"epochs": "advance"}, words="begin a new epoch with each pass")
RESTS = Sign(
    fields={**ADVANCES.fields, "after_break": "rest"},
    words="begin a new epoch with each pass, but for what a break has left",
)
SHUFFLES = Sign(fields={"order": "shuffled"}, words="shuffle without being asked")
CHUNKS = Sign(fields={"shuffles": "chunks"}, words="shuffle in chunks or in a buffer")
WINDOWS = replace(CHUNKS, words="shuffle windows of neighbours, each a batch")
SHUFFLED_SHARES = Sign(fields={"shuffles": "share"}, words="shuffle each rank's share by itself")
MAY_SHUFFLE = frozenset({"endless", "coverage"})
"""Fields of what else could have any order; it is declared together with a shuffled one."""
FREE = Sign(fields={"order": "free"}, words="order samples in a way of its own")
MERGES = replace(FREE, words="take from several datasets in one fixed order")
SORTS = {
    "lengths": replace(FREE, words="sort samples by their lengths"),
    "labels": replace(FREE, words="go through one label after the other"),
}
