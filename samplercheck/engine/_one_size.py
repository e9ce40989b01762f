"""The phase of a run that is about one size alone, which the user has said: how much of it can be afforded.

Where a pass is short all laws are judged. Where it is long, or ranks are many, those of coverage are, from
the usual epochs or their fingerprints; and where there are more ranks than can be afforded, by some of them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import log2
from typing import Any

from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._groups import Groups
from samplercheck.engine._judging import NOT_AT_THIS_LENGTH
from samplercheck.engine._search import Search
from samplercheck.experiments import STREAMED
from samplercheck.experiments.few_ranks import choose_ranks
from samplercheck.laws.law import Law, always
from samplercheck.search.axes import Options, batch_of
from samplercheck.storage.store import Store
from samplercheck.targets.binding import Binding
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.errors import UsageError
from samplercheck.values.fingerprint import MISSED
from samplercheck.values.owed import has_long_passes
from samplercheck.values.sizes import Sizes
from samplercheck.values.wording import pluralise
from samplercheck.worlds import GroupWorld
from samplercheck.worlds.in_rank.surroundings import node_size_of

RANKS, BATCH = 8, 64
AFFORDABLE = 60.0
"""Seconds of a processor that the ranks of a large world may take; ``--max-time`` says another number."""
LONG = 0.1
"""A rank that takes so many seconds is timed alone: others beside it would cost more than they tell."""
FEW_TIMED = 8
ALL_WAYS = 12
"""So many times as long as the usual epochs of a case take all experiments together, about."""
FEW_RANKS, SOME, MANY_SOME = 64, 16, 256
LONGEST_IN_GROUPS = 100_000
MOST_STORED, OF_A_PASS, MOST_STARTED = 2**27, 100, 128
"""Stored cases in which ranks meet more samples, a pass counting for so many more, or that start more workers
are not tried by every run. No search draws one, and a file may have come from anywhere."""
LEFT_TO_REPLAY = "{} left out, too large for every run: `samplercheck replay` tries what is asked for."
NOT_AT_THIS_SIZE = "not checked at this size: it needs passes that are taken in other ways, too"
BOUND = (
    "Fingerprints of {:,} samples an epoch: that a difference goes unseen has a chance of at most 2^{}, "
    "where no sample is off by 2^20 or more."
)
NOTHING = "in no case of this size was there anything that it is about"


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much of a case is carried out: all experiments, and which ranks (None for all)."""

    in_all_ways: bool
    ranks: frozenset[int] | None = None


def stored_cases(search: Search, what: Target, store: Store | None) -> list[Case]:
    """Return the known failing cases of a target that still fit it, and note how many are too large."""
    cases = store.cases_of(what.name) if store is not None else ()
    fitting = [case for case in cases if {name for name, _ in case.options} == set(what.axes)]
    light: list[Case] = []
    for stored in fitting:
        case = stored.but(batch_size=batch_of(search.binding, stored.batch_size, stored.world_size))
        if is_affordable(case, search.binding) and sum(map(_met, [*light, case])) <= MOST_STORED:
            light.append(case)
    if len(light) < len(fitting):
        search.moved.add(LEFT_TO_REPLAY.format(pluralise(len(fitting) - len(light), "stored case")))
    return light


def is_affordable(case: Case, binding: Binding) -> bool:
    """Whether a stored case can be tried in every run, and not only where it is asked for."""
    is_light = _met(case) <= MOST_STORED and case.world_size * case.workers <= MOST_STARTED
    return is_light and not has_long_passes(case, binding.contract)


def _met(case: Case) -> int:
    ranks = max(case.world_size, case.resume_world_size or 0)
    return ranks * case.epochs * (case.length + OF_A_PASS)


def cases_of(sizes: Sizes, binding: Binding, options: Options, ranks: int) -> tuple[Case, ...]:
    """Return the cases of a size: in order and, where the target names them, shuffled and with drop_last."""
    step = binding.contract.replicas
    world = sizes.world_size or max(1, ranks // step) * step
    if world % step:
        raise UsageError(f"A world of {world} ranks cannot have replicas={step}: use a multiple of {step}.")
    batch = sizes.batch_size or batch_of(binding, BATCH, world)
    varied = {name for name in ("shuffle", "drop_last") if name in binding.named}
    found: list[Case] = []
    for values in options:
        first = Case(length=sizes.length, world_size=world, batch_size=batch, epochs=2, options=values)
        if varied:  # epochs of large worlds are dear, and one shows whether all comes
            first = first.but(epochs=2 if world <= FEW_RANKS else 1)
            both = dict.fromkeys(varied, True)
            found += [first.but(epochs=1), first.but(**both)]
        else:
            found.append(first)
    return tuple(found)


def try_one_size(
    search: Search,
    fallback: WorldWithFallback,
    groups: Groups,
    sizes: Sizes,
    options: Options,
    budget: float | None,
) -> None:
    """Try the cases of one size in every world of the run."""
    search.is_of_one_size = True
    alone = search.binding.contract.sharding == "none"
    if groups.places.simulated:
        cases = cases_of(sizes, search.binding, options, 1 if alone else RANKS)
        _try_in_simulation(search, fallback, cases, AFFORDABLE if budget is None else budget)
    for name in groups.places.groups if groups.places.cases else ():
        world = groups.world(name)
        if world is None:
            for page in search.ledger.pages.values():
                page.cut = groups.absent[name]
            continue
        most = world.most_ranks
        cases = cases_of(sizes, search.binding, options, most if groups.places.attached else min(2, most))
        extent = Extent(in_all_ways=sizes.length <= LONGEST_IN_GROUPS)
        _phase(search, name, cases, extent, world)


def _try_in_simulation(
    search: Search, fallback: WorldWithFallback, cases: tuple[Case, ...], budget: float
) -> None:
    home: Any = fallback.home
    extent = _extent_of(search, home, cases, budget)
    home.only = extent.ranks
    try:
        _phase(search, "one size", cases, extent)
    finally:
        home.only = None


def _extent_of(search: Search, home: Any, cases: tuple[Case, ...], budget: float) -> Extent:
    """Return how much of these cases is affordable, by what a rank takes."""
    case = cases[0]
    is_long = has_long_passes(case, search.binding.contract)
    if is_long and case.world_size <= FEW_RANKS:
        return Extent(in_all_ways=False)
    each = sum(_time_rank(search, home, one) for one in cases)
    if not is_long and each * case.world_size * ALL_WAYS <= budget:
        return Extent(in_all_ways=True)
    if case.world_size <= FEW_RANKS or each * case.world_size <= budget or search.uses_collectives:
        return Extent(in_all_ways=False)
    most = max(SOME, min(MANY_SOME, int(budget / each)))
    return Extent(in_all_ways=False, ranks=choose_ranks(case, node_size_of(case.world_size), most))


def _time_rank(search: Search, home: Any, case: Case) -> float:
    """Return the seconds of a processor that a rank takes for its usual epochs.

    What a case takes besides, however many ranks run, is left out, unless a rank takes long by itself.
    """
    last = case.world_size - 1
    alone = min(_time_ranks(search, home, case, {rank}) for rank in (0, last // 2, last))
    few = {last * place // FEW_TIMED for place in range(FEW_TIMED + 1)}
    if alone > LONG or len(few) == 1:
        return max(1e-6, alone)
    return max(1e-6, min(alone, (_time_ranks(search, home, case, few) - alone) / (len(few) - 1)))


def _time_ranks(search: Search, home: Any, case: Case, ranks: set[int]) -> float:
    """Return the seconds of a processor that these ranks take for their usual epochs."""
    home.only = frozenset(ranks)
    began = time.process_time()
    try:
        home.trace(search.binding, case, ("epochs",), search.kind)
    finally:
        home.only = None
    return time.process_time() - began


def _phase(
    search: Search, name: str, cases: tuple[Case, ...], extent: Extent, world: GroupWorld | None = None
) -> None:
    """Try cases, by the laws that so much of them allows, and say of the others why they were not asked."""
    is_long = has_long_passes(cases[0], search.binding.contract)
    laws = search.laws if world is None else search.all_laws
    if not extent.in_all_ways or is_long:
        asked = tuple(law for law in laws if _can_judge(law, is_long=is_long))
        why = NOT_AT_THIS_LENGTH if is_long else NOT_AT_THIS_SIZE
        search.unasked.update({law.code: why for law in laws if law not in asked})
        laws = asked
    if is_long:
        search.moved.add(BOUND.format(cases[0].length, round(log2(MISSED))))
    experiments = () if extent.in_all_ways and not is_long else (STREAMED,) if is_long else ("epochs",)
    with search.judging(laws, world, experiments=experiments):
        search.phase(name, _describe(cases, extent, name), cases, len(cases), counts=False, beat=1)
    for code, page in search.ledger.pages.items():
        if not (search.left_out or page.judged or page.reasons or page.unjudged or page.cut):
            search.unasked.setdefault(code, NOTHING)


def _can_judge(law: Law, *, is_long: bool) -> bool:
    if law.wants is not always:
        return False
    if is_long:
        return law.of_streams
    return law.despite_faults or set(law.reads) <= {"epochs"}


def _describe(cases: tuple[Case, ...], extent: Extent, name: str) -> str:
    case = cases[0]
    text = f"{pluralise(len(cases), 'case')} of length {case.length:,}, world {case.world_size:,}"
    text += f", batch {case.batch_size:,}" if case.batch_size > 1 else ""
    text = text if name == "one size" else f"in {name}: {text}"
    return text if extent.ranks is None else f"{text}, in {len(extent.ranks):,} of the ranks"
