"""Details: what is found out about each law that follows from no other, once its cause was looked for.

Called by ``explain``: after what the law is broken, by which numbers of a tail or which seeds, and in which
line of the target's code. What is run again for seeds or a line is neither judged nor entered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._regions import Where
from samplercheck.engine._search import Search
from samplercheck.engine._set_ups import name_set_up
from samplercheck.engine._tails import Tail, count_tail
from samplercheck.explain.cause import Found
from samplercheck.explain.causes import COMES_FROM, Cause
from samplercheck.explain.lines import OwnCode, order_by_nearness
from samplercheck.explain.seeds import note_global_seeds
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.owed import MANY_EPOCHS, compute_owed

FOR_A_LINE, FOR_WORDS = 16, 24
"""For the line of each law, and for the numbers that it is told with, whatever was left of the others."""
MOST_TRACED = 20_000


class Reseeding(NamedTuple):
    """What a target does that sets a global seed, in few words, why it does harm, and which."""

    fault: str
    cause: str
    consequence: str = "same random draws"


class Details(NamedTuple):
    """What is said of a law that follows from no other: after what, by which line, what is better known."""

    event: str = ""
    line: str = ""
    better: Tail | Reseeding | None = None


def find_details(
    search: Search,
    case_judge: CaseJudge,
    own: OwnCode | None,
    pages: list[Page],
    regions: Mapping[str, Where],
    causes: Mapping[str, Found],
) -> dict[str, Details]:
    """Return the details of each law, for which some cases are run."""
    case_judge.allow(FOR_WORDS * len(pages) // search.dear_pass)
    events = [name_set_up(search, case_judge, page) for page in pages]
    reseedings = [_find_reseeding(own, search, case_judge, page) for page in pages]
    asked = [(page, regions[page.law.code], cause_of(causes, page)) for page in pages]
    tails = [count_tail(search, case_judge, page, cause, where.text) for page, where, cause in asked]
    case_judge.allow(FOR_A_LINE * len(pages) // search.dear_pass)
    lines = [_find_line(own, case_judge, search, page, where.told, cause) for page, where, cause in asked]
    return {
        page.law.code: Details(event, line, tail or reseeding)
        for page, event, line, tail, reseeding in zip(pages, events, lines, tails, reseedings, strict=True)
    }


def cause_of(causes: Mapping[str, Found], page: Page) -> Cause | None:
    """Return the cause that was found for a law itself."""
    found = causes.get(page.law.code)
    return found.cause if found else None


def _find_reseeding(
    own: OwnCode | None, search: Search, case_judge: CaseJudge, page: Page
) -> Reseeding | None:
    """Return that a target sets a global seed, and to what; None where it draws, or nobody knows."""
    shown = page.example
    if own is None or shown is None or shown.trace.world != SIMULATED:
        return None
    seen, case = shown.violations[0].evidence, shown.case
    if seen.kind != "moved" or seen.way or page.law.reads != ("epochs",):
        return None
    with note_global_seeds(own.holds) as noted:
        case_judge.run_unjudged(page.law, search.binding, case)
    seeds = [seed for name, seed in noted if name == seen.argument]
    number = len(seeds) // case.world_size
    if not number or len(seeds) % case.world_size:
        return None
    is_alike = case.world_size > 1 and seeds == seeds[:number] * case.world_size
    by_epoch = " to the epoch" if seeds[:number] == list(range(case.epochs)) else ""
    alike, on_ranks = (" alike on all ranks", " on all ranks") if is_alike else ("", "")
    return Reseeding(
        f"sets {seen.argument}'s seed{alike}",
        f"It sets the global seed of {seen.argument}{by_epoch}: dropout and augmentation draw the same "
        f"numbers{on_ranks}, whatever seed the job has.",
    )


def _find_line(
    own: OwnCode | None,
    case_judge: CaseJudge,
    search: Search,
    page: Page,
    told: Sequence[tuple[Case, bool]],
    cause: Cause | None,
) -> str:
    """Return the line of the target's code that decides whether a law fails; empty where none is found.

    That is the one which does what the ``cause`` is about, or runs in failing cases alone, or else one from
    which what is wrong comes. Where it fails in no small case, those are looked at of which it is ``told``.
    """
    shown = page.example
    if own is None or shown is None:
        return ""
    if raised := own.raising_line(shown.violations[0].detail):
        return raised
    # Each call is watched, which takes long: of hundreds of epochs not all are needed.
    brief = shown.case.but(epochs=min(shown.case.epochs, MANY_EPOCHS))
    run = partial(case_judge.run_unjudged, page.law, search.binding, brief)
    if told_by_cause := own.telling_line(cause.place_for(page.kinds) if cause else None, run):
        return told_by_cause
    if decides := _find_deciding_line(own, case_judge, search, page, told):
        return decides
    lines = (own.telling_line(what, run) for what in COMES_FROM.get(page.law.code, ()))
    return next(filter(None, lines), "")


def _find_deciding_line(
    own: OwnCode, case_judge: CaseJudge, search: Search, page: Page, told: Sequence[tuple[Case, bool]]
) -> str:
    """Return the line that runs in failing cases alone, or in holding ones; where each case is dear, none."""
    shown = page.example
    if shown is None or search.uses_collectives or search.is_of_loaders:
        return ""
    outcomes = {Outcome.BROKEN: True, Outcome.HOLDS: False}
    small, aside = search.ledger.small, {*page.failing, *page.small.undecided}
    failing = [small[place] for place in page.failing]
    cheap = [(case, said) for case, said in told if case.length * case.world_size <= MOST_TRACED]
    failing = failing or [case for case, said in cheap if said]
    holding = [case for place, case in enumerate(small) if place not in aside]
    holding += [case for case, said in cheap if not said]
    # In a case in which nothing is due no line that yields ever runs.
    contract, batched = search.binding.contract, search.kind == "batches"
    holding = [case for case in holding if compute_owed(case, contract, batched=batched).total != 0]
    if page.law.orders_of and all(case.shuffle for case in failing):  # of orders, that shuffles is no news
        holding = [case for case in holding if case.shuffle]
    nearest = page.smallest.case if told and page.smallest else shown.case
    return own.deciding_line(
        order_by_nearness(failing, nearest),
        order_by_nearness(holding, nearest),
        lambda case: outcomes.get(case_judge.outcome(page.law, search.binding, case)),
    )
