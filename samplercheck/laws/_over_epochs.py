"""What several epochs, or many laps, should hold: samples that are missing, and parts that change.

Asked by law SC102 and, of what draws, by SC1001 of each share of the data; by SC305 and SC306, which samples
may take each other's place. Imports values and numpy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._passes import ALWAYS, IN_LAPS, are_inside
from samplercheck.laws._periods import first_torn, period
from samplercheck.laws.frequencies import CERTAIN
from samplercheck.laws.law import GROUPING
from samplercheck.targets.features import feature
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.limits import lap_sizes
from samplercheck.values.owed import MANY_LAPS, changing
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices, name_samples, owner

CYCLE = (
    "What the order is made from where epochs are parts of it: the number of the cycle, so that all its "
    "parts are cut from one order, and not that of the epoch."
)
TOO_SOON = (
    "When the parts begin again: one comes twice before the last one has come, as where a last part that is "
    "short ends behind the dataset."
)
ROUNDED = (
    "How large the parts are: math.ceil(length / {number}) samples, not length // {number}, which leaves out "
    "what is left over where {number} does not divide. No sample comes in two parts."
)
PART = (
    "What the part is chosen by: one that stays the same is chosen by a fixed seed, not by the epoch, and "
    "only its order changes. Else what is held out for validation is trained on in another epoch."
)
ENOUGH = 64
"""Of so many samples a part, in an epoch of its own, is some samples."""
FIRST = 6
"""A part of the laps goes by before it is asked which samples still come: what gets lost has come in it."""
LAPPED = (
    "How each lap is made: a range or a filter that ends too early, or a swap in place that writes a sample "
    "over another one."
)
TURNS = "how passes follow each other: joined to one order of all ranks, and not for each rank by itself"
MOST_OF_SMALL = 3
SMALL = "whether labels of so few samples are meant to be left out, as where a batch needs more of each"
SELDOM = 0.02
"""What comes eventually is on average in at least this share of the passes."""


def missing_from_cycles(trace: Trace) -> Iterator[Violation]:
    """Yield the cycles of epochs that together lack samples, but for what each of these epochs may drop."""
    number = trace.contract.cycle
    may = trace.owed.droppable(number)
    for course in trace.series:
        ranks = course[0].ranks
        near = course[: trace.case.epochs]  # behind them are far ones
        for first in range(0, len(near) - number + 1, number):
            met = np.sum([epoch.counts > 0 for epoch in near[first : first + number]], axis=0)
            missing = np.flatnonzero(met == 0)
            if len(missing) > may:
                parts = {epoch.counts.tobytes() for epoch in near[first : first + number]}
                again = TOO_SOON if len(parts) < number else CYCLE
                yield Violation(
                    found=f"in the {number} epochs from {first} on {who(ranks)} {name_samples(missing)}",
                    rank=ranks[0] if len(ranks) == 1 else None,
                    epoch=first + number - 1,
                    indices=limit_indices(missing),
                    hint=again if met.max() > 1 else ROUNDED.format(number=number),
                    event=f"in {number} epochs together",
                    evidence=Evidence(kind="cycle"),
                )


def left_out_of_laps(trace: Trace) -> Iterator[Violation]:
    """Yield the samples that no rank of a share met in the later laps, where luck is out of the question."""
    records, length = trace.of("epochs"), trace.case.length
    for ranks in trace.shares:
        met = np.zeros(length, dtype=bool)
        for rank in ranks:
            items = np.array(records[rank].notes["laps"], dtype=np.int64)
            items = items[len(items) // FIRST :]
            met[items[are_inside(items, length)]] = True
        missing = np.flatnonzero(~met)
        if missing.size:
            yield Violation(
                found=f"after {MANY_LAPS // FIRST} of {MANY_LAPS} laps {who(ranks)} {name_samples(missing)}",
                rank=ranks[0] if len(ranks) == 1 else None,
                indices=limit_indices(missing),
                hint=LAPPED,
                event=IN_LAPS,
                chance=length * exp(MANY_LAPS / FIRST - MANY_LAPS),  # if each were drawn with replacement
                evidence=Evidence(kind="laps"),
            )


def leave_one_walk(trace: Trace) -> Iterator[Violation]:
    """Yield that the turns of ranks, joined, are laps of no length: some ranks are laps ahead of others.

    A lap may be cut or filled up, to rounds of the ranks or of their batches, but is so each time. What goes
    on with each iterator has begun before these laps are noted, so that one may end anywhere at first.
    """
    contract, length, places = trace.contract, trace.case.length, trace.owed.places
    noted = [trace.of("epochs")[rank].notes.get("laps", ()) for rank in trace.shares[0]]
    mixed = contract.order == "free" or contract.shuffles == "chunks" or bool(GROUPING & trace.named)
    if mixed or trace.batched or places == 1 or trace.owed.repeats > 1 or not all(noted):
        return
    walk = np.array([one[: min(map(len, noted))] for one in noted], dtype=np.int64).T.ravel()
    own = {period(one) for one in noted} if contract.tail != "keep" else {0}
    is_uneven = len(own) > 1 and 0 not in own  # each lap looks as if it were filled up
    sizes = lap_sizes(trace.case, places)
    if is_uneven or all(first_torn(walk, size, length) is not None for size in sizes):
        start = first_torn(walk, length, length) or 0
        lap, times = np.unique(walk[start : start + length], return_counts=True)
        twice = int(lap[times > 1][0])
        yield Violation(
            found=f"in turn the ranks yield {brief(walk[start : start + length].tolist())}: sample {twice} "
            f"comes again before all {length} samples have come",
            indices=(twice,),
            hint=TURNS,
            event=IN_LAPS,
            fault="some ranks begin the next pass sooner",
            evidence=Evidence(kind="laps"),
        )


def other_parts(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs that hold another part of the dataset than the first one, but for a tail of each."""
    may = changing(trace.owed, trace.contract)
    for course in trace.series:
        ranks, first = course[0].ranks, course[0].counts > 0
        for epoch in course[1:]:
            here = epoch.counts > 0
            came, left = np.flatnonzero(here & ~first), np.flatnonzero(first & ~here)
            if max(len(came), len(left)) > may:
                joined = f"{owner(ranks)} yielded {name_samples(came)}" if len(came) else ""
                lost = f"{who(ranks)} {name_samples(left)}" if len(left) else ""
                yield Violation(
                    found=f"epoch {epoch.number} is another part of the dataset than epoch 0: "
                    + " and ".join(filter(None, (joined, lost))),
                    rank=ranks[0] if len(ranks) == 1 else None,
                    epoch=epoch.number,
                    indices=limit_indices(came if len(came) else left),
                    hint=PART,
                    fault="epochs hold other parts of the dataset",
                    consequence="leaks data",
                    evidence=Evidence(kind="part"),
                )
                break


def who(ranks: tuple[int, ...]) -> str:
    """Say that these ranks did not yield something."""
    return f"rank {ranks[0]} did not yield" if len(ranks) == 1 else "no rank yielded"


def may_tell(trace: Trace) -> bool:
    """Whether a sample that comes seldom would have come by now, unless by a luck beyond belief."""
    number = max((len(one.passes) for one in trace.of("draws")), default=0)
    return trace.case.length * (1 - SELDOM) ** number * CERTAIN <= 1


def never_came(trace: Trace, ranks: tuple[int, ...], expected: NDArray[np.float64]) -> Violation | None:
    """Say which samples never come, where each was promised to come sooner or later."""
    records = trace.of("draws")
    if len(records) <= ranks[-1]:
        return None
    passes = [one for rank in ranks for one in records[rank].passes]
    came = frozenset().union(*(one.items for one in passes))
    missing = [index for index in np.flatnonzero(expected).tolist() if index not in came]
    number = len(records[ranks[0]].passes)
    # Of few samples a part may be none; where shares are filled up, nothing is left out as it fills none.
    is_owed = came or (trace.contract.tail == "pad" and trace.case.length >= ENOUGH)
    if not (is_owed and missing):
        return None
    hint = f"how samples are chosen, and what is cut: each is to come in one of {1 / SELDOM:.0f} passes"
    chance = min(1.0, trace.case.length * (1 - SELDOM) ** number)
    seen = replace(_violation(missing, f"in {number} passes", hint), event=ALWAYS, chance=chance)
    return replace(seen, grade="strict", hint=SMALL) if _are_of_small_labels(trace, missing) else seen


def _are_of_small_labels(trace: Trace, missing: list[int]) -> bool:
    """Whether what never comes are all labels of few samples: pairs, or batches of one label, need more."""
    if "labels" not in trace.named:
        return False
    labels = feature(trace.case, "labels")
    sizes = Counter(labels)
    largest = max(sizes[labels[index]] for index in missing)
    of_small = [index for index, label in enumerate(labels) if sizes[label] <= largest]
    return largest <= MOST_OF_SMALL and of_small == missing and len(of_small) < len(labels)


def left_out_in_turn(trace: Trace, ranks: tuple[int, ...], expected: NDArray[np.float64]) -> Violation | None:
    """Say which samples of a subset never come, where its passes take the same ones again and again."""
    records = trace.of("draws")
    if trace.contract.coverage != "subset" or len(records) <= ranks[-1]:
        return None
    parts = [
        frozenset().union(*(one.items for one in together))
        for together in zip(*(records[rank].passes for rank in ranks), strict=False)
    ]
    half = len(parts) // 2
    period = next((one for one in range(1, half + 1) if parts[one:] == parts[:-one]), 0)
    came = frozenset().union(*parts[:period])
    missing = [index for index in np.flatnonzero(expected).tolist() if index not in came]
    if not (period and came and missing):
        return None
    again = "all take the same samples" if period == 1 else f"every {period} take the same samples again"
    hint = "how the part is chosen: another one in each epoch, at random or going on where the last ended"
    return _violation(missing, f"in {len(parts)} passes, of which {again}", hint)


def _violation(missing: list[int], where: str, hint: str) -> Violation:
    return Violation(
        found=f"{name_samples(missing)} never came {where}",
        indices=limit_indices(missing),
        fault="never yields some samples",
        consequence="loses data",
        hint=hint,
        evidence=Evidence(kind="left out"),
        experiment="draws",
    )


def may_change_places(trace: Trace, some: set[int], others: set[int]) -> bool:
    """Whether some of these samples may take the place of others.

    Of a target that asks for labels or lengths only those that are alike in them: it may sort by them.
    """
    return all(_share_any(feature(trace.case, name), some, others) for name in GROUPING & trace.named)


def _share_any(values: Sequence[object], some: set[int], others: set[int]) -> bool:
    """Whether one of these samples and one of the others have a value in common."""
    inside, outside = ({values[one] for one in part if 0 <= one < len(values)} for part in (some, others))
    return not inside.isdisjoint(outside)
