"""Causes that lie in the indices and in how an order is dealt out, its tail above all.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change, rebuilt, redealt
from samplercheck.explain.causes._cause import CHAINED, PARTITION, Cause
from samplercheck.explain.remedies import CUT, DEALT, FRESH, ORDERED

THE_TAIL = "The tail that world_size does not divide"
NO_FURTHER = (
    "Pad to the next multiple of world_size and no further; for whole batches on all ranks, to one of "
    'world_size * batch_size, and declare tail_unit="batch".'
)
LAST_ROUND = "The last, incomplete round of batches (fewer than world_size * batch_size samples)"
ABOVE_A_BORDER = "above a border"
IN_BATCHES, KEEPS, OF_A_PART = "in batches", "keeps", "of a part"
"""Traits by contract: whole global batches are padded or dropped, nothing is padded, a part has no tail."""
BY_SHARE = "a share of its own"
"""The trait of a target whose ranks shuffle a part each, which stays the rank's own."""
OWN_BATCHES = "batches of its own"
"""The trait of a target whose batches hold as many samples as it likes."""
LEAVES_OUT = "leaves out"
"""The trait of a target that leaves out samples, by its contract or against it."""
ENDLESS = "endless"
"""The trait of a walk without an end, of which each rank gets samples if its laps are joined."""
DROPS = "drops"
"""The trait of a target that fails only where the tail is to be dropped."""
UNPADDED = "Deal out every sample and pad none, as order[rank::world_size] does: ranks differ by one at most."
CUT_OR_DECLARE = (
    "Cut the order to a multiple of world_size before dealing it out. Or pad it to one by samples that came "
    'before, and declare tail="pad".'
)
TOO_FEW = "The code does not handle so few samples for so many ranks."
EMPTY_SHARES = "Raise ValueError. Where no rank waits for another, an empty share is right as well."
NOTHING_ANYWHERE = dict.fromkeys((DROPS, OF_A_PART), "Yield nothing on any rank, or raise ValueError.")
"""Where fewer samples than ranks may be left out."""
CUT_EVENLY = "Cut the order to a multiple of world_size before dealing it out: all ranks then drop alike."
ROUND_APART = "len() and __iter__ round differently: they can disagree where {} does not divide length."
ROUND_BOTH = (
    "Make len() round as __iter__ does: up where it pads or ends in a short batch, down where it drops."
)
IN_WHOLE_ROUNDS = (
    "Pad (with drop_last: cut) the samples to a multiple of world_size * batch_size, then make batches."
)
ROUNDS = (change.whole_rounds, "world_size"), (change.whole_batches, "world_size * batch_size")

TAIL = (
    Cause(
        laws=("SC001",),
        change=change.lengths_1,
        sentence="It depends on the samples' lengths: the code does not handle some of them.",
    ),
    Cause(
        laws=("SC904",),
        change=change.as_many_as_ranks,
        sentence=TOO_FEW,
        fix="Let the ranks without samples call the same collectives as the others.",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC001", "SC002", *PARTITION),
        change=change.as_many_as_ranks,
        sentence=TOO_FEW,
        fix="Repeat the order as often as it takes to give every rank a sample, or raise ValueError.",
        having={ENDLESS: CHAINED, KEEPS: EMPTY_SHARES, **NOTHING_ANYWHERE},
        remedies=(DEALT,),
    ),
    Cause(
        laws=PARTITION,
        change=change.a_batch_for_each_rank,
        sentence="The code does not handle fewer batches than ranks.",
        fix="Repeat the order as often as it takes to give every rank a whole batch, or raise ValueError.",
        having=NOTHING_ANYWHERE,
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC601",),
        change=change.as_many_as_a_batch,
        sentence="A batch of more samples than there are is not filled up.",
        fix="Begin lap after lap until the batch is full, or refuse a batch larger than the dataset.",
    ),
    Cause(
        laws=("SC001", "SC002"),
        change=change.two_samples,
        sentence="The code does not handle a dataset of a single sample.",
    ),
    Cause(
        laws=("SC103", "SC105"),
        change=change.not_divided,
        everywhere=True,
        unless=("SC102",),
        sentence="It pads a dataset that world_size divides as well, though nothing is missing.",
        fix="Round up with ceil(n / world_size), not with n // world_size + 1.",
        remedies=(DEALT, ORDERED),
    ),
    Cause(
        laws=("SC307",),
        change=change.whole_rounds,
        sentence="Only the tail, which world_size does not divide, differs from the reference.",
        fix="Deal out the tail as the reference does: DistributedSampler fills it up with the beginning of "
        "the epoch's order; what splits a batch leaves its last parts smaller.",
        remedies=(DEALT,),
    ),
    *(
        Cause(
            laws=("SC201",),
            change=rounds,
            besides=(rebuilt.never_set,),
            sentence=ROUND_APART.format(number),
            fix=ROUND_BOTH,
            at="len",
            remedies=(FRESH, DEALT),
        )
        for rounds, number in ROUNDS
    ),
    Cause(
        laws=("SC203",),
        change=change.whole_rounds,
        sentence="len() does not round the tail that world_size does not divide as the reference does.",
        fix=ROUND_BOTH,
        at="len",
        remedies=(FRESH, DEALT),
    ),
    Cause(
        laws=("SC103",),
        change=change.without_drop_last,
        sentence="With drop_last the tail is filled up all the same.",
        fix="With drop_last, cut the order to a multiple of world_size before dealing it out; in a wrapped "
        "sampler, too.",
        having={
            "takes labels": "With drop_last, cut what is dealt out to whole rounds of all ranks: the samples "
            "of each label by themselves, where a batch holds one label."
        },
        remedies=(DEALT,),
    ),
    Cause(
        laws=PARTITION,
        change=change.whole_rounds,
        sentence=f"{THE_TAIL} is padded or cut in another way than the contract says.",
        words={
            "SC102": f"{THE_TAIL} is left out, or a part of it.",
            "SC103": f"{THE_TAIL} is filled up with some samples more often than it needs.",
            "SC104": f"{THE_TAIL} is dealt out unevenly, so some ranks get fewer samples.",
            "SC105": f"{THE_TAIL} is padded or cut by another number than it needs.",
        },
        fix="Pad the order to a multiple of world_size before dealing it out; use its own beginning for "
        "that. Or cut it to such a multiple.",
        fixes={
            "SC102": "Pad the order to a multiple of world_size before dealing it out; use its own beginning "
            'for that. If samples may be left out, declare tail="drop".',
            "SC103": "Fill up with the order from its beginning: no sample twice before each has come.",
        },
        having={DROPS: CUT_EVENLY, KEEPS: UNPADDED, OF_A_PART: CUT_OR_DECLARE},
        beside={"SC201": "Round len() alike."},
        at="deals",
        at_of=("SC104",),  # what is padded or cut wrongly, the line that deals out has no part in
        # What ranks draw from the process's generator is alike on all of them in a simulation alone.
        meant=lambda contract, _: contract.coverage == "sampled" and contract.ambient_rng == "shared",
        remedies=(DEALT, ORDERED),
    ),
    Cause(
        laws=("SC601", "SC603"),
        change=change.whole_batches,
        unless=PARTITION,
        sentence=f"{LAST_ROUND} is dealt out wrongly.",
        fix="Fill every batch but the last of each rank, and make the last ones equal.",
        remedies=(DEALT, CUT),
    ),
    Cause(
        laws=("SC104",),
        change=change.whole_batches,
        sentence=f"{LAST_ROUND} is dealt out unevenly: some ranks get fewer.",
        at="deals",
        fix=IN_WHOLE_ROUNDS,
        having=dict.fromkeys(
            ("takes lengths", "takes labels"),
            "Pad or cut the list of batches to a multiple of world_size, then deal it out.",
        ),
        remedies=(DEALT, CUT),
    ),
    Cause(
        laws=(*PARTITION, "SC203", "SC601", "SC602", "SC603"),
        change=change.whole_batches,
        sentence=f"{LAST_ROUND} is dealt out wrongly.",
        fix=IN_WHOLE_ROUNDS,
        having={
            "instead": "Put no sample in place of one that is left out: some come again, others never.",
            KEEPS: "Deal out the last, incomplete round as it is: neither padded nor cut.",
            IN_BATCHES: "Pad (with drop_last: cut) the samples to a multiple of world_size * batch_size "
            "before dealing them out.",
            OF_A_PART: CUT_OR_DECLARE,
        },
        fixes={
            "SC102": "Yield the last round of batches though it is not full, or pad the samples to a "
            'multiple of world_size * batch_size. If the rest may be left out: tail="drop", '
            'tail_unit="batch".',
            "SC103": NO_FURTHER,
            "SC105": NO_FURTHER,
            "SC602": "Pad or cut the samples to a multiple of world_size * batch_size before they are dealt "
            "out; where ranks do not share them, yield a batch only if it holds a sample.",
        },
        remedies=(DEALT, CUT),
    ),
    Cause(
        laws=("SC104",),
        change=change.lengths_1,
        longer=True,
        sentence="How much a rank yields depends on the lengths of the samples that it gets.",
        fix="Balance lengths among shares of the same number of samples each.",
        having={
            OWN_BATCHES: "Make batches of the whole order, bring their number to a multiple of world_size, "
            "and deal them out then.",
            LEAVES_OUT: "Filter the whole order first, then deal it out in whole rounds.",
        },
        remedies=(DEALT,),
    ),
    Cause(
        laws=(*PARTITION, "SC002"),
        change=change.lengths_1,
        longer=True,
        sentence="Which samples come depends on their lengths.",
        words={"SC002": "Whether a pass ends depends on the samples' lengths."},
        fixes={"SC103": "Look at what follows a sample that does not fit: one from before it comes again."},
        fix="Put what does not fit a batch, or is cut off it, into the next one; a sample longer than a "
        "budget is a batch of its own.",
        having={
            ABOVE_A_BORDER: "Look at what becomes of samples above the last border, or above a budget: they "
            "need a place as well.",
            "instead": "Look at where samples are sorted or swapped by length: one is written over another, "
            "so that it comes twice and the other one never.",
        },
    ),
)

SHARES = (
    Cause(
        laws=PARTITION,
        change=redealt.dealt_out,
        sentence="The order that a single process yields is right; the shares that ranks take of it are not.",
        fix="Deal out the order that a single process yields, padded or cut to a multiple of world_size: "
        "order[rank::world_size].",
        having={
            BY_SHARE: "Split the dataset once, before any shuffle, so that one rank alone has each sample.",
            KEEPS: "Deal out all of the order that a single process yields, as order[rank::world_size] does. "
            "In blocks: order[rank * n // world_size : (rank + 1) * n // world_size].",
            OWN_BATCHES: "Deal out the batches that a single process makes, padded or cut to a multiple of "
            "world_size.",
            OF_A_PART: CUT_OR_DECLARE,
            DROPS: CUT_EVENLY,
        },
        remedies=(DEALT,),
    ),
)
"""The last cause that is tried: nothing more is known of the shares than that they are wrong."""
