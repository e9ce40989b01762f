"""What wrappers wrap: the kit's own sampler and batch sampler, sound ones, which are torch's in kind.

Made by bindings, inside a rank, and written into scripts. Derived from the case. Imports torch, which may be
imported where a target is built, and not before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from typing import Any

from torch.utils.data import BatchSampler, Sampler

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract

NOT_THERE = object()
PLAIN = (bool, int, float, type(None))
"""What is told as it is: texts may be long."""

KNOBS = ("shuffle", "seed", "batch_size", "drop_last")


class InnerSampler(Sampler[int]):
    """The sound single-process sampler that wrappers get: its order depends on (seed, epoch) alone.

    One that ``moves_on`` goes to the next epoch by itself when a pass has begun, as RandomSampler does.
    """

    def __init__(self, length: int, *, shuffle: bool, seed: int, moves_on: bool = False) -> None:
        self.length = length
        self.shuffle = shuffle
        self.seed = seed
        self.moves_on = moves_on
        self.epoch = 0

    @classmethod
    def of(cls, case: Case, contract: Contract) -> InnerSampler:
        """Return the inner sampler of a case; it shuffles where the contract promises a shuffle."""
        shuffle = case.shuffle or contract.order == "shuffled"
        return cls(case.length, shuffle=shuffle, seed=case.seed, moves_on=contract.epochs == "advance")

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def order_of(self, epoch: int) -> list[int]:
        """Return the order of an epoch without changing anything."""
        order = list(range(self.length))
        if self.shuffle:
            random.Random(f"{self.seed}/{epoch}").shuffle(order)
        return order

    def settings(self) -> dict[str, Any]:
        """Everything that a wrapper must not change, its own additions included."""
        return {name: value for name, value in vars(self).items() if name != "epoch"}

    @property
    def is_intact(self) -> bool:
        """Whether what is kept is unchanged; here nothing is kept."""
        return True

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        order = self.order_of(self.epoch)
        self.epoch += self.moves_on
        yield from order


class InnerBatchSampler(BatchSampler):
    """The sound batch sampler that wrappers get, around an inner sampler.

    It makes lists of its own for each pass, as torch's does, and keeps the last: a wrapper that adds to one,
    or empties it, has changed them. Without a batch size its batches differ in size.
    """

    sampler: InnerSampler
    batch_size: int | None  # type: ignore[assignment]

    def __init__(self, sampler: InnerSampler, size: int, *, varies: bool, drop_last: bool) -> None:
        self.sampler = sampler
        self.batch_size = None if varies else size
        self.drop_last = drop_last
        self._size = size
        self._kept: tuple[int, list[list[int]]] = (-1, [])

    @classmethod
    def of(cls, case: Case, contract: Contract) -> InnerBatchSampler:
        """Return the inner batch sampler of a case; its batches vary where the contract says so."""
        varies = contract.batches == "variable"
        sampler = InnerSampler.of(case, contract)
        return cls(sampler, case.batch_size, varies=varies, drop_last=case.drop_last)

    @property
    def epoch(self) -> int:
        """The epoch of the sampler inside, however it was set."""
        return self.sampler.epoch

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.sampler.set_epoch(epoch)

    def batches_of(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch, in lists of their own."""
        order = self.sampler.order_of(epoch)
        if self.batch_size is None:
            return _cut_unevenly(order, self._size)
        ends = len(order) - len(order) % self.batch_size if self.drop_last else len(order)
        return [order[start : start + self.batch_size] for start in range(0, ends, self.batch_size)]

    def order_of(self, epoch: int) -> list[int]:
        """Return the samples of an epoch, batches opened, without changing anything."""
        return [sample for batch in self.batches_of(epoch) for sample in batch]

    def settings(self) -> dict[str, Any]:
        """Everything that a wrapper must not change, apart from the lists that are kept."""
        own = {name: value for name, value in vars(self).items() if name not in ("sampler", "_kept")}
        return own | {f"sampler.{name}": value for name, value in self.sampler.settings().items()}

    @property
    def is_intact(self) -> bool:
        """Whether the lists that are kept are unchanged."""
        epoch, kept = self._kept
        return epoch < 0 or kept == self.batches_of(epoch)

    def __len__(self) -> int:
        return len(self.batches_of(self.epoch))

    def __iter__(self) -> Iterator[list[int]]:
        self._kept = self.epoch, self.batches_of(self.epoch)
        self.sampler.epoch += self.sampler.moves_on
        yield from self._kept[1]


def _cut_unevenly(order: list[int], size: int) -> list[list[int]]:
    """Cut an order into batches of one more than ``size``, of one, of ``size``, and so on."""
    rest, sizes = iter(order), cycle((size + 1, 1, size))
    return list(iter(lambda: list(islice(rest, next(sizes))), []))


MADE: dict[str, type[InnerSampler | InnerBatchSampler]] = {
    "sampler": InnerSampler,
    "batch_sampler": InnerBatchSampler,
}
"""What is made for a parameter that names what the target wraps."""


def inner_of(
    name: str, case: Case, contract: Contract, changes: Mapping[str, Any] | None = None
) -> InnerSampler | InnerBatchSampler:
    """Return what a wrapper wraps; ``changes`` of the wrapper's arguments apply to it as well."""
    changed = {knob: changes[knob] for knob in KNOBS if knob in changes} if changes else {}
    if changed.get("batch_size", 1) < 1:  # a value that the wrapper should refuse
        del changed["batch_size"]
    return MADE[name].of(case.but(**changed), contract)


def name_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Say of each setting of an inner sampler that was changed what it is, and what it was."""
    pairs = [(name, before.get(name, NOT_THERE), now.get(name, NOT_THERE)) for name in {**before, **now}]
    return tuple(_say_change(name, old, new) for name, old, new in pairs if not (old is new or old == new))


def _say_change(name: str, old: Any, new: Any) -> str:
    was, now = (repr(one) if isinstance(one, PLAIN) else f"a {type(one).__name__}" for one in (old, new))
    if new is NOT_THERE or old is NOT_THERE:
        return f"{name} is gone" if new is NOT_THERE else f"{name} is new"
    return f"{name} is {now} and was {was}" if was != now else f"{name} is another {type(new).__name__}"
