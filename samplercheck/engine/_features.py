"""Features: which values of samples decide where a law fails: that they differ, one above a border, a gap.

Asked while a run explains its broken laws. What is run for it enters no ledger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._regions import Where
from samplercheck.explain import change
from samplercheck.explain.atom_words import DIFFER
from samplercheck.explain.words import EXACT, IN_SOME_ORDERS, NECESSARY, SUFFICIENT
from samplercheck.search.chosen import thin_out
from samplercheck.targets.features import feature, with_values
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.trace import Trace

MOST_ALIKE = 24
MOST_LARGER, MOST_LONG, SEVERAL = 8, 1_000, 2
BY_ORDER = IN_SOME_ORDERS.partition(",")[0]
_DIFFERS = re.compile(rf"{NECESSARY} len\(set\((\w+)\)\) > 1")
SHORT = "leave several batches not full"
ALIKE = {"lengths": change.lengths_1, "labels": change.labels_alike, "weights": change.weights_alike}


def tell_by_features(inquiry: Inquiry, where: Where) -> Where:
    """Return where a law fails, by what samples carry if nothing else says it exactly."""
    is_open = not where.text or where.text.startswith((SUFFICIENT, NECESSARY))
    if not inquiry.search.shard.is_whole:
        return where
    if where.text.startswith(BY_ORDER) and (found := _DIFFERS.fullmatch(find_feature(inquiry))):
        return replace(where, text=f"where {found[1]} {DIFFER}, {where.text}")
    if not is_open:
        return where
    longest = find_longest(inquiry)
    if longest.startswith(EXACT):
        return replace(where, text=longest, inside=0)
    return replace(where, text=where.text or find_feature(inquiry) or longest)


def find_feature(inquiry: Inquiry) -> str:
    """Return the condition that a feature differs between samples, where a law holds once it does not.

    It holds too where all have the value of one that breaks it; else the value is what matters.
    """
    failing = thin_out(inquiry.failing or inquiry.failing_beyond, MOST_ALIKE)
    for name, alike in ALIKE.items():
        if name not in inquiry.search.binding.named or not failing or any(map(alike.is_made_in, failing)):
            continue
        others = [other for case in failing if (other := alike.case(case)) is not None]
        if not others or not all(inquiry.judge(other) is Outcome.HOLDS for other in others):
            continue
        if _leave_short_batches(inquiry, failing, others):
            return f"{NECESSARY} {name} {SHORT}"
        if not _may_be_alike(inquiry, name):
            return f"{NECESSARY} len(set({name})) > 1"
        return find_gap(inquiry) if name == "labels" else ""
    return ""


def _may_be_alike(inquiry: Inquiry, name: str) -> bool:
    """Whether a law is broken where all samples have one value, of those in cases that break it."""
    every = [(case, feature(case, name)) for case in _all_failing(inquiry)]
    if any(len({*values}) == 1 for _, values in every):
        return True
    few = [(case, max(values)) for case, values in thin_out(every, MOST_LARGER) if values]
    return any(inquiry.is_broken_in(with_values(case, name, [one] * case.length)) for case, one in few)


def find_gap(inquiry: Inquiry) -> str:
    """Return the condition that no sample has one of the labels up to the highest, where that is why."""
    if "labels" not in inquiry.search.binding.named or not inquiry.failing:
        return ""
    every = [(case, {*feature(case, "labels")}) for case in _all_failing(inquiry)]
    if not all(max(labels, default=0) >= len(labels) for _, labels in every):
        return ""
    others = [change.all_labels_used.case(case) for case in thin_out(inquiry.failing, MOST_ALIKE)]
    is_why = all(other is not None and inquiry.is_broken_in(other) is False for other in others)
    return f"{NECESSARY} max(labels) >= len(set(labels))" if is_why else ""


def find_longest(inquiry: Inquiry) -> str:
    """Return the condition that a sample is longer than a border, if no shorter ones break a law.

    All cases that break it have such a sample, and small ones that keep it break it with one; of a law that
    small cases break, nothing is said of a border unless that is so.
    """
    search, case = inquiry.search, inquiry.smallest.case
    if "lengths" not in search.binding.named or not inquiry.smallest.is_simulated:
        return ""

    def is_wrong(one: Case, values: Sequence[Any]) -> bool | None:
        return inquiry.is_broken_in(with_values(one, "lengths", values))

    lengths = feature(case, "lengths")
    low, high = 1, int(max(lengths, default=0))
    if high <= low or is_wrong(case, [low] * case.length) is not False:
        return ""
    while high - low > 1:
        middle = (low + high) // 2
        is_above = is_wrong(case, [min(one, middle) for one in lengths])
        low, high = (low, middle) if is_above else (middle, high)
    if any(max(feature(one, "lengths"), default=0) <= low for one in _all_failing(inquiry)):
        return ""
    small = thin_out([one for one in search.ledger.small if one.length], MOST_LARGER)
    is_enough = all(is_wrong(one, [*feature(one, "lengths")[1:], high]) for one in small)
    if not inquiry.failing:
        return f"{EXACT if is_enough else NECESSARY} max(lengths) > {low}"
    is_needed = all(is_wrong(one, [low] * one.length) is False for one in small)
    is_exact = not any(max(feature(one, "lengths"), default=0) > low for one in inquiry.holding)
    return f"{EXACT} max(lengths) > {low}" if is_enough and is_needed and is_exact else ""


def _all_failing(inquiry: Inquiry) -> list[Case]:
    return [*inquiry.failing, *inquiry.failing_beyond]


def _leave_short_batches(inquiry: Inquiry, failing: Sequence[Case], others: Sequence[Case]) -> bool:
    """Whether each failing case has several batches that are not full, and no other one, alike but for that.

    A batch that comes again, as padding, is counted once.
    """
    if inquiry.search.kind != "batches" or "batch_size" not in inquiry.search.binding.named:
        return False
    larger = [case for case in inquiry.failing_beyond if case.length <= MOST_LONG]
    return all(
        (_count_short(inquiry.run(case)) >= SEVERAL) is is_failing
        for cases, is_failing in (([*failing, *thin_out(larger, MOST_LARGER)], True), (others, False))
        for case in cases
    )


def _count_short(trace: Trace | None) -> int:
    """Return how many batches of an epoch are not full, in the one that has most; -1 if nobody knows."""
    if trace is None or not trace.is_whole or trace.is_streamed:
        return -1
    epochs = (epoch for name in trace.records for epoch in trace.epochs_of(name))
    return max(
        (sum(len(one) < trace.case.batch_size for one in set(epoch.batches)) for epoch in epochs), default=-1
    )
