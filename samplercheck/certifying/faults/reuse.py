"""Faults of epochs, seeds and knobs, of lengths, of reuse, and of what an object does to its surroundings."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NoReturn

from samplercheck.certifying.faults.mutant import KnownFault, Mutant, is_plain, sets_epochs, shuffles
from samplercheck.certifying.faults.yields import ends_plain, swap_first_two
from samplercheck.laws.law import Scope, always
from samplercheck.targets.features import INNERS

HALF = 0.5


class LiesAboutLength(Mutant):
    """Its len() is one more than it yields."""

    def __len__(self) -> int:
        return len(self.behind) + 1


class LengthDrifts(Mutant):
    """Its len() is one more each time that it is asked."""

    asked = -1

    def __len__(self) -> int:
        self.asked += 1
        return len(self.behind) + self.asked


class UnlikeItsTwin(Mutant):
    """Some objects yield their second step before their first."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swap_first_two(steps) if random.Random(self.number).random() < HALF else steps


class Reseeds(Mutant):
    """It reseeds the process's generators when it is iterated."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        random.seed(0)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.manual_seed(0)
        return steps


class IsSpent(Mutant):
    """It yields nothing when it is iterated again in one epoch."""

    def __init__(self, behind: Any, bound: dict[str, Any], number: int) -> None:
        super().__init__(behind, bound, number)
        self.is_new = True

    def go_to(self, epoch: int) -> None:
        super().go_to(epoch)
        self.is_new = True

    def steps(self) -> Iterable[Any]:
        if not self.is_new:
            return ()
        self.is_new = False
        return super().steps()


class SharesItsIterator(Mutant):
    """Two passes that are open at once take their steps from one iterator."""

    opened: Iterator[Any] | None = None

    def steps(self) -> Iterable[Any]:
        if self.opened is None:
            self.opened = self._until_closed(iter(super().steps()))
        return self.opened

    def _until_closed(self, steps: Iterator[Any]) -> Iterator[Any]:
        yield from steps
        self.opened = None


class KeepsTheRest(SharesItsIterator):
    """It yields first what an abandoned pass has left."""

    def steps(self) -> Iterable[Any]:
        left, self.opened = self.opened or iter(()), None
        return chain(left, super().steps())


class CannotBePickled(Mutant):
    """It refuses to be pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("a planted error: cannot be pickled")


class MarksWhatItWraps(Mutant):
    """It leaves a mark on the sampler that it wraps."""

    def __init__(self, behind: Any, bound: dict[str, Any], number: int) -> None:
        super().__init__(behind, bound, number)
        for name in INNERS:
            if name in bound:
                bound[name].marked = True


def _has_passes(scope: Scope) -> bool:
    """Whether iterators are apart: a new one does not go on with the rest, nor with a walk without an end."""
    contract = scope.contract
    goes_on = contract.after_break == "rest" or (contract.endless and contract.is_one_walk)
    return is_plain(scope) and not goes_on


def _has_steps_left(scope: Scope) -> bool:
    """Whether a pass that is given up after a step has any left; a splitter's has one alone."""
    return _has_passes(scope) and "splitter" not in scope.traits


def _keeps_out(scope: Scope) -> bool:
    return scope.contract.ambient_rng == "independent"


FAULTS = (
    KnownFault("lies-about-its-length", "SC201", LiesAboutLength, always),
    KnownFault("length-drifts", "SC202", LengthDrifts, always),
    KnownFault("unlike-its-twin", "SC402", UnlikeItsTwin, always),
    KnownFault("reseeds", "SC403", Reseeds, _keeps_out),
    KnownFault("is-spent", "SC501", IsSpent, ends_plain),
    KnownFault("shares-its-iterator", "SC502", SharesItsIterator, _has_passes),
    KnownFault("keeps-the-rest", "SC503", KeepsTheRest, _has_steps_left),
    KnownFault("cannot-be-pickled", "SC504", CannotBePickled, is_plain),
    KnownFault("marks-what-it-wraps", "SC505", MarksWhatItWraps, always),
)  # fmt: skip


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


EPOCH_FAULTS = (
    KnownFault("freezes-epochs", "SC301", FreezesEpochs, shuffles),
    KnownFault("ignores-shuffle", "SC301", IgnoresShuffle, _has_the_knob),
    KnownFault("ignores-its-seed", "SC303", IgnoresItsSeed, _shuffles_itself),
    KnownFault("counts-its-calls", "SC304", CountsItsCalls, _is_told),
    KnownFault("keeps-its-share", "SC305", KeepsItsSteps, _shares_samples),
    KnownFault("keeps-its-batches", "SC306", KeepsItsSteps, _shares_samples,
               "in every epoch the batches are those of epoch 0, starting at another step"),
    KnownFault("ignores-drop-last", "SC105", IgnoresDropLast, _drops_when_told),
)  # fmt: skip
