"""Faults of epochs, seeds and knobs: what should move stands still, or moves by something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samplercheck.certifying.faults._mutant import KnownFault, Mutant, sets_epochs, shuffles
from samplercheck.laws.law import Scope


class FreezesEpochs(Mutant):
    """It stays in epoch 0 whatever set_epoch says."""

    instead = "epoch", 0

    def go_to(self, epoch: int) -> None:
        super().go_to(0)
        self.epoch = epoch


class KeepsItsSteps(FreezesEpochs):
    """In every epoch a rank yields the steps of epoch 0, starting at another step."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        start = (self.epoch or 0) % max(1, len(whole))
        return iter([*whole[start:], *whole[:start]])


class CountsItsCalls(Mutant):
    """It goes to the epoch whose number is how often set_epoch was called."""

    calls = -1

    def go_to(self, epoch: int) -> None:
        self.calls += 1
        super().go_to(self.calls)
        self.epoch = epoch


class IgnoresItsSeed(Mutant):
    """It shuffles by seed 0 whatever seed it is given."""

    instead = "seed", 0


class IgnoresShuffle(Mutant):
    """It never shuffles."""

    instead = "shuffle", False


class IgnoresDropLast(Mutant):
    """It never drops the tail."""

    instead = "drop_last", False


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
    """Whether epochs are alike where it never shuffles: those of subsets may hold other samples."""
    own = _shuffles_itself(scope) and sets_epochs(scope) and scope.contract.coverage != "subset"
    return own and "shuffle" in scope.named and scope.contract.order == "auto"


def _drops_when_told(scope: Scope) -> bool:
    contract = scope.contract
    ends = contract.sharding == "ranks" and not contract.endless
    return ends and "drop_last" in scope.named and contract.tail == "auto"


FAULTS = (
    KnownFault("freezes-epochs", "SC301", FreezesEpochs, shuffles),
    KnownFault("ignores-shuffle", "SC301", IgnoresShuffle, _has_the_knob),
    KnownFault("ignores-its-seed", "SC303", IgnoresItsSeed, _shuffles_itself),
    KnownFault("counts-its-calls", "SC304", CountsItsCalls, _is_told),
    KnownFault("keeps-its-share", "SC305", KeepsItsSteps, _shares_samples),
    KnownFault("keeps-its-batches", "SC306", KeepsItsSteps, _shares_samples,
               "in every epoch the batches are those of epoch 0, starting at another step"),
    KnownFault("ignores-drop-last", "SC105", IgnoresDropLast, _drops_when_told),
)  # fmt: skip
