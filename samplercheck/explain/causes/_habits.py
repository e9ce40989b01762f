"""Causes that lie in what an object keeps from one pass or question to the next.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change, loaded, rebuilt, redealt
from samplercheck.explain.causes._cause import BATCHES, LENGTHS, ORDERS, PARTITION, Cause
from samplercheck.explain.remedies import DEALT, EPOCH, FRESH, ORDERED, RESUMED, SHIELDED

INDICES = (
    Cause(
        laws=("SC101",),
        change=rebuilt.counted_from_0,
        sentence="Indices start at 1.",
        fix="Subtract 1: the first sample has index 0.",
    ),
    Cause(
        laws=("SC101",),
        change=rebuilt.made_whole,
        sentence="The indices are whole numbers, but not of type int.",
        fix="Divide with //, and convert with int() or .tolist().",
    ),
    Cause(
        laws=("SC302", "SC505"),
        change=rebuilt.unshuffled,
        sentence="DistributedSampler shuffles unless shuffle=False is passed to it.",
        fix="Pass shuffle=False to DistributedSampler.__init__().",
    ),
    Cause(
        laws=("SC302",),
        change=rebuilt.mirrored,
        sentence="The order runs backwards.",
        fix="Yield the dataset's own order, from index 0 up.",
        remedies=(ORDERED,),
    ),
    Cause(
        laws=("SC302", "SC307"),
        change=redealt.dealt_in_blocks,
        sentence="The order is right, but ranks take turns where the contract promises blocks.",
        fix="Deal out order[rank * share : (rank + 1) * share], or declare layout='strided'.",
        at="deals",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC302", "SC307"),
        change=redealt.dealt_in_turn,
        sentence="The order is right, but ranks take blocks where the contract promises turns.",
        fix="Deal out order[rank::world_size], or declare layout='contiguous'.",
        at="deals",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC107",),
        change=redealt.dealt_in_turn,
        sentence="The copies of a sample stand side by side, and each rank takes a block of the order.",
        fix="Deal out in turn: order[rank::world_size].",
        at="deals",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC307",),
        change=change.seed_0,
        sentence="The order uses the seed in another way than the reference does.",
        fix="Seed the generator with seed + epoch, as the reference does.",
        remedies=(ORDERED,),
    ),
)

LENGTH = (
    Cause(
        laws=("SC202",),
        change=rebuilt.len_elsewhere,
        at="keeps",
        sentence="Asking len() changes the object.",
        fix="Compute the length; do not iterate or draw for it.",
        remedies=(FRESH, EPOCH),
    ),
    Cause(
        laws=("SC201",),
        kind="fails",
        change=rebuilt.len_whole,
        sentence="__len__ returns a number that is no integer, which len() refuses.",
        fix="Return an integer: n // k rounds down, -(-n // k) rounds up, and numpy's numbers need int().",
    ),
    Cause(
        laws=("SC201",),
        change=rebuilt.len_elsewhere,
        later=("SC201",),
        sentence="len() depends on what this object did before, such as an earlier epoch.",
        fix="Compute the length again for every epoch, or do not keep it.",
        unless=("SC501",),
        remedies=(FRESH, EPOCH),
    ),
    Cause(
        laws=LENGTHS,
        change=rebuilt.len_in_batches,
        sentence="len() counts samples, but __iter__ yields batches.",
        fix="Divide by batch_size: rounded up, or down where __iter__ drops a short last batch.",
        remedies=(FRESH,),
    ),
)

COUNTS_ON = "counts on"
"""The trait of what is built with a number of consumed samples and counts on, as all passes are one walk."""
TAKEN_ONCE = (
    "Let __iter__ take the loaded position once and reset it; count what state_dict() saves in another "
    "attribute."
)
"""How passes begin that may be resumed, and otherwise at their beginning."""

HABITS = (
    Cause(
        laws=("SC502", "SC801"),
        change=change.own_containers,
        kind="beside",
        sentence="Objects share a list, set or dictionary that stands in their class.",
        fix="Make it in __init__, one for each object: self.seen = set(), and no seen = set() in the class.",
    ),
    Cause(
        laws=(*PARTITION, "SC302", "SC501", "SC502", "SC503", "SC505"),
        change=rebuilt.inner_copied,
        besides=(rebuilt.inner_shielded,),
        sentence="It changes the lists that the wrapped sampler yields.",
        fix="Copy a list before changing it: list(batch) + more instead of batch += more.",
        at="marks",
        remedies=(SHIELDED,),
    ),
    Cause(
        laws=("SC503",),
        kind="begins again",
        change=rebuilt.taken_whole,
        sentence="Passes are counted behind the last yield, and a pass that a break ends never gets there.",
        fix="Count a pass where it begins, before its first yield, or in a finally clause.",
    ),
    Cause(
        laws=("SC503",),
        change=rebuilt.taken_whole,
        at="keeps",
        sentence="A break out of an epoch leaves state on the object, and the next pass starts from it.",
        fix="Keep order and position in local variables of __iter__, and start each pass from the beginning.",
        having={"state_dict": TAKEN_ONCE},
        remedies=(FRESH, RESUMED),
    ),
    Cause(
        laws=("SC502",),
        change=rebuilt.taken_whole,
        at="keeps",
        sentence="Iterators that are open at once share state on the object: a position or a generator.",
        fix="In __iter__, use a local variable instead of {kept}.",
        having={
            "state_dict": "In __iter__, use a local variable instead of {kept}; what is counted on the "
            "object for state_dict() must not move an open pass."
        },
        remedies=(FRESH, RESUMED),
    ),
    Cause(
        laws=(
            *(*PARTITION, "SC106", *LENGTHS, "SC302", *ORDERS, "SC307"),
            *("SC501", "SC502", "SC503", "SC1001", "SC1002"),
        ),
        change=rebuilt.fresh,
        later=PARTITION,
        events={"SC304": ("SC501", "after a restart, or once a rank makes a pass more than the others")},
        at="keeps",
        sentence="What it yields depends on what the object did before: passes, calls, earlier epochs.",
        fix="In __iter__, make the order and its generator from the arguments and the epoch; keep neither on "
        "the object.",
        having={
            COUNTS_ON: "Divide what is counted by what an epoch yields, without what it drops. That is the "
            "epoch, and the remainder is the place in it.",
            "consumed": "Count nothing on the object: let the first pass begin behind the consumed samples "
            "that it was built with, and every later one at the beginning of its epoch.",
            "state_dict": TAKEN_ONCE,
        },
        without={
            "set_epoch": "Build the order in __iter__ from the arguments alone, or where a pass is an epoch "
            "from a count of passes or a generator as well. Keep nothing else of a pass on the object."
        },
        remedies=(FRESH, EPOCH, RESUMED),
    ),
    Cause(
        laws=("SC505",),
        change=rebuilt.inner_shielded,
        sentence="It sets attributes on the sampler that it wraps.",
        fix="Keep the wrapper's own settings on the wrapper.",
        at="marks",
        remedies=(SHIELDED,),
    ),
    Cause(
        laws=("SC505",),
        change=rebuilt.fresh,
        at="reads",
        sentence="It reads the wrapped sampler once and keeps that order.",
        fix="Iterate the wrapped sampler in __iter__, in every pass.",
        remedies=(FRESH, RESUMED),
    ),
    Cause(
        laws=("SC903",),
        change=rebuilt.placed_by_hand,
        sentence="When rank is left out, the sampler does not ask the process group for it.",
        fix="Use torch.distributed.get_rank() where rank is None.",
        remedies=(FRESH, DEALT),
    ),
)

PASSES = ("SC401", "SC402", "SC501", "SC502", "SC503")

SENTENCE = "The wrapped sampler alone does it right; the wrapper does not."
YIELDS = "Look at what becomes of the sampler's yields: in __iter__, in collate_fn, in the dataset."

INSIDE = (
    Cause(
        laws=("SC101",),
        change=loaded.inner_bare,
        sentence=SENTENCE,
        fix=f"{YIELDS} Where a batch has several parts, call the one idx that holds the dataset's value.",
    ),
    Cause(
        laws=(*PARTITION, "SC107", *LENGTHS, "SC302", *ORDERS, "SC307", *PASSES, *BATCHES),
        change=loaded.inner_bare,
        sentence=SENTENCE,
        fix=YIELDS,
    ),
)
