"""Where to look for what loses samples: what the epochs of a case that lacks some have in common.

Called by the law about complete epochs. Imports values and numpy.
"""

from __future__ import annotations

import numpy as np

from samplercheck.laws._dealing import hint_at_alike, hint_at_untaken
from samplercheck.laws._passes import excess, is_apart, lose_by_ending_early
from samplercheck.laws._streams import TAIL
from samplercheck.laws.law import GROUPING
from samplercheck.targets.features import feature
from samplercheck.values.trace import Epoch, Trace

SHARED = "Whether all ranks cut their share from one and the same order: several yielded the same samples."
DRAWN = (
    "Where the order is made: one rank yielded samples twice in place of others. If drawing with "
    'replacement is meant, declare coverage="sampled".'
)
ENDS = (
    "What the order is made of: the last samples alone are missing, and others fill it up. A last, short "
    "chunk is left out by // in place of ceil."
)
MEET = (
    "How the shares of ranks are cut: each begins where the one before it ends, and the last one takes "
    "the rest."
)
LONGEST = (
    "What becomes of the longest samples, which alone are missing: what is above the last border of buckets, "
    "or above a budget, needs a place as well."
)
UNCOVERED = (
    "Whether the shares of all ranks together cover the order: fewer samples come than there are, so no rank "
    "takes some places of it."
)
SHORT = "What some ranks leave out of their shares: they yield less than the others."
BATCHES = 'As many are missing as fill no global batch: declare tail_unit="batch" if that is meant.'
CUT = (
    "What leaves a sample without a copy: a factor below 1, a draw, or a number that is rounded down. Take "
    "each once, and draw only what is added. Or what ends an epoch: a loop that is left before its last "
    "sample is yielded, or a number to which it is cut, where each epoch counts its copies again."
)
NO_BATCH, NO_GROUP = "a last batch that is never added", "what is left of a group"
FEW = 3  # of which the longest is missing by luck
LOST = {  # each fits a line with its label, as what follows may be left out
    (False, False): "a filter, a loop cut short, a buffer or last chunk left over",
    (True, False): "a last or open batch that is never added, a filter, a loop that ends early",
    (False, True): "a rest of a group, never added or put in place of another, a filter, a loop cut short",
    (True, True): "a last or open batch, or a rest of a group, never added; a filter",
}
"""What loses samples of a target without and with batches, without and with groups."""
LEFT_OVER = {
    (False, False): "a loop cut short, or a buffer or last chunk left over, behind the shuffle",
    (True, False): "a batch still open when the loop over the samples ends, and never yielded",
    (False, True): "a rest of a group never yielded when the loop ends, or a loop cut short",
    (True, True): "a batch or a rest of a group that is left when the loop ends, never yielded",
}
"""The same where no filter does."""
FILTERED = "a filter, or a cut before the shuffle, as it is always the same samples"
FLOORED = " (// in place of ceil leaves out a last, short chunk)"


def hint_at_losses(trace: Trace, epoch: Epoch) -> str:
    """Return where to look for what loses samples of an epoch; nothing where nothing tells."""
    if trace.contract.repeats_some:
        return CUT
    return LONGEST if _lacks_the_longest(trace) else _hint_at_one(trace, epoch)


def _hint_at_one(trace: Trace, epoch: Epoch) -> str:
    owed = trace.owed
    size = owed.places * trace.case.batch_size
    lost = owed.appearances - epoch.total
    if owed.tail == "drop":
        if lost and lost == owed.appearances % size:
            return BATCHES
        return _where_lost(trace) if owed.places == 1 else hint_at_alike(epoch) or _instead(trace, epoch)
    if lost and lost == owed.appearances % owed.places and len({*epoch.samples}) == 1:
        return TAIL
    share = owed.appearances // owed.places
    if share and max(epoch.samples) < share:
        return _where_lost(trace)
    ends_early = trace.contract.even_steps and min(epoch.samples) and lose_by_ending_early(epoch, owed)
    short = SHORT if ends_early else ""
    is_short = min(epoch.samples) and epoch.total < owed.appearances and owed.places > 1
    uncovered = UNCOVERED if is_short else ""
    untaken = MEET if owed.tail == "keep" and owed.places > 1 else hint_at_untaken(trace, epoch)
    return hint_at_alike(epoch) or short or _instead(trace, epoch) or untaken or uncovered


def _lacks_the_longest(trace: Trace) -> bool:
    """Whether the same samples are missing from each epoch, and all of them are longer than any other."""
    if "lengths" not in trace.named or trace.case.length <= FEW:
        return False
    lengths, lacks = np.array(feature(trace.case, "lengths")), trace.epochs[0].counts == 0
    there = lengths[~lacks]
    return _lacks_alike(trace) and 0 < len(there) < len(lengths) and lengths[lacks].min() > there.max()


def _lacks_alike(trace: Trace) -> bool:
    """Whether all epochs lack the same samples."""
    first, *others = (epoch.counts == 0 for epoch in trace.epochs)
    return all((one == first).all() for one in others)


def _instead(trace: Trace, epoch: Epoch) -> str:
    """Say where to look if some samples come more often, in place of others; else nothing.

    Where fewer come than are owed, what comes again may be the padding that was cut short with the rest.
    """
    owed, again = trace.owed, int(excess(epoch, trace.owed.repeats).sum())
    is_padding = owed.total is not None and epoch.total < owed.total and again <= owed.padding
    often = SHARED if is_apart(epoch) else ENDS if _lacks_the_end(trace) else DRAWN
    return often if again and not is_padding else ""


def _lacks_the_end(trace: Trace) -> bool:
    """Whether each of several unlike epochs lacks the same samples, the last ones of the dataset."""
    there = trace.epochs[0].counts > 0
    return _always_lacks_the_same(trace) and not there[np.count_nonzero(there) :].any()


def _where_lost(trace: Trace) -> str:
    """Say where to look where every rank falls short of its share."""
    is_of_ones = "batch_size" in trace.named and trace.case.batch_size == 1  # of which none stays open
    batch, group = trace.batched and not is_of_ones, bool(GROUPING & trace.named)
    if trace.owed.places == 1:  # the dealing loses nothing
        alone = "" if trace.contract.sharding == "none" else ": a single rank loses samples, too"
        if _always_lacks_the_same(trace):
            return f"Look for {FILTERED}{alone}."
        lost = LEFT_OVER if _is_no_filter(trace) else LOST
        return f"Look for {lost[batch, group]}{alone}{'' if group else FLOORED}."
    likely = [text for text, is_likely in ((NO_BATCH, batch), (NO_GROUP, group)) if is_likely]
    return (
        "Where a rank takes its share, and what comes before: every rank loses samples "
        f"({', '.join([*likely, 'a filter'])}, an order split by rank twice, a slice cut short)."
    )


def _always_lacks_the_same(trace: Trace) -> bool:
    """Whether epochs of unlike orders lack the same samples."""
    first = trace.epochs[0]
    orders = {tuple(tuple(one.items) for one in epoch.passes) for epoch in trace.epochs}
    lacks_some = 0 < int(np.count_nonzero(first.counts)) < first.length
    return len(orders) > 1 and lacks_some and _lacks_alike(trace)


def _is_no_filter(trace: Trace) -> bool:
    """Whether epochs lack other samples each, or no batch by size ever comes of samples that are alike."""
    if not _lacks_alike(trace):
        return True
    values = [{*feature(trace.case, name)} for name in trace.named & {"lengths", "labels", "groups"}]
    are_alike = all(len(one) == 1 for one in values)
    yields_nothing = not any(epoch.total for epoch in trace.epochs)
    return trace.contract.batches == "variable" and are_alike and yields_nothing
