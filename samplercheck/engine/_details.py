"""Details: what is found out about each law that follows from no other, once its cause was looked for.

Called by ``explain``: after what the law is broken, by which numbers of a tail or which seeds, and in which
line of the target's code; and whether in the first epochs alone, as where a warm-up leaves samples out. What
is run again for seeds or a line is neither judged nor entered. No set-up is named wider than it was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from samplercheck.engine._hangs import name_raising_line
from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._judging import judge
from samplercheck.engine._regions import Where, cases_beyond
from samplercheck.engine._tails import Tail, count_tail
from samplercheck.engine._workers import name_workers, tell_of_few
from samplercheck.explain import rebuilt
from samplercheck.explain.causes import COMES_FROM, LENGTHS, PARTITION, SHARES, Cause
from samplercheck.explain.lines import OwnCode, order_by_nearness
from samplercheck.explain.seeds import note_global_seeds
from samplercheck.explain.seen import Found
from samplercheck.explain.tellings import TELLS
from samplercheck.laws import epoch_after_resume, resumes_exactly
from samplercheck.laws.law import always, has_workers
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.owed import MANY_EPOCHS, compute_owed
from samplercheck.values.trace import Trace

FOR_A_LINE, FOR_WORDS = 16, 24
"""For the line of each law, and for the numbers that it is told with, whatever was left of the others."""
MOST_TRACED = 20_000

LONGEST = 3
EPOCHS, RESUMED = ("epochs",), {"resumed", "saved", "elastic"}
LATER, FEW, EARLY = 40, 6, 8
"""So many epochs are looked at, of so many failing cases; luck shows then. So many are first ones at most."""


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
    tails = [
        count_tail(one, cause, where.text) or tell_of_few(cause, event)
        for (one, where, cause), event in zip(asked, events, strict=True)
    ]
    allow(FOR_A_LINE)
    lines = [
        (_find_seeding(one, own) if reseeding else "") or _find_line(one, own, where.told, cause)
        for (one, where, cause), reseeding in zip(asked, reseedings, strict=True)
    ]
    rows = zip(inquiries, events, lines, tails, reseedings, strict=True)
    return {one.code: Details(event, line, tail or seeds) for one, event, line, tail, seeds in rows}


def cause_of(causes: Mapping[str, Found], code: str) -> Cause | None:
    """Return the cause that was found for a law itself, unless it only says that shares are wrong."""
    found = causes.get(code)
    return found.cause if found and found.cause not in SHARES else None


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


def _find_seeding(inquiry: Inquiry, own: OwnCode | None) -> str:
    """Return the line that sets a global seed; empty where it is not the target's own."""
    line = own.telling_line("seeds", partial(inquiry.run, inquiry.example.case)) if own else ""
    return line.replace(TELLS["seeds"], "this sets the global seed")


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
    if raised := name_raising_line(inquiry.page, own):
        return raised
    # Each call is watched, which takes long: of hundreds of epochs not all are needed.
    brief = shown.case.but(epochs=min(shown.case.epochs, MANY_EPOCHS))
    run = partial(inquiry.run, brief)
    place = cause.place_for(inquiry.code, inquiry.page.kinds) if cause else None
    by_cause, by_cases = (
        partial(own.telling_line, place, run),
        partial(_find_deciding_line, inquiry, own, told),
    )
    # Where the order is dealt out is where that can be fixed, and not always what decides.
    asked = (by_cases, by_cause) if place == "deals" else (by_cause, by_cases)
    if found := next(filter(None, (ask() for ask in asked)), ""):
        return found
    # What draws the order of finished batches is not what puts them together, and a seed that lacks the epoch
    # is right where a wrapper does not pass it on.
    changes = (rebuilt.epoch_in_seed,) if place is None else (rebuilt.passed_on,)
    is_apart = cause is not None and cause.change in changes
    # Where nothing seems to shuffle, a seed has no part in it.
    aside = "seeds" if "unshuffled" in inquiry.page.kinds else ""
    drawn = () if is_apart else [what for what in COMES_FROM.get(inquiry.code, ()) if what != aside]
    line = next(filter(None, (own.telling_line(what, run) for what in drawn)), "")
    return "" if line and _runs_other_code(inquiry, own, brief) else line


def _runs_other_code(inquiry: Inquiry, own: OwnCode, brief: Case) -> bool:
    """Whether epochs that were left out run lines of their own: then those may be the wrong ones, or not."""
    whole = inquiry.example.case
    if whole == brief or whole.epochs * whole.length * whole.world_size > MOST_TRACED:
        return False
    with own.record() as few:
        inquiry.run(brief)
    with own.record() as ran:
        inquiry.run(whole)
    return not few.keys() >= ran.keys()


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
    # No line of a run without a stop is wrong of a resumed one alone, none of a right pass of its length.
    is_of_passes = any(page.law.code in PARTITION for page in search.ledger.broken)
    is_of_length = inquiry.code in LENGTHS and not is_of_passes
    return own.deciding_line(
        order_by_nearness(failing, nearest),
        order_by_nearness(holding, nearest),
        inquiry.is_broken_in,
        beside=inquiry.run_epochs if RESUMED & {*inquiry.law.reads} else None,
        within="__len__" if is_of_length else "",
    )


def name_set_up(inquiry: Inquiry) -> str:
    """Return in which set-up alone a law was broken; empty where what the law says of it is enough."""
    if inquiry.law.wants is has_workers:
        return name_workers(inquiry)
    if inquiry.law is resumes_exactly.LAW:
        return name_epochs(inquiry)
    if inquiry.smallest.violations[0].event == epoch_after_resume.AT_ONCE:
        return name_epochs(inquiry) or inquiry.law.event
    if inquiry.law.event_at_once and not inquiry.smallest.violations[0].event:
        return _name_beginning(inquiry)
    return ""


def name_epochs(inquiry: Inquiry) -> str:
    """Name after which stops resumed runs go wrong, where that is so in all of the longest cases.

    In a single one luck may keep the others right, as where the rest of an epoch has few orders.
    """
    cases = inquiry.failing or cases_beyond(inquiry)
    rounds = sorted(cases, key=lambda case: case.length // (case.world_size * case.batch_size))
    traces = [inquiry.run(case) for case in rounds[-LONGEST:]]
    events = {seen.event for one in traces if one is not None for seen in judge(inquiry.law, one).violations}
    return events.pop() if len(events) == 1 else inquiry.law.event if events else ""


def _name_beginning(inquiry: Inquiry) -> str:
    """Name that passes have to begin at once: they disturb each other in no case of many epochs."""
    plain = [case for case in inquiry.failing if not case.features] or inquiry.failing
    longest = sorted(plain, key=lambda case: case.length)[-LONGEST:]
    told = [inquiry.is_broken_in(case.but(epochs=MANY_EPOCHS)) for case in longest]
    return inquiry.law.event_at_once if told and all(said is False for said in told) else ""


def count_first_epochs(inquiry: Inquiry) -> int:
    """Return behind how many first epochs a law is broken no more; 0 where it is, or is about several."""
    contract, law, shown = inquiry.search.binding.contract, inquiry.law, inquiry.example
    is_of_epochs = law.reads == EPOCHS and law.wants is always and contract.epochs == "set_epoch"
    if not shown.is_simulated or not is_of_epochs or contract.endless:
        return 0
    small = thin_out(inquiry.failing, FEW)
    cases = dict.fromkeys((shown.case, *(case for case in small if case.length)))
    last = 0
    for case in cases:
        number = 0 if case.epochs > LATER else _count_in(inquiry, case)
        last = max(last, number)
        if not 0 < number <= EARLY:
            return 0
    return last


def _count_in(inquiry: Inquiry, case: Case) -> int:
    """Return the number of epochs up to the last one that breaks a law by itself."""
    trace = inquiry.run(case.but(epochs=LATER, stop=None))
    if trace is None or not trace.is_whole:
        return 0
    verdicts = [judge(inquiry.law, _only(trace, epoch)) for epoch in range(LATER)]
    failing = [epoch for epoch, verdict in enumerate(verdicts) if verdict.outcome is Outcome.BROKEN]
    return failing[-1] + 1 if failing else 0


def _only(trace: Trace, epoch: int) -> Trace:
    records = [replace(record, passes=record.passes[epoch : epoch + 1]) for record in trace.of("epochs")]
    return Trace(
        trace.case.but(epochs=1), trace.contract, {"epochs": records}, kind=trace.kind, named=trace.named
    )
