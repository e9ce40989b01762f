"""Set-ups: the situation in which a law is broken, named no wider than it was tried.

Asked while a run explains its broken laws; the few cases that are run for it enter no ledger.
"""

from __future__ import annotations

import re

from samplercheck.engine._inquiry import Inquiry
from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.laws.law import has_workers
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.wording import join_words

RANKS = (1, 2, 3)
"""Of what workers do wrong nobody knows whether it takes so many ranks, before others are tried."""
MORE_RANKS = 4
"""Tried where a law holds on as many ranks as workers alone, by which even numbers are told from that one."""
FEW = 3


def name_set_up(inquiry: Inquiry) -> str:
    """Return in which set-up alone a law was broken; empty where what the law says of it is enough."""
    if inquiry.law.wants is has_workers:
        return _name_workers(inquiry)
    if inquiry.law.event_at_once and not inquiry.smallest.violations[0].event:
        return _name_beginning(inquiry)
    return ""


def _name_workers(inquiry: Inquiry) -> str:
    failing = {(case.workers, case.world_size) for case in inquiry.page.own}
    least = min((workers for workers, _ in failing), default=0)
    if not 1 < least < SPAWNED_FROM:
        return ""
    case = inquiry.smallest.case
    told = {ranks: inquiry.is_broken_in(_on_ranks(case, ranks)) for ranks in RANKS}
    told |= {ranks: True for workers, ranks in failing if workers == least}
    event = inquiry.smallest.violations[0].event or inquiry.law.event
    named = re.sub(r"with ((?:\w+ )?workers)", rf"with {least} \1", event)
    if all(said is (ranks != least) for ranks, said in told.items()):
        told[MORE_RANKS] = inquiry.is_broken_in(_on_ranks(case, MORE_RANKS))
    broken = [str(ranks) for ranks, said in sorted(told.items()) if said]
    sound = [str(ranks) for ranks, said in sorted(told.items()) if said is False]
    if broken == ["1"] and not sound:
        return ""
    if not sound:
        return f"{named}, seen on {join_words(broken)} ranks"
    on_ranks = f"on {join_words(broken)} {'rank' if broken == ['1'] else 'ranks'}"
    return f"{named}, seen {on_ranks}, not on {join_words(sound)}"


def _on_ranks(case: Case, ranks: int) -> Case:
    """Return a case with as many samples for each rank."""
    return case.but(world_size=ranks, length=max(1, case.length // case.world_size) * ranks, features=())


def _name_beginning(inquiry: Inquiry) -> str:
    """Name that passes have to begin at once: they disturb each other in no case of many epochs."""
    plain = [case for case in inquiry.failing if not case.features]
    longest = sorted(plain, key=lambda case: case.length)[-FEW:]
    told = [inquiry.is_broken_in(case.but(epochs=MANY_EPOCHS)) for case in longest]
    return inquiry.law.event_at_once if told and all(said is False for said in told) else ""
