"""Workers: with how many of them, on how many ranks and with how few samples a law about them is broken.

Asked while a run explains its broken laws. Each case that is run for it starts workers, and enters no ledger.
"""

from __future__ import annotations

import re

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._tails import Tail
from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.explain import change, loaded
from samplercheck.explain.causes import Cause
from samplercheck.values.case import Case
from samplercheck.values.wording import join_words

RANKS = (1, 2, 3)
"""Of what workers do wrong nobody knows whether it takes so many ranks, before others are tried."""
MORE_RANKS = 4
"""Tried where a law holds on as many ranks as workers alone, by which even numbers are told from that one."""
MANY = 64
"""So many samples, and some more, are enough for workers that go wrong for want of them."""
IN_A_ROW, LONGER = 6, 4
ONLY = "; on 1 rank only where "
SPLIT_FEW = Tail(
    cause="Every worker yields all that its rank has, if that is too little for all of them.",
    fix="In __iter__, split also what is too little for all workers: who gets none yields nothing.",
)
TOO_FEW = Tail(
    cause="The code does not handle fewer samples than workers.",
    fix="In __iter__, let workers for which no sample is left yield nothing.",
)


def name_workers(inquiry: Inquiry) -> str:
    """Return with how many workers and on which ranks a law is broken; empty where any number may do."""
    failing = {(case.workers, case.world_size) for case in inquiry.page.own}
    least = min((workers for workers, _ in failing), default=0)
    if not 1 < least < SPAWNED_FROM:
        return ""
    case = inquiry.smallest.case
    told = {ranks: _is_broken_on(inquiry, case, ranks) for ranks in RANKS}
    told |= {ranks: True for workers, ranks in failing if workers == least}
    event = inquiry.smallest.violations[0].event or inquiry.law.event
    named = re.sub(r"with ((?:\w+ )?workers)", rf"with {least} \1", event)
    if all(said is (ranks != least) for ranks, said in told.items()):
        told[MORE_RANKS] = _is_broken_on(inquiry, case, MORE_RANKS)
    broken = [str(ranks) for ranks, said in sorted(told.items()) if said]
    sound = [str(ranks) for ranks, said in sorted(told.items()) if said is False]
    if broken == ["1"] and not sound:
        return ""
    if not sound:
        return f"{named}, seen on {join_words(broken)} ranks{_say_few(inquiry, case)}"
    on_ranks = f"on {join_words(broken)} {'rank' if broken == ['1'] else 'ranks'}"
    return f"{named}, seen {on_ranks}, not on {join_words(sound)}"


def tell_of_few(cause: Cause | None, event: str) -> Tail | None:
    """Return why workers go wrong and what to do, where they do so for want of samples alone."""
    told = {loaded.split: SPLIT_FEW, change.whole_shares: TOO_FEW}
    return told.get(cause.change) if cause is not None and ONLY in event else None


def _say_few(inquiry: Inquiry, case: Case) -> str:
    """Say up to how many samples of one rank its workers go wrong; nothing if there is no such number.

    With more samples, and with many, they have to be right, whatever is left over for some of them.
    """
    workers = case.workers

    def is_wrong(length: int) -> bool | None:
        return inquiry.is_broken_in(case.but(length=length, world_size=1, features=()))

    def is_right(length: int) -> bool:
        return all(is_wrong(length + more) is False for more in range(IN_A_ROW))

    most, enough = case.length, MANY
    if case.world_size > 1 or not is_right(MANY):
        return ""
    while enough - most > 1:
        middle = (most + enough) // 2
        most, enough = (middle, enough) if is_wrong(middle) else (most, middle)
    if not is_right(enough):
        return ""
    taken = inquiry.search.binding.signature.parameters.values()
    sizes = {one.default * (workers - 1): one.name for one in taken if type(one.default) is int}
    where = f"ceil(length / {sizes[most]}) < workers" if most in sizes else f"length <= {most}"
    return f"{ONLY}{'length < workers' if most == workers - 1 else where}"


def _is_broken_on(inquiry: Inquiry, case: Case, ranks: int) -> bool | None:
    """Whether a law is broken on so many ranks, with as many samples for each or with more of them."""
    one = _on_ranks(case, ranks)
    said = inquiry.is_broken_in(one)
    return inquiry.is_broken_in(one.but(length=LONGER * one.length)) if said is False else said


def _on_ranks(case: Case, ranks: int) -> Case:
    """Return a case with as many samples for each rank."""
    return case.but(world_size=ranks, length=max(1, case.length // case.world_size) * ranks, features=())
