"""Change: one thing made different in a case, in how the target is built, or in the object it builds.

Applied by ``cause``. A change gives a case and a binding to run instead, or nothing where it cannot
be made. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from samplercheck.binding import Binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.case import Case

    Build = Callable[[Case, int, dict[str, Any]], Any]
    Rebuild = Callable[[Build, Case, int, dict[str, Any]], Any]

__all__ = [
    "Change",
    "as_many_as_ranks",
    "not_divided",
    "otherwise_built",
    "other_place",
    "whole_batches",
    "whole_rounds",
]


class Changed(Binding):
    """A binding whose objects are built otherwise; ``rebuild`` gets the original's ``build`` to call."""

    def __init__(self, binding: Binding, rebuild: Rebuild) -> None:
        self.__dict__.update(binding.__dict__)
        self._rebuild = rebuild
        self._build = binding.build

    def build(self, case: Case, rank: int, changes: dict[str, Any]) -> Any:
        """Return the object of one rank, built the other way."""
        return self._rebuild(self._build, case, rank, changes)


@dataclass(frozen=True, slots=True)
class Change:
    """What is made different: the words for it, the case to run instead, and how to build.

    ``case`` may return None: there the change cannot be made. ``needs`` are bound names without
    which it makes no sense for a target.
    """

    text: str
    case: Callable[[Case], Case | None] = lambda case: case
    rebuild: Rebuild | None = None
    needs: tuple[str, ...] = ()

    def binding(self, binding: Binding) -> Binding:
        """Return the binding that builds the changed way."""
        return binding if self.rebuild is None else Changed(binding, self.rebuild)


def otherwise_built(text: str, rebuild: Rebuild, *needs: str) -> Change:
    """Return a change of how the target's objects are built or used."""
    return Change(text, rebuild=rebuild, needs=needs)


def other_place(text: str, *needs: str, **fields: Any) -> Change:
    """Return a change of some fields of the case, where they differ."""

    def changed(case: Case) -> Case | None:
        other = case.but(**fields)
        return None if other == case else other

    return Change(text, case=changed, needs=needs)


def _filled(case: Case, multiple: int) -> Case | None:
    return _of_length(case, case.length + -case.length % multiple)


def _of_length(case: Case, length: int) -> Case | None:
    """Return the case with more samples, their features repeated; None where it has that length."""
    if length == case.length:
        return None
    features = {name: [values[place % case.length] for place in range(length)] for name, values in case.features}
    return replace(case, length=length, features=features)


whole_rounds = Change(
    "length a multiple of world_size", case=lambda case: _filled(case, case.world_size)
)
whole_batches = Change(
    "length a multiple of world_size * batch_size",
    case=lambda case: _filled(case, case.world_size * case.batch_size),
    needs=("batch_size",),
)
not_divided = Change(
    "one sample more, which world_size does not divide",
    case=lambda case: _of_length(case, case.length + 1) if case.world_size > 1 else None,
)
as_many_as_ranks = Change(
    "at least one sample for each rank",
    case=lambda case: _of_length(case, max(case.length, case.world_size)) if case.length else None,
)
