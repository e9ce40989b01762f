"""Shared process: laws that are broken only because ranks hand on here what a target keeps in its process.

In training each rank has a process of its own. Where a target built again yields otherwise (SC402), what is
wrong with its ranks together is looked at once more with each of them in a copy of this process from before
anything ran in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from samplercheck.engine._judging import judge
from samplercheck.engine._kept_place import run_rank
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.laws import deterministic
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world

USUAL = "epochs"
MOST_RANKS = 8
HANDED_ON = (
    "not checked: it fails only where ranks share a process, as they do here, and meet what the target keeps "
    "there (SC402)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """What a fresh copy is to yield: the usual epochs of one rank of a case."""

    case: Case
    rank: int
    kind: str


def set_handed_on_aside(search: Search, ask: Callable[[Any], Any] | None) -> None:
    """Leave laws undecided that are kept where each rank has a process of its own."""
    if ask is None or search.has_given_up or not search.ledger.breaks(deterministic.LAW):
        return
    if search.binding.contract.sharding != "ranks" or search.uses_collectives or search.is_of_loaders:
        return
    for page in search.ledger.broken:
        if page.law.reads == (USUAL,) and not any(
            _breaks(search, page, case, ask) for case in _cases(search, page)
        ):
            search.ledger.put_aside(page, HANDED_ON)


def _cases(search: Search, page: Page) -> list[Case]:
    """Return the smallest case that breaks a law, and few of the others."""
    assert page.smallest is not None
    others = search.ledger.failing(page)
    return list(dict.fromkeys((page.smallest.case, *others[-1:], *others[:1])))


def _breaks(search: Search, page: Page, case: Case, ask: Callable[[Any], Any]) -> bool:
    """Whether ranks that share nothing break a law in this case; where that cannot be said they do."""
    assert page.smallest is not None
    if not page.smallest.is_simulated or case.workers or not 1 < case.world_size <= MOST_RANKS:
        return True
    places = range(case.world_size)
    records = [ask(Alone(case=case, rank=rank, kind=search.kind)) for rank in places]
    if not all(isinstance(record, Record) for record in records):
        return True
    binding = search.binding
    trace = Trace(case, binding.contract, {USUAL: records}, kind=search.kind, named=binding.named)
    return judge(page.law, trace).outcome is not Outcome.HOLDS


def take_alone(binding: Binding, asked: Alone) -> Record | None:
    """Return what one rank records of its usual epochs; None where it failed."""
    with open_world(SIMULATED) as world:
        return run_rank(world, binding, asked.case, asked.rank, USUAL, asked.kind)
