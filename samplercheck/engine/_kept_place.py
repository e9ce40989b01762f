"""Kept place: what a target keeps in its process: an answer about its rank, or what ranks hand on here.

In training a process is one rank, so that a target may ask for its rank once and go on with that answer. Here
one process stands for all ranks, and each would be the first: no verdict about ranks would say anything of
the target. Where one built again or beside another yields otherwise, or what one of another seed did, what is
wrong with its ranks together is looked at again. Both are asked in copies of this process as it was at first.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from typing import Any

from samplercheck.engine._judging import judge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._probe import case_of
from samplercheck.engine._search import Search
from samplercheck.laws import deterministic, independent_iterators, place_from_group, seed_matters
from samplercheck.targets.alone import PLACE, refuse_early_place
from samplercheck.targets.binding import Binding
from samplercheck.targets.leftovers import Leftovers, list_filled_caches
from samplercheck.targets.splitters import unwrap
from samplercheck.values.case import Case, Options
from samplercheck.values.errors import TargetError
from samplercheck.values.finding import Outcome
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world
from samplercheck.worlds.processes.spare import SpareProcess

LOOK = (12, 2, 2)
FIRST, LAST = 0, 1
UNPLACED = "unplaced"
KEPT = (
    "{name} asks for its place once in a process and keeps the answer{where}. Here the samplers of many "
    "ranks are built in one process, so that all would be the same rank. Let a function of yours forget the "
    "answer before it builds (get_rank.cache_clear(), or module.RANK = None, for what keeps it), and check "
    "that function; or check it in a job: torchrun --nproc-per-node=2 -m samplercheck run TARGET --world "
    "attached."
)
NOT_ASKED_AGAIN = (
    "whether it finds its place in the process group (SC903): it asks once in a process, and here one "
    "process stands for all ranks (--world gloo)"
)
Yielded = tuple[list[bytes], tuple[str, ...]]
"""What each of some ranks yields, and what the target's module kept from that."""
USUAL = "epochs"
MOST_RANKS = 8
HANDED_ON = (
    "not checked: it fails only where ranks share a process, as they do here, and meet what the target keeps "
    "there ({})"
)
KEEPERS = (deterministic.LAW, seed_matters.LAW, independent_iterators.LAW)
"""Laws that what a target keeps in its process breaks: built again, with another seed, beside another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """What a fresh copy is to yield: these ranks of a case, one after the other, by one experiment."""

    case: Case
    ranks: tuple[int, ...]
    experiment: str = "epochs"


def refuse_shared_place(binding: Binding, options: Options) -> None:
    """Refuse a target that all ranks of one process would build for one and the same place."""
    refuse_early_place(binding.factory, binding.named, binding.name)
    refuse_kept_place(binding, options, None)


def refuse_kept_place(binding: Binding, options: Options, ask: Callable[[Any], Any] | None) -> None:
    """Refuse a target whose ranks all yield what the first one in their process does, and else do not.

    Where nobody can be asked this process is copied, unless it has threads or copies are not safe.
    """
    if binding.named & PLACE or binding.contract.sharding != "ranks":
        return
    with ExitStack() as stack:
        if ask is None and threading.active_count() == 1:
            ask = stack.enter_context(SpareProcess(partial(take_in_turn, binding))).ask
        kept = None if ask is None else _find_kept(ask, case_of(binding, LOOK, options), "epochs")
    if kept is not None:
        where = f" ({' and '.join(kept)})" if kept else ""
        raise TargetError(KEPT.format(name=binding.name, where=where))


def set_kept_place_aside(search: Search, options: Options, ask: Callable[[Any], Any] | None) -> None:
    """Let real groups alone judge whether a target finds its place that keeps the first one it has found."""
    page = search.ledger.pages.get(place_from_group.LAW.code)
    if ask is None or page is None or page.smallest is None:
        return
    if _find_kept(ask, case_of(search.binding, LOOK, options), UNPLACED) is not None:
        search.ledger.pages[page.law.code] = Page(page.law, tried=page.tried)
        search.leave_to_groups(page.law, UNPLACED)


def say_kept_place(search: Search) -> None:
    """Say that it was not tried, where no group has judged it."""
    page = search.ledger.pages.get(place_from_group.LAW.code)
    if page is not None and UNPLACED in search.only_in_groups and not page.judged:
        search.unasked[page.law.code] = NOT_ASKED_AGAIN


def _find_kept(ask: Callable[[Any], Any], case: Case, experiment: str) -> tuple[str, ...] | None:
    """Return what keeps a place, as far as it has a name; None where nothing does, or nobody can say."""
    orders = ((LAST, FIRST), (FIRST,))
    together, alone = (ask(InTurn(case=case, ranks=ranks, experiment=experiment)) for ranks in orders)
    if together is None or alone is None:
        return None
    (last, first), kept = together
    (usual,), _ = alone
    return kept if first and usual and first == last != usual else None


def take_in_turn(binding: Binding, asked: InTurn) -> Yielded:
    """Return what ranks yield that run one after the other in this process; of a rank that fails nothing."""
    module = sys.modules.get(unwrap(binding.factory).__module__)
    states, taken = Leftovers(module), []
    with open_world("simulated") as world:
        for rank in asked.ranks:
            record = run_rank(world, binding, asked.case, rank, asked.experiment)
            passes = record.passes if record is not None else ()
            taken.append(b"|".join(one.items.tobytes() for one in passes if len(one.items)))
    return taken, (*list_filled_caches(module), *states.list_changed())


def run_rank(
    world: Any, binding: Binding, case: Case, rank: int, experiment: str, kind: str = ""
) -> Record | None:
    """Return what one rank of a case records of an experiment, without the others; None where it failed."""
    world.only = frozenset({rank})
    trace = world.trace(binding, case, (experiment,), kind)
    return trace.of(experiment)[rank] if trace.is_whole else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """What a fresh copy is to yield: the usual epochs of one rank of a case."""

    case: Case
    rank: int
    kind: str


def set_handed_on_aside(search: Search, ask: Callable[[Any], Any] | None) -> None:
    """Leave laws undecided that are kept where each rank has a process of its own."""
    told = next((law.code for law in KEEPERS if search.ledger.breaks(law)), "")
    if ask is None or search.has_given_up or not told:
        return
    if search.binding.contract.sharding != "ranks" or search.uses_collectives or search.is_of_loaders:
        return
    take = cache(lambda case, rank: ask(Alone(case=case, rank=rank, kind=search.kind)))
    for page in search.ledger.broken:
        if page.law.reads == (USUAL,) and not any(
            _breaks(search, page, case, take) for case in _cases(search, page)
        ):
            search.ledger.put_aside(page, HANDED_ON.format(told))


def _cases(search: Search, page: Page) -> list[Case]:
    """Return the smallest case that breaks a law, and few of the others."""
    assert page.smallest is not None
    others = search.ledger.failing(page)
    return list(dict.fromkeys((page.smallest.case, *others[-1:], *others[:1])))


def _breaks(search: Search, page: Page, case: Case, take: Callable[[Case, int], Any]) -> bool:
    """Whether ranks that share nothing break a law in this case; where that cannot be said they do."""
    assert page.smallest is not None
    if not page.smallest.is_simulated or case.workers or not 1 < case.world_size <= MOST_RANKS:
        return True
    asked = (take(case, rank) for rank in range(case.world_size))
    records = list(takewhile(lambda record: isinstance(record, Record), asked))
    if len(records) < case.world_size:
        return True
    binding = search.binding
    trace = Trace(case, binding.contract, {USUAL: records}, kind=search.kind, named=binding.named)
    return judge(page.law, trace).outcome is not Outcome.HOLDS


def take_alone(binding: Binding, asked: Alone) -> Record | None:
    """Return what one rank records of its usual epochs; None where it failed."""
    with open_world(SIMULATED) as world:
        return run_rank(world, binding, asked.case, asked.rank, USUAL, asked.kind)
