"""Faults of epochs, seeds and knobs: what should move stands still, or moves by something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity._mutant import Mutant
from samplercheck.certifying.sensitivity._planted import Planted, sets_epochs, shuffles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS"]


class FreezesEpochs(Mutant):
    """Stays in epoch 0."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"epoch": 0} if "epoch" in said else {}

    def goes_to(self, epoch: int) -> None:
        self.epoch = epoch
        self.subject.set_epoch(0)


class KeepsItsSteps(FreezesEpochs):
    """Yields the steps of epoch 0 in every epoch, only begun at another one."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        start = self.epoch % max(1, len(whole))
        return iter([*whole[start:], *whole[:start]])


class CountsItsCalls(Mutant):
    """Goes to the epoch whose number is how often it was told one."""

    calls = -1

    def goes_to(self, epoch: int) -> None:
        self.calls += 1
        self.epoch = epoch
        self.subject.set_epoch(self.calls)


class IgnoresItsSeed(Mutant):
    """Shuffles by seed 0 whatever it is told."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"seed": 0} if "seed" in said else {}


class IgnoresShuffle(Mutant):
    """Never shuffles."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"shuffle": False} if "shuffle" in said else {}


class IgnoresDropLast(Mutant):
    """Never drops."""

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:
        return {"drop_last": False} if "drop_last" in said else {}


def _shares_samples(scope: Scope) -> bool:
    """Whether each sample is in one rank's share, so that it shows who keeps which."""
    contract = scope.contract
    once = contract.coverage == "once" and contract.repeats == 1
    return shuffles(scope) and once and contract.batches == "fixed"


def _is_told(scope: Scope) -> bool:
    return shuffles(scope) and "epoch" not in scope.named


def _shuffles_itself(scope: Scope) -> bool:
    return "sampler" not in scope.named and not scope.contract.endless


def _has_the_knob(scope: Scope) -> bool:
    own = _shuffles_itself(scope) and sets_epochs(scope)
    return own and "shuffle" in scope.named and scope.contract.order == "auto"


def _drops_when_told(scope: Scope) -> bool:
    contract = scope.contract
    ends = contract.sharding == "ranks" and not contract.endless
    return ends and "drop_last" in scope.named and contract.tail == "auto"


FAULTS = (
    Planted(
        name="freezes-epochs",
        says="it stays in epoch 0 whatever set_epoch says",
        aim="SC301",
        kind=FreezesEpochs,
        fits=shuffles,
    ),
    Planted(
        name="ignores-shuffle",
        says="it never shuffles",
        aim="SC301",
        kind=IgnoresShuffle,
        fits=_has_the_knob,
    ),
    Planted(
        name="ignores-its-seed",
        says="it shuffles by seed 0 whatever seed it is given",
        aim="SC303",
        kind=IgnoresItsSeed,
        fits=_shuffles_itself,
    ),
    Planted(
        name="counts-its-calls",
        says="it goes to the epoch whose number is how often set_epoch was called",
        aim="SC304",
        kind=CountsItsCalls,
        fits=_is_told,
    ),
    Planted(
        name="keeps-its-share",
        says="in every epoch a rank yields the steps of epoch 0, only begun at another one",
        aim="SC305",
        kind=KeepsItsSteps,
        fits=_shares_samples,
    ),
    Planted(
        name="keeps-its-batches",
        says="in every epoch the batches are those of epoch 0, only begun at another one",
        aim="SC306",
        kind=KeepsItsSteps,
        fits=_shares_samples,
    ),
    Planted(
        name="ignores-drop-last",
        says="it never drops the tail",
        aim="SC105",
        kind=IgnoresDropLast,
        fits=_drops_when_told,
    ),
)
