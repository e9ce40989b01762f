"""Causes that lie in states: what is saved, what loading brings back, and for how long it counts.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import borders, resumed
from samplercheck.explain.causes._cause import Cause
from samplercheck.explain.remedies import GUARDED, RESUMED

COUNTED = (
    "consumed counts the samples of all ranks: skip that many (modulo an epoch's) of the epoch's order, then "
    "deal it out."
)
"""How to resume what has no state and is built with the number of consumed samples."""
BEGUN = "Let load_state_dict() take the end of an epoch for the beginning of the next one."
SKIPPED = (
    "Save how many items of the epoch were yielded, in all runs together; after loading, skip that many of "
    "that epoch's order."
)
BEGAN_WITH = (
    "Save what the pass began with (its number, or the generator as it was before the pass drew from it) and "
    "how many items were yielded; after loading, make the order of that pass again and skip so many."
)
WHOLE = (
    "After loading, make the order of the epoch as always and skip what was yielded before: pad or cut the "
    "whole order, deal it out, and then skip as many samples (or batches) of the rank's own share as the "
    "state counts, which has to count what was yielded."
)
OF_TAILS = "of tails"
"""The trait of what fails only where an epoch ends in batches that no whole round fills."""
ALIKE = (
    "Count a short last batch alike in a pass, in the state and after loading: make the whole order of the "
    "epoch, pad or cut it as always, deal it out, and skip behind that."
)
ADVANCES = "advances"
"""The trait of what makes each pass another epoch."""
IN_CHUNKS = "in chunks"
"""The trait of what shuffles chunks, or reads through a buffer."""
BUFFERED = (
    "Save what a buffer holds, and its generator, beside the place up to which was read. Or save where the "
    "epoch began and how much was yielded, and skip so much after loading."
)
FROM_ITS_START = (
    "Where a pass begins, set the count to the place that it begins from: 0, or the one that was loaded. "
    "What earlier passes of the epoch have counted is no part of it."
)
OF_FIRST = (
    "Make the order of the resumed pass from the epoch that the state holds, or set_epoch() names, as in any "
    "other pass: it is that of the first epoch."
)
BEFORE = "Count an item before the yield: code after a yield runs only when the next item is requested."
AHEAD = "Count an item where it is yielded, not where it is fetched. The state is one ahead of the training."

RESUMING = (
    Cause(
        laws=("SC701",),
        change=resumed.asked_ahead,
        sentence="The sampler counts an item only when the next one is requested, so the "
        "item in training is not counted.",
        fix=BEFORE,
        remedies=(RESUMED,),
        at="keeps",
    ),
    Cause(
        laws=("SC701", "SC702"),
        change=resumed.epoch_beside,
        sentence="Loading a state does not restore the epoch in which it was saved.",
        fix="Save the epoch, or the number of passes. Restore it in load_state_dict(), and drop there what "
        "was made for another epoch.",
        remedies=(RESUMED,),
        at="loads",
    ),
    Cause(
        laws=("SC701", "SC702"),
        change=resumed.passes_before,
        sentence="Loading a state does not restore what the passes before it had changed: their number, a "
        "generator, or something else that passes change.",
        fix="Save whatever one pass leaves for the next, and restore it in load_state_dict().",
        remedies=(RESUMED,),
        at="loads",
    ),
    Cause(
        laws=("SC701", "SC703", "SC707"),
        change=borders.unmoved,
        sentence="set_epoch(), which a training loop calls after loading, sets the restored place back.",
        fix="In set_epoch(), reset the place only if the epoch changes.",
        remedies=(RESUMED,),
        at="epoch",
    ),
    Cause(
        laws=("SC702",),
        change=borders.renewed,
        unless=("SC501",),  # what was never loaded goes on as well
        sentence="The restored position is applied in later epochs, too.",
        fix="In set_epoch(), where the epoch is another one, set the start position back to 0; so, too, once "
        "the resumed pass has begun. Compute sizes that depend on it again.",
        without={"set_epoch": "Reset the start position to 0 once the resumed pass has begun."},
        at="loads",
        remedies=(RESUMED,),
    ),
    Cause(
        laws=("SC702",),
        change=borders.counted,
        besides=(borders.renewed,),
        sentence="The resumed epoch is not counted: when its rest is over, the whole of it comes once more.",
        fix="Count it when its rest is over, as any other, and in the object that counts the others.",
        at="keeps",
    ),
    Cause(
        laws=("SC701",),
        change=borders.of_its_epoch,
        sentence="The resumed epoch skips the samples of earlier epochs once more.",
        fix=(
            "Take consumed modulo the samples that all ranks yield in an epoch. Where one pass is the whole "
            "training, docs/resuming.md says how to wrap it."
        ),
        remedies=(RESUMED,),
    ),
    Cause(
        laws=("SC703",),
        change=resumed.uninterrupted,
        sentence="After resuming, the state is not the one that an uninterrupted run would save.",
        fix="Go on counting from the restored position, not from zero.",
        remedies=(RESUMED,),
    ),
    Cause(
        laws=("SC704",),
        change=resumed.made_plain,
        sentence="The state holds numbers or arrays of numpy, which torch's safe loading refuses.",
        fix="Turn them into plain ones with int(), float() or .tolist().",
        remedies=(RESUMED,),
        at="state",
    ),
    Cause(
        laws=("SC704",),
        change=resumed.class_kept,
        sentence="Part of what resuming needs is on the class and not in the state.",
        fix="Keep it on the object, and return it from state_dict().",
        remedies=(RESUMED,),
        at="state",
    ),
    Cause(
        laws=("SC705",),
        change=resumed.in_its_place,
        sentence="Loading a state restores the rank and world size of the process that saved it.",
        fix="Leave rank and world size out of the state.",
        remedies=(RESUMED,),
        at="loads",
    ),
    Cause(
        laws=("SC706",),
        change=resumed.refusing,
        sentence="Nothing in the state says where it was saved, or loading does not ask.",
        fix=(
            "Save rank, world size, length, batch size and seed with the position, and raise an error in "
            "load_state_dict() where one of them is another."
        ),
        remedies=(GUARDED,),
        at="loads",
    ),
    Cause(
        laws=("SC707",),
        kind="saves",
        change=resumed.only_read,
        sentence="state_dict() changes what the object does next.",
        fix="Let state_dict() draw, count and make nothing: it only reads.",
        remedies=(RESUMED,),
        at="state",
    ),
    Cause(
        laws=("SC707",),
        change=resumed.kept_until_taken,
        sentence="state_dict() right after load_state_dict() is not the state that was loaded.",
        fix="In load_state_dict(), set what state_dict() reads.",
        remedies=(RESUMED,),
        at="loads",
    ),
    Cause(
        laws=("SC701",),
        change=borders.on_batch_borders,
        unless=("SC702",),
        sentence="Resuming after whole batches is right; inside a batch it does not go on where it stopped.",
        fix="Save the number of samples that were yielded, not of whole batches.",
        having={"consumed": COUNTED},
        remedies=(RESUMED,),
        at="state",
    ),
    Cause(
        laws=("SC701",),
        change=borders.at_ends,
        unless=("SC702",),
        sentence="Resuming between two epochs is right; inside an epoch it does not go on where it stopped.",
        fix=SKIPPED,
        having={
            "consumed": COUNTED,
            "early": BEFORE,
            "late": AHEAD,
            "first": OF_FIRST,
            IN_CHUNKS: BUFFERED,
            "counts": WHOLE,
        },
        remedies=(RESUMED,),
        at="state",
        elsewhere="counts",
    ),
    Cause(
        laws=("SC701", "SC702", "SC703"),
        change=resumed.skipped_to,
        sentence="Whole epochs are right; what follows a loaded state is not.",
        fix=SKIPPED,
        fixes={"SC703": "Let what state_dict() reads count on from the loaded position."},
        having={
            "consumed": COUNTED,
            "over": BEGUN,
            "early": BEFORE,
            "late": AHEAD,
            ADVANCES: BEGAN_WITH,
            OF_TAILS: ALIKE,
            "first": OF_FIRST,
            "counts": WHOLE,
            "looked at": FROM_ITS_START,
        },
        remedies=(RESUMED,),
    ),
)
