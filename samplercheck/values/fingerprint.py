"""Fingerprint: a few numbers that stand for a pass of any length, and that can be added over ranks.

Taken in the ranks of long passes, chunk by chunk, compared by laws. What a rank yields counts plus, its
share of what is owed counts minus: where the sum over all ranks is zero, each sample came as often as
promised, but for a chance of less than ``MISSED``. Imports numpy and mixes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from samplercheck.values.mixes import MOST_HELD, mix

Indices = NDArray[np.int64]

WORD = 2**64
MISSED = 2.0**-90
"""Bounds the chance that a difference leaves no trace in both mixed sums, where no sample is off by 2^20.

Of random 64-bit numbers h, an equation d*h = c mod 2^64 has at most 2^19 solutions where 0 < |d| < 2^20: each
of both sums misses a difference with a chance of 2^-45 at most, and each is mixed with a key of its own."""
SIZES = 0x5851F42D4C957F2D
"""Makes the key by which the sizes of batches are mixed another than that of samples."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How many indices there were, their sum, two mixed sums blind to order, and one that is not; mod 2^64.

    ``order`` mixes each index with its step and its place in the step, ranks left out.
    """

    count: int = 0
    total: int = 0
    first: int = 0
    second: int = 0
    order: int = 0

    def __add__(self, other: Fingerprint) -> Fingerprint:
        mine, its = astuple(self), astuple(other)
        return Fingerprint(*((one + two) % WORD for one, two in zip(mine, its, strict=True)))

    def __sub__(self, other: Fingerprint) -> Fingerprint:
        mine, its = astuple(self), astuple(other)
        return Fingerprint(*((one - two) % WORD for one, two in zip(mine, its, strict=True)))

    @property
    def is_covered(self) -> bool:
        """Whether nothing is left of what was yielded and owed, in whatever order it came."""
        return not (self.count or self.total or self.first or self.second)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys by which the indices of one case are mixed, the same in all ranks and in every run."""

    first: int
    second: int

    @classmethod
    def of(cls, text: str) -> Keys:
        """Return the keys that a text stands for."""
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        return cls(int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little"))


class FingerprintTaker:
    """Takes the fingerprint of indices that come in chunks of any size."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._count = self._total = self._first = self._second = self._order = 0

    @property
    def fingerprint(self) -> Fingerprint:
        """What was taken until now."""
        sums = self._count, self._total, self._first, self._second, self._order
        return Fingerprint(*(one % WORD for one in sums))

    def take(self, indices: Indices, *, sizes: Indices | None = None, begin: int = 0, step: int = 0) -> None:
        """Take indices from position ``begin`` of a pass on; batches of these sizes begin at ``step``."""
        for place, part in _parts_of(indices, begin):
            mixed = self._add(part, 1)
            self._order += _weigh(mixed, place)
        for place, part in _parts_of(sizes, step) if sizes is not None else ():
            self._order += _weigh(mix(part, self._keys.first ^ SIZES), place)

    def owe(self, begin: int, end: int, times: int = 1) -> None:
        """Take away the indices from ``begin`` up to ``end``, each so many times."""
        for start in range(begin, end, MOST_HELD):
            self._add(np.arange(start, min(start + MOST_HELD, end)), -times)

    def leave(self, differences: Mapping[int, int]) -> None:
        """Take what came so many times more, or less, than is owed; nothing of its order is known."""
        ids = np.fromiter(differences, np.int64, len(differences))
        times = np.fromiter(differences.values(), np.int64, len(differences))
        self._count += int(times.sum())
        self._total += sum(index * off for index, off in differences.items())
        off = times.astype(np.uint64)
        self._first += int((mix(ids, self._keys.first) * off).sum(dtype=np.uint64))
        self._second += int((mix(ids, self._keys.second) * off).sum(dtype=np.uint64))

    def _add(self, part: Indices, times: int) -> NDArray[np.uint64]:
        mixed = mix(part, self._keys.first)
        self._count += times * len(part)
        self._total += times * int(part.sum())
        self._first += times * int(mixed.sum(dtype=np.uint64))
        self._second += times * int(mix(part, self._keys.second).sum(dtype=np.uint64))
        return mixed


def share_of(place: int, places: int, length: int) -> tuple[int, int]:
    """Return the range of samples of which one of so many places says what is owed."""
    return length * place // places, length * (place + 1) // places


def _parts_of(indices: Indices, begin: int) -> Iterator[tuple[int, Indices]]:
    """Yield indices in parts that lie in one block of positions each, with the position of the first."""
    done = 0
    while done < len(indices):
        size = MOST_HELD - (begin + done) % MOST_HELD
        yield begin + done, indices[done : done + size]
        done += size


def _weigh(mixed: NDArray[np.uint64], place: int) -> int:
    """Return the sum of mixes that are weighed by their positions, from ``place`` on in one block."""
    block, first = divmod(place, MOST_HELD)
    inside = int(np.dot(mixed, _weights()[first : first + len(mixed)]))
    return inside * (int(mix(np.array([block]), 0xA0761D6478BD642F)[0]) | 1)


@lru_cache(maxsize=1)
def _weights() -> NDArray[np.uint64]:
    weights: NDArray[np.uint64] = mix(np.arange(MOST_HELD), 0xD1342543DE82EF95) | np.uint64(1)
    return weights
