"""Faults of resuming: one step too far, the wrong epoch behind it, states that say too little or too much."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity._mutant import Mutant
from samplercheck.certifying.sensitivity._planted import Planted, shuffles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS"]


class ResumesTooFar(Mutant):
    """Leaves out one step when it goes on from a state."""

    skips = 0

    def loads(self, state: Any) -> None:
        super().loads(state)
        self.skips = 1

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        left, self.skips = self.skips, 0
        return islice(steps, left, None)


class ConsumesTooMuch(Mutant):
    """Takes one global step more for consumed than it is told."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        consumed = said.get("consumed")
        if not consumed:
            return {}
        return {"consumed": consumed + (said.get("world_size") or 1) * (said.get("batch_size") or 1)}


class StaysInItsEpoch(Mutant):
    """Stays in the epoch that it was resumed in."""

    is_resumed, told = False, 0

    def loads(self, state: Any) -> None:
        super().loads(state)
        self.is_resumed, self.told = True, 0

    def goes_to(self, epoch: int) -> None:
        self.told += 1
        if not (self.is_resumed and self.told > 1):
            super().goes_to(epoch)


class _Enveloped(ResumesTooFar):
    """Puts something beside the target's own state, and goes one step too far for it."""

    def beside(self) -> Any:
        """Return what lies beside the state."""
        return None

    def goes_astray(self, beside: Any) -> bool:  # noqa: ARG002  (faults read it)
        """Whether a run is resumed wrongly."""
        return False

    def saves(self) -> Any:
        return {"state": super().saves(), "beside": self.beside()}

    def loads(self, state: Any) -> None:
        super().loads(state["state"])
        self.skips = int(self.goes_astray(state["beside"]))


class LosesCountTheSecondTime(_Enveloped):
    """Goes one step too far when it is resumed from the state of a resumed run."""

    is_resumed = False

    def beside(self) -> Any:
        return self.is_resumed

    def goes_astray(self, beside: Any) -> bool:
        self.is_resumed = True
        return bool(beside)


class LosesCountInAnotherWorld(_Enveloped):
    """Goes one step too far when it is resumed in a world of another size."""

    def beside(self) -> Any:
        return self.world

    def goes_astray(self, beside: Any) -> bool:
        return bool(beside != self.world)


class SavesAnObject(_Enveloped):
    """Puts an object into its state that no safe checkpoint takes."""

    def beside(self) -> Any:
        return Unsafe()


class Unsafe:
    """What torch's safe loading refuses."""


def _has_a_state(scope: Scope) -> bool:
    return scope.contract.resume != "consumed"


def _counts_samples(scope: Scope) -> bool:
    return scope.contract.resume == "consumed"


def _reshuffles(scope: Scope) -> bool:
    return _has_a_state(scope) and shuffles(scope) and "epoch" not in scope.named


FAULTS = (
    Planted(
        name="resumes-too-far",
        says="resumed from a state it leaves out one step",
        aim="SC701",
        kind=ResumesTooFar,
        fits=_has_a_state,
    ),
    Planted(
        name="consumes-too-much",
        says="it takes one global step more for consumed than it is told",
        aim="SC701",
        kind=ConsumesTooMuch,
        fits=_counts_samples,
    ),
    Planted(
        name="stays-in-its-epoch",
        says="resumed from a state it stays in that epoch",
        aim="SC702",
        kind=StaysInItsEpoch,
        fits=_reshuffles,
    ),
    Planted(
        name="loses-count-the-second-time",
        says="resumed for the second time it leaves out one step",
        aim="SC703",
        kind=LosesCountTheSecondTime,
        fits=_has_a_state,
    ),
    Planted(
        name="saves-an-object",
        says="its state holds an object that no safe checkpoint takes",
        aim="SC704",
        kind=SavesAnObject,
    ),
    Planted(
        name="loses-count-in-another-world",
        says="resumed in a world of another size it leaves out one step",
        aim="SC705",
        kind=LosesCountInAnotherWorld,
        fits=_has_a_state,
    ),
)
