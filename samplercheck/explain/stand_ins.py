"""Stand-ins: objects that are used in place of a target's own and differ from it in one habit.

Made by the changes of ``rebuilt``, used by experiments like any sampler, in a rank. Everything they
do not do themselves is done by the object behind them. Imports torch.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import cloudpickle
from torch.utils.data import IterableDataset

from samplercheck.targets.proxy import Proxy, set_epoch_of


class Unasked(Proxy):
    """Its length is told by another object, so that it is never asked itself."""

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__(make())
        self.make = make

    def __len__(self) -> int:
        return len(with_epoch(self.make(), self.epoch))


class Whole(Proxy):
    """Its length is an integer: what ``__len__`` returns, rounded up."""

    def __len__(self) -> int:
        length: int = math.ceil(type(self.behind).__len__(self.behind))
        return length


class Fresh(Unasked):
    """A new object for every pass and every question, put into its epoch."""

    def __iter__(self) -> Iterator[Any]:
        return iter(with_epoch(self.make(), self.epoch))


class SetAgain(Proxy):
    """Put into its epoch again before every pass."""

    def __iter__(self) -> Iterator[Any]:
        return iter(with_epoch(self.behind, self.epoch or 0))


class Still(Proxy):
    """Never told of an epoch."""

    def go_to(self, epoch: int) -> None:
        """Keep it for oneself."""
        self.epoch = epoch


class Kept(Proxy):
    """Tells its copy, made through pickle, which epoch it is in."""

    def __reduce__(self) -> tuple[Any, ...]:
        return with_epoch, (self.behind, self.epoch)


class Travelling(Proxy):
    """Pickled with its functions by value, those that have no name included."""

    def __reduce__(self) -> tuple[Any, ...]:
        return cloudpickle.loads, (cloudpickle.dumps(self.behind),)


class PassedOn(Proxy):
    """Tells the epoch to whatever the object holds that can be told, or to what that holds."""

    def __getattr__(self, name: str) -> Any:
        return self.go_to if name == "set_epoch" else super().__getattr__(name)

    def go_to(self, epoch: int) -> None:
        """Tell the object and what it holds."""
        super().go_to(epoch)
        for held in vars(self.behind).values():
            inside = () if hasattr(held, "set_epoch") else getattr(held, "__dict__", {}).values()
            for one in (held, *inside):
                if hasattr(one, "set_epoch"):
                    one.set_epoch(epoch)


class EpochInSeed(Proxy):
    """Built again for every epoch, with the epoch added to the seed."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__(make(0))
        self.make = make

    def __getattr__(self, name: str) -> Any:
        return self.go_to if name == "set_epoch" else super().__getattr__(name)

    def go_to(self, epoch: int) -> None:
        """Build the object of the epoch."""
        self.epoch = epoch
        self.behind = self.make(epoch)


class TakenWhole(Proxy):
    """Every pass is run to its end, or ``most`` steps of it, before its first item is handed out."""

    def __init__(self, make: Callable[[], Any], most: int) -> None:
        self.most = most
        super().__init__(make())

    def __iter__(self) -> Iterator[Any]:
        return iter(list(islice(self.behind, self.most)))


class Copied(Proxy):
    """Hands out copies of its batches."""

    def __iter__(self) -> Iterator[Any]:
        return map(copy.copy, self.behind)


class InBatches(Proxy):
    """Its length, taken for a number of samples, is told in batches."""

    def __init__(self, behind: Any, size: int) -> None:
        super().__init__(behind)
        self.size = size

    def __len__(self) -> int:
        return math.ceil(len(self.behind) / self.size)


class Mapped(Proxy):
    """Every index goes through ``change``, which also gets the number of the epoch."""

    def __init__(self, behind: Any, change: Callable[[Any, int], Any]) -> None:
        super().__init__(behind)
        self.change = change

    def __iter__(self) -> Iterator[Any]:
        for item in self.behind:
            if isinstance(item, Sequence):
                yield [self.change(one, self.epoch or 0) for one in item]
            else:
                yield self.change(item, self.epoch or 0)


class MappedStream(Mapped, IterableDataset):  # type: ignore[type-arg]
    """A stream that goes through ``change``: workers iterate it, not the process that iterates samplers."""


def size_of(item: Any) -> int | None:
    """Return how many samples a batch has; None of what is no batch."""
    return len(item) if isinstance(item, Sequence) or getattr(item, "ndim", False) else None


def with_epoch(subject: Any, epoch: int | None) -> Any:
    """Return the object, put into its epoch where it was put into one."""
    setter = None if epoch is None else set_epoch_of(subject)
    if setter is not None:
        setter(epoch)  # type: ignore[arg-type]  # it is a number here
    return subject
