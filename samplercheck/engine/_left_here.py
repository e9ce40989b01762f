"""Left here: whether a case fails in this process by what others have left in the target's modules.

Asked of a run that has no other process to ask. What the target's modules keep is put back as it was before
the run; nothing is said of a case that does not hold each time then, and fail each time without.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._history import Histories, can_be_asked, states_of
from samplercheck.engine._history_search import FIX, KEEPS, LOOK, MOST_NAMES, TRIALS, share
from samplercheck.engine._judging import judge
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.targets.leftovers import Leftovers
from samplercheck.targets.target import Target
from samplercheck.values.finding import Outcome
from samplercheck.values.wording import HISTORY
from samplercheck.worlds import HomeWorld

HOLDS, BROKEN = Outcome.HOLDS, Outcome.BROKEN
THAT_HELD = "with that put back as it was before the run this case holds, without it fails"
ALL_HELD = "with the states of the target's modules put back this case holds, without it fails"


class LeftHere:
    """What a target's modules keep before a run, and what is said of failures by what they keep behind it."""

    def __init__(self, target: Target) -> None:
        self._target, self._before = target, states_of(target, near=True)

    def find(self, search: Search, home: HomeWorld, end: float) -> Histories:
        """Return what is said of the laws whose smallest cases fail by what others have left."""
        behind = states_of(self._target, near=True)
        changed = tuple(name for name in self._before.list_changed() if name in behind.names)
        found: dict[str, Explanation] = {}
        pages = [page for page in search.ledger.broken if can_be_asked(search, page)] if changed else []
        for page in search.explain_each(pages):
            if time.monotonic() > end:
                break
            trial = _Trial(search, home, page, behind, self._before, changed)
            if trial.holds_without(changed):
                found[page.law.code] = trial.tell()
        behind.put_back(changed)
        return Histories(share(found))


@dataclass(frozen=True, slots=True)
class _Trial:
    """The smallest case of a law, run with what was left and without it."""

    search: Search
    home: HomeWorld
    page: Page
    behind: Leftovers
    before: Leftovers
    changed: tuple[str, ...]

    def holds_without(self, names: tuple[str, ...]) -> bool:
        """Whether it holds each time when these states are as before the run, and else fails, in turns."""
        return all(self._outcome(names) is HOLDS and self._outcome(()) is BROKEN for _ in range(TRIALS))

    def tell(self) -> Explanation:
        """Return what is said of the law, with the one state that makes the difference, if there is one."""
        name = next((name for name in self.changed[:MOST_NAMES] if self.holds_without((name,))), "")
        assert self.page.smallest is not None
        return Explanation(
            cause=KEEPS.format(name) if name else f"{HISTORY}.",
            evidence=THAT_HELD if name else ALL_HELD,
            fix=FIX.format(name) if name else LOOK,
            experiments=tuple(self.page.smallest.trace.records),
        )

    def _outcome(self, names: tuple[str, ...]) -> Outcome:
        assert self.page.smallest is not None
        self.behind.put_back(self.changed)
        self.before.put_back(names)
        case, search = self.page.smallest, self.search
        trace = self.home.trace(search.binding, case.case, tuple(case.trace.records), search.kind)
        return judge(self.page.law, trace).outcome
