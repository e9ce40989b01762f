"""History in groups: whether what rank processes alone have shown is due to what had run in them before.

Asked while a run explains its broken laws. A case is run again where it has failed, and in processes that
have run nothing yet; nothing is said that has not been seen twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._groups import ComparisonWorld, Groups
from samplercheck.engine._history_search import LOOK, share
from samplercheck.engine._judging import has_hung, judge
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.values.finding import Outcome
from samplercheck.values.wording import HISTORY
from samplercheck.worlds import GroupWorld

MOST, TRIALS, TWICE = 3, 5, 2
"""The most laws of which that is asked, and how often each is tried: new processes take a second."""
ALONE = "in rank processes that have run nothing yet this case holds, twice; where it failed it fails again"


def find_left_in_groups(
    search: Search, fallback: WorldWithFallback, groups: Groups, end: float
) -> dict[str, Explanation]:
    """Return what is said of laws that fail only behind what has run in the same rank processes."""
    pages = [page for page in search.ledger.broken if _can_be_asked(page)]
    found: dict[str, Explanation] = {}
    for page in () if groups.places.attached else search.explain_each(pages[:MOST]):
        assert page.smallest is not None
        world = groups.room_for(page.smallest.case)
        if world is None or time.monotonic() > end:
            break
        ask = partial(_outcome, search, fallback, page)
        if depends_on_others(partial(ask, world), partial(_ask_another, groups, world.name, ask)):
            experiments = tuple(page.smallest.trace.records)
            found[page.law.code] = Explanation(
                cause=f"{HISTORY}.", evidence=ALONE, fix=LOOK, experiments=experiments
            )
    return share(found)


def depends_on_others(again: Callable[[], Outcome], alone: Callable[[], Outcome]) -> bool:
    """Whether a case fails each time behind others and never in new processes, which luck hardly does."""
    return all(again() is Outcome.BROKEN for _ in range(TRIALS)) and all(
        alone() is Outcome.HOLDS for _ in range(TWICE)
    )


def _can_be_asked(page: Page) -> bool:
    one = page.smallest
    is_real = one is not None and not one.is_simulated and not has_hung(one.trace)
    return is_real and not page.law.needs_fresh


def _ask_another(groups: Groups, name: str, ask: Callable[[GroupWorld], Outcome]) -> Outcome:
    world = groups.another(name)
    return Outcome.UNKNOWN if world is None else ask(world)


def _outcome(search: Search, fallback: WorldWithFallback, page: Page, world: GroupWorld) -> Outcome:
    """Return what the law says of its smallest case in a world, by all that was run when it failed."""
    assert page.smallest is not None
    case, asked = page.smallest.case, tuple(page.smallest.trace.records)
    beside = ComparisonWorld(world, fallback.home, None, only_in_groups=search.only_in_groups)
    return judge(page.law, beside.trace(search.binding, case, asked, search.kind)).outcome
