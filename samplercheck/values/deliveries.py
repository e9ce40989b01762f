"""Deliveries: the steps of one rank in the order in which it got them, read in windows and never all held.

What histories are made of: laws ask for the tally, or go through the windows. May import numpy alone.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

WINDOW = 2**15
"""So many steps are read at once; of several ranks together."""


class Window(NamedTuple):
    """Some steps in a row: the samples of each, and what stands for these, blind to their order and not."""

    counts: Numbers
    sums: Words
    orders: Words


class Tally(NamedTuple):
    """What all steps come to: their number, that of their samples, what stands for these, and all sizes."""

    steps: int
    samples: int
    sum: int
    sizes: bytes


class Deliveries(ABC):
    """Steps of one rank; what is in them is read each time that it is asked for."""

    __slots__ = ("_tally",)

    def __init__(self) -> None:
        self._tally: Tally | None = None

    @property
    @abstractmethod
    def has_ids(self) -> bool:
        """Whether the samples themselves are known."""

    @abstractmethod
    def windows(self, most: int = WINDOW) -> Iterator[Window]:
        """Yield all steps, at most so many at once."""

    @abstractmethod
    def ids(self) -> Iterator[Numbers]:
        """Yield all samples, some at once, where they are known."""

    def __len__(self) -> int:
        return self.tally.steps

    @property
    def tally(self) -> Tally:
        """What the steps come to; they are read once for it."""
        if self._tally is None:
            steps, samples, total, sizes = 0, 0, 0, hashlib.blake2b(digest_size=8)
            for window in self.windows():
                steps += len(window.counts)
                samples += int(window.counts.sum())
                total += int(window.sums.sum(dtype=np.uint64))
                sizes.update(window.counts.tobytes())
            self._tally = Tally(steps, samples, total % 2**64, sizes.digest())
        return self._tally


def go_through(parts: Iterable[Deliveries], name: str, most: int = WINDOW) -> Iterator[NDArray[Any]]:
    """Yield one field of the windows of several parts, one part after the other."""
    for part in parts:
        for window in part.windows(most):
            yield getattr(window, name)


def find_unlike(rows: Sequence[Iterable[Deliveries]], name: str) -> tuple[int, list[int]] | None:
    """Return the first step that all rows have and in which a field differs, with what each has."""
    most = max(64, WINDOW // len(rows))
    streams = [go_through(row, name, most) for row in rows]
    held: list[NDArray[Any]] = [np.zeros(0, np.uint64)] * len(rows)
    begin = 0
    while True:
        for place, stream in enumerate(streams):
            while not len(held[place]):
                following = next(stream, None)
                if following is None:
                    return None
                held[place] = following
        common = min(map(len, held))
        unlike = np.zeros(common, np.bool_)
        for one in held[1:]:
            unlike |= one[:common] != held[0][:common]
        if unlike.any():
            at = int(np.argmax(unlike))
            return begin + at, [int(one[at]) for one in held]
        held = [one[common:] for one in held]
        begin += common
