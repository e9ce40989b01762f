"""Details: what is found out about each law that follows from no other, once its cause was looked for.

Called by ``explain``: after what the law is broken, by which numbers of a tail or which seeds, and in which
line of the target's code. What is run again for seeds or a line is neither judged nor entered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._regions import Where
from samplercheck.engine._set_ups import name_set_up
from samplercheck.engine._tails import Tail, count_tail
from samplercheck.explain.cause import Found
from samplercheck.explain.causes import COMES_FROM, Cause
from samplercheck.explain.lines import OwnCode, order_by_nearness
from samplercheck.explain.seeds import note_global_seeds
from samplercheck.values.case import Case
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
    inquiries: Sequence[Inquiry],
    allow: Callable[[int], None],
    own: OwnCode | None,
    regions: Mapping[str, Where],
    causes: Mapping[str, Found],
) -> dict[str, Details]:
    """Return the details of each law; ``allow`` lets so many cases be run for each of them."""
    allow(FOR_WORDS)
    events = [name_set_up(one) for one in inquiries]
    reseedings = [_find_reseeding(one, own) for one in inquiries]
    asked = [(one, regions[one.code], cause_of(causes, one.code)) for one in inquiries]
    tails = [count_tail(one, cause, where.text) for one, where, cause in asked]
    allow(FOR_A_LINE)
    lines = [_find_line(one, own, where.told, cause) for one, where, cause in asked]
    rows = zip(inquiries, events, lines, tails, reseedings, strict=True)
    return {one.code: Details(event, line, tail or seeds) for one, event, line, tail, seeds in rows}


def cause_of(causes: Mapping[str, Found], code: str) -> Cause | None:
    """Return the cause that was found for a law itself."""
    found = causes.get(code)
    return found.cause if found else None


def _find_reseeding(inquiry: Inquiry, own: OwnCode | None) -> Reseeding | None:
    """Return that a target sets a global seed, and to what; None where it draws, or nobody knows."""
    shown = inquiry.example
    if own is None or not shown.is_simulated:
        return None
    seen, case = shown.violations[0].evidence, shown.case
    if seen.kind != "moved" or seen.way or inquiry.law.reads != ("epochs",):
        return None
    with note_global_seeds(own.holds) as noted:
        inquiry.run(case)
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
    inquiry: Inquiry, own: OwnCode | None, told: Sequence[tuple[Case, bool]], cause: Cause | None
) -> str:
    """Return the line of the target's code that decides whether a law fails; empty where none is found.

    That is the one which does what the ``cause`` is about, or runs in failing cases alone, or else one from
    which what is wrong comes. Where it fails in no small case, those are looked at of which it is ``told``.
    """
    shown = inquiry.example
    if own is None:
        return ""
    if raised := own.raising_line(shown.violations[0].detail):
        return raised
    # Each call is watched, which takes long: of hundreds of epochs not all are needed.
    brief = shown.case.but(epochs=min(shown.case.epochs, MANY_EPOCHS))
    run = partial(inquiry.run, brief)
    if told_by_cause := own.telling_line(cause.place_for(inquiry.page.kinds) if cause else None, run):
        return told_by_cause
    if decides := _find_deciding_line(inquiry, own, told):
        return decides
    lines = (own.telling_line(what, run) for what in COMES_FROM.get(inquiry.code, ()))
    return next(filter(None, lines), "")


def _find_deciding_line(inquiry: Inquiry, own: OwnCode, told: Sequence[tuple[Case, bool]]) -> str:
    """Return the line that runs in failing cases alone, or in holding ones; where each case is dear, none."""
    search = inquiry.search
    if search.uses_collectives or search.is_of_loaders:
        return ""
    cheap = [(case, said) for case, said in told if case.length * case.world_size <= MOST_TRACED]
    failing = inquiry.failing or [case for case, said in cheap if said]
    holding = inquiry.holding + [case for case, said in cheap if not said]
    # In a case in which nothing is due no line that yields ever runs.
    contract, batched = search.binding.contract, search.kind == "batches"
    holding = [case for case in holding if compute_owed(case, contract, batched=batched).total != 0]
    if inquiry.law.orders_of and all(case.shuffle for case in failing):  # of orders, that shuffles is no news
        holding = [case for case in holding if case.shuffle]
    nearest = inquiry.smallest.case if told else inquiry.example.case
    return own.deciding_line(
        order_by_nearness(failing, nearest), order_by_nearness(holding, nearest), inquiry.is_broken_in
    )
