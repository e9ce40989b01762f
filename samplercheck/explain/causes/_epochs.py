"""Causes that lie in how an epoch begins and in what is shuffled when.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from samplercheck.explain import change, rebuilt
from samplercheck.explain.causes._arguments import seed_matters
from samplercheck.explain.causes._cause import CHAINED, LENGTHS, PARTITION, Cause
from samplercheck.explain.causes._draws import BY_DRAWS, EACH_AS_OFTEN, OWN_PART
from samplercheck.explain.remedies import CUT, DEALT, EPOCH, FORWARD, FRESH, ORDERED
from samplercheck.values.contract import Contract

REACHED = "Let every sample be chosen sooner or later: look at where the choice ends and how it is rounded."
FAVOURED = "Which sample comes, or where, depends on its place in the dataset: some are favoured."
SEEDED = "seeds a generator"
UNUSED = (
    "Use what is drawn as it comes: a generator is seeded with it, and a set, sorted() or another order in "
    "its place undoes that."
)
"""What to do where the seed reaches a generator, and makes no difference all the same."""


def _is_drawn(contract: Contract, _: AbstractSet[str] = frozenset()) -> bool:
    return contract.coverage == "sampled"


def _is_another_part(contract: Contract) -> bool:
    """Whether each epoch may be another part of the dataset."""
    return contract.coverage == "subset" and not contract.keeps_part


def _weighs_datasets(_: Contract, named: AbstractSet[str]) -> bool:
    """Whether datasets have weights, by which their samples are favoured."""
    return "shares" in named


EPOCHS = (
    Cause(
        laws=("SC301", "SC304", "SC305", "SC306", "SC505"),
        change=rebuilt.passed_on,
        at="epoch",
        sentence="The wrapper does not pass set_epoch on to the sampler that it wraps.",
        fix="In set_epoch, call the wrapped sampler's set_epoch as well.",
        without={"set_epoch": "Add set_epoch(epoch), and call the wrapped sampler's set_epoch in it."},
        remedies=(FORWARD,),
    ),
    Cause(
        laws=("SC301", "SC305", "SC306"),
        change=change.seed_1,
        sentence="With seed 0 the epoch has no effect: 0 is multiplied, or taken for no seed at all.",
        fix="Seed with seed + epoch, not with a product; ask whether a seed is None, not whether it is true.",
        remedies=(EPOCH, ORDERED),
        at="seeds",
    ),
    Cause(
        laws=("SC301",),
        change=rebuilt.epoch_in_seed,
        kind="recurs",
        sentence="What seeds the order recurs: later epochs get the seeds of earlier ones.",
        fix="Seed the order with seed + epoch as it is: no modulo, limit or list makes it less.",
        remedies=(EPOCH, ORDERED),
        at="seeds",
    ),
    Cause(
        laws=("SC301", "SC305", "SC306"),
        change=rebuilt.epoch_in_seed,
        besides=(rebuilt.fresh,),
        sentence="The shuffle does not depend on the epoch.",
        words={"SC306": "What puts the batches together depends on the seed, and not on the epoch."},
        fix="Seed the order with seed + epoch, where epoch is what set_epoch(epoch) was given last.",
        without={
            "set_epoch": "Add set_epoch(epoch): pass it on to the sampler inside, or keep the epoch and seed "
            "the order with seed + epoch."
        },
        fixes={
            "SC306": "Put the batches together in __iter__, not once for all epochs, from an order that is "
            "seeded with seed + epoch."
        },
        remedies=(FORWARD, EPOCH, ORDERED),
        at="seeds",
        at_of=("SC301", "SC305"),
    ),
    Cause(
        laws=("SC301", "SC303"),
        change=change.other_seed,
        matters=seed_matters,
        sentence="The sampler ignores seed: every seed gives the same order.",
        words={"SC301": "The order depends on neither the seed nor the epoch."},
        fix="Seed the generator with seed + epoch. If orders are stored, in a file too, name them by both.",
        having={SEEDED: UNUSED},
        remedies=(ORDERED,),
        at="seeds",
    ),
    Cause(
        laws=("SC103",),
        kind="in turn",
        change=rebuilt.seeds_apart,
        sentence="Seed, epoch and rank are added up: a rank has the seed of another one in a later epoch.",
        fix="Make a seed that no other rank and epoch has: (seed + epoch) * world_size + rank, or for "
        "numpy.random.default_rng the list [seed, epoch, rank].",
        at="seeds",
    ),
    Cause(
        laws=("SC302",),
        change=rebuilt.never_set,
        unless=PARTITION,
        sentence="The epoch changes the order even without shuffling.",
        fix="Use the epoch for shuffling alone.",
        remedies=(ORDERED,),
    ),
    Cause(
        laws=("SC501", "SC503"),
        change=rebuilt.set_again,
        at="keeps",
        sentence="A pass leaves the object in another state, from which only set_epoch brings it back.",
        fix="Begin in __iter__ from the epoch that was set, and leave that epoch as it is.",
        remedies=(FRESH,),
    ),
    Cause(
        laws=("SC504",),
        change=rebuilt.epoch_kept,
        sentence="A pickled copy loses its epoch.",
        fix="Keep the epoch in what __getstate__ returns.",
        remedies=(FRESH,),
    ),
    Cause(
        laws=("SC504",),
        change=rebuilt.by_value,
        sentence="It holds a function or class that pickle cannot find by its name, such as a lambda.",
        fix="Define it at the top of a module instead.",
        remedies=(FRESH,),
    ),
    Cause(
        laws=("SC305",),
        change=rebuilt.reshuffled,
        besides=(rebuilt.fresh,),
        unless=("SC301",),
        sentence="The samples are dealt out to the ranks first and shuffled afterwards.",
        fix="Shuffle the whole dataset before it is dealt out, with the same seed on all ranks.",
        remedies=(DEALT, ORDERED),
    ),
    Cause(
        laws=("SC306",),
        change=rebuilt.reshuffled,
        besides=(rebuilt.fresh,),
        unless=("SC301",),
        sentence="The batches are put together first, and shuffled only as a whole.",
        fix="Shuffle the samples first, then cut batches.",
        remedies=(CUT, ORDERED),
    ),
    Cause(
        laws=("SC106",),
        change=rebuilt.reshuffled,
        besides=(rebuilt.fresh, rebuilt.epoch_in_seed, change.lengths_1, change.labels_alike),
        unless=("SC301", "SC501"),
        sentence="What is dropped is chosen before the shuffle, so it is the same in every epoch.",
        fix="Shuffle first, then drop the end of the shuffled order.",
        beside={"SC305": "Shuffle all samples with one seed for all ranks before they take their shares."},
        remedies=(DEALT, ORDERED),
    ),
    Cause(
        laws=("SC103",),
        kind="laps",
        change=change.whole_rounds,
        sentence="Each pass over the data is dealt out by itself, so where world_size does not divide it "
        "some ranks begin the next one sooner.",
        fix=CHAINED,
    ),
    Cause(
        laws=("SC1002",),
        kind="few",
        change=rebuilt.reshuffled,
        sentence="The seed of an epoch has few values, so there are as few orders.",
        fix="Seed the order with seed + epoch, whole: no remainder, no byte of it, no small random number.",
        remedies=(ORDERED,),
        at="seeds",
    ),
    Cause(
        laws=("SC1002",),
        kind="successive",
        change=rebuilt.reshuffled,
        sentence="An epoch goes through the order of the epoch before it, backwards or in parts.",
        fix="Give each epoch a shuffle of its own, seeded by seed + epoch.",
        remedies=(ORDERED,),
        at="seeds",
    ),
    Cause(
        laws=("SC1001", "SC1002"),
        change=rebuilt.relabelled,
        besides=(rebuilt.fresh,),
        unless=("SC301", "SC305"),
        sentence="Which sample comes depends on its label or its place in the dataset: some are favoured.",
        fix="Look at how samples are picked by label: each label must be possible (a bound of randint or "
        "range), and every sample of it (not always the first of a list).",
    ),
    Cause(
        laws=("SC1002",),
        change=rebuilt.reweighed,
        unless=("SC301", "SC305"),
        sentence=FAVOURED,
        fix='If it draws by its weights, declare coverage="sampled": draws are then held against these, and '
        "not against a shuffle. Else shuffle the whole dataset by one unbiased shuffle.",
        meant=_is_drawn,
    ),
    Cause(
        laws=("SC1001", "SC1002"),
        change=rebuilt.reshuffled,
        besides=(rebuilt.fresh,),
        unless=("SC301", "SC305"),
        sentence=FAVOURED,
        fix="Shuffle the whole dataset by one unbiased shuffle first, and cut or fill up after that.",
        having={"left out": REACHED, "takes weights": OWN_PART, BY_DRAWS: EACH_AS_OFTEN},
        meant=_weighs_datasets,
        remedies=(DEALT, ORDERED),
    ),
)

LATE = (
    Cause(
        laws=PARTITION,
        change=rebuilt.never_set,
        sentence="The epoch decides which samples come, and not only in which order.",
        words={"SC104": "The epoch decides how much ranks get: without set_epoch they take as many steps."},
        fix="Use the epoch for the order alone.",
        fixes={
            "SC104": "In every epoch, work out from its own order how much each rank takes; or use the epoch "
            "for the order alone.",
        },
        remedies=(ORDERED,),
        meant=lambda contract, _: _is_drawn(contract) or _is_another_part(contract),
        redraws=True,
    ),
    Cause(
        laws=PARTITION,
        change=rebuilt.never_set,
        sentence="It goes wrong in the part of a later epoch: that of the first one is right.",
        fix="Look at how the part of an epoch is cut from the order: the last part above all, one that is "
        "smaller than the others, and how it is padded.",
        meant=lambda contract, _: not _is_another_part(contract),
        redraws=True,
    ),
    Cause(
        laws=LENGTHS,
        change=rebuilt.never_set,
        sentence="len() is that of another epoch; without set_epoch it is right.",
        fix="Compute the length for the epoch set last, as the pass is.",
        events=dict.fromkeys(LENGTHS, ("", "once set_epoch has changed the epoch")),
        remedies=(ORDERED,),
        meant=_is_drawn,
        redraws=True,
    ),
)
