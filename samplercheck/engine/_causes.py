"""Causes: why laws are broken, as far as cases with one thing changed show it.

Asked while a run explains its broken laws. What is run for it enters no ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from samplercheck.engine._details import name_epochs
from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._judging import judge
from samplercheck.engine._regions import cases_beyond
from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.explain import borders, change, resumed
from samplercheck.explain.cause import find_cause
from samplercheck.explain.causes import LEAVES_OUT, PARTITION, SEEDED
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.seeds import note_seeds
from samplercheck.explain.seen import FEWEST, MOST_CASES, Afresh, Found, Seen
from samplercheck.laws import complete
from samplercheck.laws.resumes_exactly import AT_ENDS
from samplercheck.laws.selection import all_laws
from samplercheck.search.dear import fewer_by
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence
from samplercheck.values.owed import MANY_EPOCHS

MOST_WITH_WORKERS = 4
OF_MANY_EPOCHS = 4
"""So many times fewer cases are run for a cause where each is of many epochs."""
LONGER = 4


def gather_seen(inquiry: Inquiry, told: Sequence[tuple[Case, bool]]) -> Seen:
    """Return what was seen of a broken law; of large cases also those of which it was ``told`` meanwhile."""
    search, failing = inquiry.search, inquiry.failing
    if not failing:
        beyond = (*cases_beyond(inquiry), *(case for case, said in told if said))
        failing = list(dict.fromkeys(case for case in beyond if case.stop is None))
    are_long = any(case.epochs >= MANY_EPOCHS for case in failing[:1])
    return Seen(
        failing=failing or _leave_out_dear(inquiry.page.own),
        beyond=inquiry.failing_beyond,
        broken={page.law.code for page in search.ledger.broken},
        small=[case for case, _ in told] or search.ledger.small,
        evidence=_evidence_of(inquiry),
        fewest=min(FEWEST, len(failing)) or 1,  # of cases that a law wants for itself there are few
        most=MOST_CASES // max(fewer_by(search.dear_case), OF_MANY_EPOCHS if are_long else 1),
        beside=[law for law in all_laws() if law.code in PARTITION and law.applies(search.scope)],
    )


def _evidence_of(inquiry: Inquiry) -> Evidence:
    """Return what the smallest case shows, or else that stops at ends alone are wrong: it has no others."""
    shown = inquiry.example.violations[0].evidence
    return shown if shown.kind == "ends" and name_epochs(inquiry) == AT_ENDS else inquiry.evidence


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
    if found is None:
        return set()
    broken = {page.law for page in inquiry.search.ledger.broken}
    is_part = inquiry.search.binding.contract.coverage == "subset"
    leaves_out = {LEAVES_OUT} if complete.LAW in broken or is_part else set()
    return _of_seeds(inquiry, found, own) | _of_place(inquiry, found) | leaves_out


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
    """Return that resumed runs go on one step too early or late, or as the first one, in a longer epoch, too.

    The smallest cases have too few steps to tell that from other places.
    """
    if found.cause.change not in (resumed.skipped_to, borders.at_ends):
        return set()
    case = inquiry.smallest.case
    trace = inquiry.run(case.but(length=LONGER * max(case.length, case.batch_size), stop=None, features=()))
    kinds = {one.evidence.kind for one in judge(inquiry.law, trace).violations} if trace else set()
    return {*kinds} if len(kinds) == 1 and kinds <= {"early", "late", "first"} else set()


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
