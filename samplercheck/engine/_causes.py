"""Causes: why laws are broken, as far as cases with one thing changed show it.

Asked while a run explains its broken laws. What is run for it enters no ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from samplercheck.engine._details import name_epochs
from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._judging import judge
from samplercheck.engine._regions import cases_beyond
from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.explain import borders, change, resumed
from samplercheck.explain.cause import find_cause
from samplercheck.explain.causes import PARTITION, SEEDED
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.seeds import note_seeds
from samplercheck.explain.seen import FEWEST, MOST_CASES, Afresh, Found, Seen
from samplercheck.explain.words import EXACT, NECESSARY
from samplercheck.laws.resumes_exactly import AT_ENDS
from samplercheck.laws.selection import all_laws
from samplercheck.search.chosen import thin_out
from samplercheck.search.dear import fewer_by
from samplercheck.targets.features import feature
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence, Outcome
from samplercheck.values.trace import Trace

MOST_WITH_WORKERS = 4
MOST_ALIKE = 24
MOST_LARGER, MOST_LONG, SEVERAL = 8, 1_000, 2
LONGER = 4
SHORT = "leave several batches not full"
ALIKE = {"lengths": change.lengths_1, "labels": change.labels_alike, "weights": change.weights_alike}


def gather_seen(inquiry: Inquiry, told: Sequence[tuple[Case, bool]]) -> Seen:
    """Return what was seen of a broken law; of large cases also those of which it was ``told`` meanwhile."""
    search, failing = inquiry.search, inquiry.failing
    if not failing:
        beyond = (*cases_beyond(inquiry), *(case for case, said in told if said))
        failing = list(dict.fromkeys(case for case in beyond if case.stop is None))
    return Seen(
        failing=failing or _leave_out_dear(inquiry.page.own),
        beyond=inquiry.failing_beyond,
        broken={page.law.code for page in search.ledger.broken},
        small=[case for case, _ in told] or search.ledger.small,
        evidence=_evidence_of(inquiry),
        fewest=min(FEWEST, len(failing)) or 1,  # of cases that a law wants for itself there are few
        most=MOST_CASES // fewer_by(search.dear_case),
        beside=[law for law in all_laws() if law.code in PARTITION and law.applies(search.scope)],
    )


def _evidence_of(inquiry: Inquiry) -> Evidence:
    """Return what the smallest case shows, or else that stops at ends alone are wrong: it has no others."""
    shown = inquiry.example.violations[0].evidence
    return shown if shown.kind == "ends" and name_epochs(inquiry) == AT_ENDS else inquiry.evidence


def find_feature(inquiry: Inquiry) -> str:
    """Return the condition that a feature differs between samples, where a law holds once it does not."""
    failing = thin_out(inquiry.failing, MOST_ALIKE)
    for name, alike in ALIKE.items():
        if name not in inquiry.search.binding.named or not failing or any(map(alike.is_made_in, failing)):
            continue
        others = [other for case in failing if (other := alike.case(case)) is not None]
        if others and all(inquiry.judge(other) is Outcome.HOLDS for other in others):
            leave_short = _leave_short_batches(inquiry, failing, others)
            return f"{NECESSARY} {name} {SHORT}" if leave_short else f"{NECESSARY} len(set({name})) > 1"
    return ""


def find_longest(inquiry: Inquiry) -> str:
    """Return the condition that a sample is longer than a border, if no shorter ones break a law.

    All cases that break it have such a sample, and small ones that keep it break it with one.
    """
    search, case = inquiry.search, inquiry.smallest.case
    lengths = dict(case.features).get("lengths", ())
    if inquiry.failing or not lengths:
        return ""

    def is_wrong(one: Case, values: Sequence[Any]) -> bool | None:
        return inquiry.is_broken_in(one.but(features={**dict(one.features), "lengths": values}))

    low, high = 1, int(max(lengths))
    if is_wrong(case, [low] * case.length) is not False:
        return ""
    while high - low > 1:
        middle = (low + high) // 2
        is_above = is_wrong(case, [min(one, middle) for one in lengths])
        low, high = (low, middle) if is_above else (middle, high)
    if any(max(feature(one, "lengths")) <= low for one in inquiry.failing_beyond):
        return ""
    small = thin_out([one for one in search.ledger.small if one.length], MOST_LARGER)
    is_enough = all(is_wrong(one, [*feature(one, "lengths")[1:], high]) for one in small)
    return f"{EXACT if is_enough else NECESSARY} max(lengths) > {low}"


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


def _leave_out_dear(own: Sequence[Case]) -> Sequence[Case]:
    """Return the cases that a law has for itself; of those with workers the few that start fewest of them.

    A spawned worker takes seconds to start: such a case is left out where others fail as well.
    """
    if not any(case.workers for case in own):
        return own
    forked = [case for case in own if case.workers < SPAWNED_FROM]
    return sorted(forked or own, key=lambda case: case.world_size * case.workers)[:MOST_WITH_WORKERS]


def traits_of(inquiry: Inquiry, found: Found | None, own: OwnCode | None) -> set[str]:
    """Return what is to be known of a target for what is told of a cause that was found."""
    return set() if found is None else _of_seeds(inquiry, found, own) | _of_place(inquiry, found)


def _of_seeds(inquiry: Inquiry, found: Found, own: OwnCode | None) -> set[str]:
    """Return that its author's code seeds generators otherwise with another seed, which changes nothing."""
    if own is None or found.cause.change is not change.other_seed:
        return set()
    case = inquiry.example.case
    if (other := change.other_seed.case(case)) is None:
        return set()
    given = []
    for one in (case, other):
        with note_seeds(own.holds) as noted:
            inquiry.run(one)
        given.append({*map(repr, noted)})
    return {SEEDED} if all(given) and given[0] != given[1] else set()


def _of_place(inquiry: Inquiry, found: Found) -> set[str]:
    """Return that resumed runs go on one step too early, or too late, in a longer epoch as well.

    The smallest cases have too few steps to tell that from other places.
    """
    if found.cause.change not in (resumed.skipped_to, borders.at_ends):
        return set()
    case = inquiry.smallest.case
    trace = inquiry.run(case.but(length=LONGER * max(case.length, case.batch_size), stop=None, features=()))
    kinds = {one.evidence.kind for one in judge(inquiry.law, trace).violations} if trace else set()
    return {*kinds} if len(kinds) == 1 and kinds <= {"early", "late"} else set()


def find_causes(
    inquiries: Iterable[Inquiry], seen: Mapping[str, Seen], afresh: Afresh | None
) -> dict[str, Found]:
    """Return the causes that were found, by the codes of the laws."""
    causes = {}
    for one in inquiries:
        found = find_cause(one.law, one.search.binding, seen[one.code], one.case_judge, afresh)
        if found is not None and not one.case_judge.is_closed:  # what speaks against it was tested too
            causes[one.code] = found
    return causes
