"""Questions over passes that are too long to be kept: what is left of them when what is owed is taken away.

Called by the laws of coverage. What differs is named sample by sample; where that is too much, it is said
how much and in which parts of the dataset. What fingerprints cannot tell stays undecided. Imports values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from samplercheck.laws._over_epochs import who
from samplercheck.laws.law import UndecidedError
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.stream import Stream, StreamedEpoch
from samplercheck.values.trace import Trace
from samplercheck.values.wording import join_words, limit_indices, name_samples, owner, pluralise

HINT = (
    "What is yielded: integers, or lists, tuples or 1-d arrays of integers; of samples and batches with "
    "several parts, call the part idx that holds the dataset's value."
)
PARTS = (
    "What is yielded: of (index, seed) or the like make a named tuple whose part idx is the index; a plain "
    "one is read as a batch."
)
MAY_CRASH = "may crash"
"""Whether the dataset takes what is asked of it, nobody knows here."""
_OF_TUPLES = re.compile(r"is \[?\(\d+, ")
NO_TOTAL = (
    "not checked at this length: the contract says nothing of the whole that ranks yield together, to which "
    "fingerprints could be held"
)
UNCLEAR = "more samples than can be named {}: whether some did so more than the contract allows is not known"
TAIL = (
    "As many are missing as the ranks cannot share evenly. If they are meant to be left out, declare "
    'tail="drop".'
)
MOST_RANGES = 3


def describe_strange(rank: int, one: Pass | Stream) -> Violation:
    """Return that a rank yields something that is no index."""
    has_parts = _OF_TUPLES.search(one.strange) is not None
    return Violation(
        found=f"in epoch {one.epoch} rank {rank} yields what is no index: {one.strange}",
        rank=rank,
        epoch=one.epoch,
        step=one.steps,
        hint=PARTS if has_parts else HINT,
        consequence=MAY_CRASH if has_parts else "",
    )


def list_strays(trace: Trace) -> Iterator[Violation]:
    """Yield for each pass the first index that is none of the dataset's."""
    for epoch in trace.streams:
        for rank, pass_ in zip(epoch.ranks, epoch.passes, strict=True):
            if pass_.strays:
                more = f" and {pluralise(pass_.strays - 1, 'more stray')}" if pass_.strays > 1 else ""
                where = f"in epoch {epoch.number} rank {rank}"
                yield Violation(
                    found=f"{where} yields {pass_.stray} in step {pass_.stray_step}{more}: "
                    f"the dataset has 0 to {trace.case.length - 1}",
                    rank=rank,
                    epoch=epoch.number,
                    step=pass_.stray_step,
                    indices=(pass_.stray,),
                    consequence="repeats data" if pass_.stray < 0 else "",
                )
            elif pass_.strange:
                yield describe_strange(rank, pass_)


def list_losses(trace: Trace) -> Iterator[Violation]:
    """Yield the first epoch in which more is missing than may be."""
    owed = trace.owed
    may, unclear = owed.losable, False
    for epoch in _known_epochs(trace):
        named = epoch.differences
        missing = {} if named is None else {index: -off for index, off in named.items() if off < 0}
        lost = _least(epoch, trace, -1) if named is None else sum(missing.values())
        if lost > may:
            rule = f": {lost:,} missing where {may:,} may be dropped" if may else ""
            yield _violation(trace, epoch, _name_losses(trace, epoch, missing) + rule, missing)
            return
        unclear = unclear or named is None
    if unclear:
        raise UndecidedError(UNCLEAR.format("are missing"))


def list_repetitions(trace: Trace) -> Iterator[Violation]:
    """Yield the first epoch in which some sample came more often than it may."""
    owed = trace.owed
    most, unclear = owed.repeats if owed.most is None else owed.most, False
    for epoch in _known_epochs(trace):
        named = epoch.differences
        often = {} if named is None else {i: off for i, off in named.items() if off + owed.repeats > most}
        if often:
            yield _violation(trace, epoch, _name_repetitions(epoch, often, owed.repeats, most), often)
            return
        if named is None and most == owed.repeats and _least(epoch, trace, 1):
            yield _violation(trace, epoch, f"too many came: {_describe_unnamed(epoch, 1)}", {})
            return
        unclear = unclear or named is None
    if unclear:
        raise UndecidedError(UNCLEAR.format("came too often"))


def _known_epochs(trace: Trace) -> Iterator[StreamedEpoch]:
    """Yield the epochs; where no total is owed, nothing can be said of them."""
    if trace.owed.total is None:
        raise UndecidedError(NO_TOTAL)
    yield from trace.streams


def _violation(trace: Trace, epoch: StreamedEpoch, what: str, named: dict[int, int]) -> Violation:
    return Violation(
        found=f"in epoch {epoch.number} {what}",
        rank=epoch.ranks[0] if len(epoch.ranks) == 1 else None,
        epoch=epoch.number,
        indices=limit_indices(list(named)),
        hint=_hint(trace, epoch),
    )


def _name_losses(trace: Trace, epoch: StreamedEpoch, missing: dict[int, int]) -> str:
    if not missing:
        return f"not all came: {_describe_unnamed(epoch, -1)}"
    repeats = trace.owed.repeats
    if repeats == 1:
        return f"{who(epoch.ranks)} {name_samples(list(missing))}"
    first, less = next(iter(missing.items()))
    rest = f"; too rare: {name_samples(list(missing))}" if len(missing) > 1 else ""
    return f"sample {first} came {repeats - less} of {repeats} times{rest}"


def _name_repetitions(epoch: StreamedEpoch, often: dict[int, int], repeats: int, most: int) -> str:
    first, off = next(iter(often.items()))
    rule = f"{owner(epoch.ranks)} yielded sample {first} {off + repeats} times, at most {most} is allowed"
    return rule + (f"; too often: {name_samples(list(often))}" if len(often) > 1 else "")


def _least(epoch: StreamedEpoch, trace: Trace, sign: int) -> int:
    """Return how many appearances came beyond what is owed (1), or are missing (-1), at least.

    As much more came than is missing as the total is beyond what is owed, over all and in each range. A
    second pass of another total tells nothing of the first.
    """
    inside = epoch.total - sum(one.strays for one in epoch.passes)
    beyond = inside - trace.owed.appearances
    net = [beyond] if epoch.sketch is None else epoch.sketch.ranges.tolist()
    net = net if sum(net) == beyond else [beyond]
    more = sum(off for off in net if off > 0)
    more = max(more, 0 if epoch.is_covered else 1 if not beyond else max(0, beyond))
    return more if sign > 0 else max(0, more - beyond)


def _describe_unnamed(epoch: StreamedEpoch, sign: int) -> str:
    """Say how much differs and where, of what is too much to be named."""
    table = epoch.sketch
    if table is None or table.decode() is not None:
        return "which samples is not known, as passes taken again yield something else"
    where = [
        f"{begin:,} to {end - 1:,} ({abs(off):,} {'more' if off > 0 else 'fewer'} than owed)"
        for begin, end, off in table.list_ranges(MOST_RANGES, sign)
    ]
    places = f"; most of it among {join_words(where)}" if where else ""
    return f"about {table.size:,} samples came too often or too seldom, more than can be named{places}"


def _hint(trace: Trace, epoch: StreamedEpoch) -> str:
    """Say where to look, by the numbers alone."""
    beyond = epoch.total - trace.owed.appearances
    if not beyond and len(epoch.passes) > 1:
        return "As many came too often as are missing: do all ranks cut their share from the same order?"
    if beyond < 0 and -beyond == trace.owed.appearances % trace.owed.places:
        return TAIL
    return ""
