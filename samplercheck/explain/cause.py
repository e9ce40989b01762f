"""Cause: the first change with which a broken law holds in every failing case that it was tried on.

Called by the engine, which hands in what judges a case. Nothing is said that no run has shown; a
change that cannot be made in half of the cases shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from samplercheck.explain.causes import CAUSES, Cause
from samplercheck.finding import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.laws._law import Law

__all__ = ["Found", "Judge", "find_cause"]

MOST_CASES = 40
MOST_IN_ALL = 160
FEWEST_CASES = 12
FEWEST = 3


class Judge(Protocol):
    """Runs cases and says what became of them."""

    def outcome(self, law: Law, binding: Binding, case: Case) -> Outcome:
        """Say what a law says of a case."""
        ...

    def alike(self, binding: Binding, case: Case, changed: Binding, other: Case) -> bool:
        """Whether the target yields the very same when it is built the other way in the other case."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A cause with the number of cases that show it."""

    cause: Cause
    shown: int

    @property
    def evidence(self) -> str:
        """What was tested, and what came of it."""
        verb = "yield the very same" if self.cause.alike else "hold"
        return f"with {self.cause.change.text}, {self.shown} of {self.shown} {verb}"


def find_cause(
    law: Law,
    binding: Binding,
    failing: Sequence[Case],
    broken: AbstractSet[str],
    judge: Judge,
    fewest: int = FEWEST,
) -> Found | None:
    """Return the cause of a law's failing, shown by ``fewest`` cases at least, or None.

    ``broken`` are all laws that this run saw broken: the more there are, the fewer cases are run for each.
    """
    cases = _spread(failing, max(FEWEST_CASES, min(MOST_CASES, MOST_IN_ALL // len(broken))))
    for cause in CAUSES:
        if law.code not in cause.laws or broken & set(cause.unless):
            continue
        if not binding.named.issuperset(cause.change.needs):
            continue
        shown = _shown(cause, law, binding, cases, judge)
        if shown >= max(fewest, len(cases) / 2):
            return Found(cause, shown)
    return None


def _spread(cases: Sequence[Case], most: int) -> list[Case]:
    """Return ``most`` of the cases, the smallest and the largest among them."""
    if len(cases) <= most:
        return list(cases)
    last = len(cases) - 1
    return [cases[number * last // (most - 1)] for number in range(most)]


def _shown(cause: Cause, law: Law, binding: Binding, cases: Sequence[Case], judge: Judge) -> int:
    """Return in how many cases the change does what it should; 0 as soon as it does not in one.

    A case of which the law has nothing to say any more, once changed, shows nothing.
    """
    changed = cause.change.binding(binding)
    shown = 0
    for case in cases:
        other = cause.change.case(case)
        if other is None:
            continue
        if cause.alike:
            outcome = Outcome.HOLDS if judge.alike(binding, case, changed, other) else Outcome.BROKEN
        else:
            outcome = judge.outcome(law, changed, other)
        if outcome not in (Outcome.HOLDS, Outcome.NOT_APPLICABLE):
            return 0
        shown += outcome is Outcome.HOLDS
    return shown
