"""Faults of lengths, of reuse and of what an object does to its surroundings."""

from __future__ import annotations

import random
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

from samplercheck.certifying.sensitivity._mutant import Mutant
from samplercheck.certifying.sensitivity._planted import Planted, is_plain
from samplercheck.certifying.sensitivity.yields import swapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS"]

HALF = 0.5


class LiesAboutLength(Mutant):
    """Says that it yields one step more than it does."""

    def __len__(self) -> int:
        return len(self.subject) + 1


class LengthDrifts(Mutant):
    """Says one more each time that it is asked for its length."""

    asked = -1

    def __len__(self) -> int:
        self.asked += 1
        return len(self.subject) + self.asked


class UnlikeItsTwin(Mutant):
    """Yields, in some objects, its second step before its first."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swapped(steps) if random.Random(self.number).random() < HALF else steps


class Reseeds(Mutant):
    """Reseeds the process's generators when it is iterated."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        random.seed(0)
        torch = sys.modules.get("torch")
        if torch is not None:
            torch.manual_seed(0)
        return steps


class IsSpent(Mutant):
    """Yields nothing when it is iterated again without a new epoch."""

    def __init__(self, subject: Any, said: dict[str, Any], number: int) -> None:
        super().__init__(subject, said, number)
        self.is_new = True

    def goes_to(self, epoch: int) -> None:
        super().goes_to(epoch)
        self.is_new = True

    def steps(self) -> Iterable[Any]:
        if not self.is_new:
            return ()
        self.is_new = False
        return super().steps()


class SharesItsIterator(Mutant):
    """Hands out the open iterator again until it has ended."""

    opened: Iterator[Any] | None = None

    def steps(self) -> Iterable[Any]:
        if self.opened is None:
            self.opened = self._until_closed(iter(super().steps()))
        return self.opened

    def _until_closed(self, steps: Iterator[Any]) -> Iterator[Any]:
        yield from steps
        self.opened = None


class KeepsTheRest(SharesItsIterator):
    """Yields first what an abandoned pass has left."""

    def steps(self) -> Iterable[Any]:
        left, self.opened = self.opened or iter(()), None
        return chain(left, super().steps())


class CannotBePickled(Mutant):
    """Refuses to be pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("a planted error: cannot be pickled")


class MarksWhatItWraps(Mutant):
    """Leaves a mark on the sampler that it wraps."""

    def __init__(self, subject: Any, said: dict[str, Any], number: int) -> None:
        super().__init__(subject, said, number)
        if "sampler" in said:
            said["sampler"].marked = True


def _tells_epochs_apart(scope: Scope) -> bool:
    return is_plain(scope) and not scope.contract.endless


def _has_steps_left(scope: Scope) -> bool:
    """Whether a pass that is given up after a step has any left; a splitter's has one alone."""
    return is_plain(scope) and "splitter" not in scope.traits


def _keeps_out(scope: Scope) -> bool:
    return scope.contract.ambient_rng == "independent"


FAULTS = (
    Planted(
        name="lies-about-its-length",
        says="its len() is one more than it yields",
        aim="SC201",
        kind=LiesAboutLength,
    ),
    Planted(
        name="length-drifts",
        says="its len() is one more each time that it is asked",
        aim="SC202",
        kind=LengthDrifts,
    ),
    Planted(
        name="unlike-its-twin",
        says="some objects yield their second step before their first",
        aim="SC402",
        kind=UnlikeItsTwin,
    ),
    Planted(
        name="reseeds",
        says="it reseeds the process's generators when it is iterated",
        aim="SC403",
        kind=Reseeds,
        fits=_keeps_out,
    ),
    Planted(
        name="is-spent",
        says="it yields nothing when it is iterated again in one epoch",
        aim="SC501",
        kind=IsSpent,
        fits=_tells_epochs_apart,
    ),
    Planted(
        name="shares-its-iterator",
        says="two passes that are open at once take their steps from one iterator",
        aim="SC502",
        kind=SharesItsIterator,
        fits=is_plain,
    ),
    Planted(
        name="keeps-the-rest",
        says="it yields first what an abandoned pass has left",
        aim="SC503",
        kind=KeepsTheRest,
        fits=_has_steps_left,
    ),
    Planted(
        name="cannot-be-pickled",
        says="it refuses to be pickled",
        aim="SC504",
        kind=CannotBePickled,
        fits=is_plain,
    ),
    Planted(
        name="marks-what-it-wraps",
        says="it leaves a mark on the sampler that it wraps",
        aim="SC505",
        kind=MarksWhatItWraps,
    ),
)
