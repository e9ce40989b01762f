"""Faults of resuming: one step too far, the wrong epoch behind it, states that say too little or too much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from samplercheck.certifying.faults.mutant import KnownFault, Mutant, shuffles
from samplercheck.laws.law import Scope, always


class ResumesTooFar(Mutant):
    """Resumed from a state it leaves out one step."""

    skips = 0

    def load(self, state: Any) -> None:
        super().load(state)
        self.skips = 1

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        left, self.skips = self.skips, 0
        return islice(steps, left, None)


class ConsumesTooMuch(Mutant):
    """It counts one global step more as consumed than it is given."""

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        consumed = bound.get("consumed")
        if not consumed:
            return {}
        return {"consumed": consumed + (bound.get("world_size") or 1) * (bound.get("batch_size") or 1)}


class StaysInItsEpoch(Mutant):
    """Resumed from a state it stays in that epoch."""

    is_resumed, told = False, 0

    def load(self, state: Any) -> None:
        super().load(state)
        self.is_resumed, self.told = True, 0

    def go_to(self, epoch: int) -> None:
        self.told += 1
        if not (self.is_resumed and self.told > 1):
            super().go_to(epoch)


class _Enveloped(ResumesTooFar):
    """Puts something beside the target's own state, and goes one step too far for it."""

    def beside(self) -> Any:
        """Return what lies beside the state."""
        return None

    def goes_wrong(self, beside: Any) -> bool:  # noqa: ARG002  (faults read it)
        """Whether a run is resumed wrongly."""
        return False

    def save(self) -> Any:
        return {"state": super().save(), "beside": self.beside()}

    def load(self, state: Any) -> None:
        super().load(state["state"])
        self.skips = int(self.goes_wrong(state["beside"]))


class LosesCountTheSecondTime(_Enveloped):
    """Resumed for the second time it leaves out one step."""

    is_resumed = False

    def beside(self) -> Any:
        return self.is_resumed

    def goes_wrong(self, beside: Any) -> bool:
        self.is_resumed = True
        return bool(beside)


class LosesCountWhenSavedAtOnce(_Enveloped):
    """Resumed from a state that was loaded and saved at once it leaves out one step."""

    is_untouched = False

    def beside(self) -> Any:
        return self.is_untouched

    def goes_wrong(self, beside: Any) -> bool:
        self.is_untouched = True
        return bool(beside)

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        self.is_untouched = False
        return super().change_steps(steps)


class LosesCountInAnotherWorld(_Enveloped):
    """Resumed in a world of another size it leaves out one step."""

    def beside(self) -> Any:
        return self.world

    def goes_wrong(self, beside: Any) -> bool:
        return bool(beside != self.world)


class TakesAnyState(_Enveloped):
    """It goes on from a state of another world or rank, one step too far."""

    def beside(self) -> Any:
        return [self.place, self.world]

    def goes_wrong(self, beside: Any) -> bool:
        return bool(beside != self.beside())

    def load(self, state: Any) -> None:
        try:
            super().load(state)
        except Exception:  # noqa: BLE001  (however the target refuses it)
            self.skips = 1


class SavesAnObject(_Enveloped):
    """Its state holds an object that no safe checkpoint takes."""

    def beside(self) -> Any:
        return Unsafe()


class Unsafe:
    """What torch's safe loading refuses."""


def _has_a_state(scope: Scope) -> bool:
    return scope.contract.resume != "consumed"


def _counts_samples(scope: Scope) -> bool:
    return scope.contract.resume == "consumed"


def _promises_of_others(scope: Scope) -> bool:
    return scope.contract.foreign_state != "any" and {"rank", "world_size"} <= scope.named


def _reshuffles(scope: Scope) -> bool:
    """Whether set_epoch alone leads out of a resumed epoch, to another order."""
    is_led = "epoch" not in scope.named and scope.contract.epochs != "either"
    return _has_a_state(scope) and shuffles(scope) and is_led


FAULTS = (
    KnownFault("resumes-too-far", "SC701", ResumesTooFar, _has_a_state),
    KnownFault("consumes-too-much", "SC701", ConsumesTooMuch, _counts_samples),
    KnownFault("stays-in-its-epoch", "SC702", StaysInItsEpoch, _reshuffles),
    KnownFault("loses-count-the-second-time", "SC703", LosesCountTheSecondTime, _has_a_state),
    KnownFault("saves-an-object", "SC704", SavesAnObject, always),
    KnownFault("loses-count-in-another-world", "SC705", LosesCountInAnotherWorld, _has_a_state),
    KnownFault("takes-any-state", "SC706", TakesAnyState, _promises_of_others),
    KnownFault("loses-count-when-saved-at-once", "SC707", LosesCountWhenSavedAtOnce, _has_a_state),
)  # fmt: skip
