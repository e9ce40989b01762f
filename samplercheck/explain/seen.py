"""Seen: what a run has seen of a broken law, and what cases with one change have shown.

Handed to ``cause`` by the engine, which runs the cases. Values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from samplercheck.explain.causes import Cause
from samplercheck.laws.law import Law
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence, Outcome

MOST_CASES, FEWEST = 40, 3


class Judge(Protocol):
    """Runs cases and says what became of them."""

    def outcome(self, law: Law, binding: Binding, case: Case, *, again: bool = True) -> Outcome:
        """Say what a law says of a case; unless ``again``, of a run of it that was made for another law."""

    def alike(self, binding: Binding, case: Case, changed: Binding, other: Case) -> bool | None:
        """Whether the target yields the very same, built the other way; None where it yields nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a run has seen of a broken law.

    ``failing`` are its cases, ``broken`` the codes of all broken laws: the more there are, the fewer cases
    are run for each, and no more than ``most``. ``small`` are all cases of the small scope, ``evidence`` is
    that of the smallest failing case. ``fewest`` cases at least must show a cause. No failing
    case ``beyond`` the small ones may be as the change would make it.
    """

    failing: Sequence[Case]
    broken: AbstractSet[str]
    small: Sequence[Case] = ()
    evidence: Evidence = field(default_factory=Evidence)
    fewest: int = FEWEST
    most: int = MOST_CASES
    beside: Sequence[Law] = ()
    beyond: Sequence[Case] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A cause with the number of cases that show it, of those that it was tried on."""

    cause: Cause
    shown: int
    tried: int

    @property
    def evidence(self) -> str:
        """What was tested, and what came of it."""
        verb = "hold" if self.cause.matters is None else "yield the very same"
        rest = "; the rest tells nothing" if self.shown < self.tried else ""
        return f"with {self.cause.change.text}, {self.shown} of {self.tried} {verb}{rest}"


Afresh = Callable[[Cause, Case], bool]
"""Whether a case yields the very same with a change, each as the first of a process."""
