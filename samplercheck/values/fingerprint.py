"""Fingerprint: a few numbers that stand for a pass of any length, and that can be added over ranks.

Taken in the ranks of long passes, chunk by chunk, compared by laws. What a rank yields counts plus, its
share of what is owed counts minus: where the sum over all ranks is zero, each sample came as often as
promised, but for a chance of less than ``MISSED``. What is added up are mixes, keyed 64-bit numbers for
samples. A step of a ledger has three sums of them, two that are blind to its order. Imports numpy alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mixes = NDArray[np.uint64]

_FIRST, _SECOND, _THIRD = (np.uint64(n) for n in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93))
_GOLDEN = 0x9E3779B97F4A7C15
MOST_HELD = 2**14
"""So many samples are mixed at once: as many as a processor keeps at hand."""
_THIRTY, _BIT27, _BIT31, _BIT32 = (np.uint64(n) for n in (30, 27, 31, 32))

Indices = NDArray[np.int64]

WORD = 2**64
MISSED = 2.0**-90
"""Bounds the chance that a difference leaves no trace in both mixed sums, where no sample is off by 2^20.

Of random 64-bit numbers h, an equation d*h = c mod 2^64 has at most 2^19 solutions where 0 < |d| < 2^20: each
of both sums misses a difference with a chance of 2^-45 at most, and each is mixed with a key of its own."""
SIZES = 0x5851F42D4C957F2D
"""Makes the key by which the sizes of batches are mixed another than that of samples."""


def mix(ids: NDArray[np.int64], key: int) -> Mixes:
    """Return the number that stands for each id in ledgers of this key."""
    mixed = ids.astype(np.uint64) * np.uint64(_GOLDEN) + np.uint64(key)
    mixed ^= mixed >> _THIRTY
    mixed *= _FIRST
    mixed ^= mixed >> _BIT27
    mixed *= _SECOND
    mixed ^= mixed >> _BIT31
    return mixed


def mix_again(mixed: Mixes) -> Mixes:
    """Return second numbers, as independent of the first as two functions can be."""
    again = (mixed ^ (mixed >> _BIT32)) * _THIRD
    again ^= again >> _BIT32
    return again


def sum_of(length: int, key: int) -> int:
    """Return what stands for all samples from 0 up to a length."""
    parts = (np.arange(begin, min(begin + MOST_HELD, length)) for begin in range(0, length, MOST_HELD))
    return sum(int(mix(part, key).sum(dtype=np.uint64)) for part in parts) % 2**64


def add_up(ids: NDArray[np.int64], counts: NDArray[Any], key: int) -> tuple[Mixes, Mixes, Mixes]:
    """Return the sums of steps of so many samples each: two blind to their order, and one that is not."""
    mixed = mix(ids, key)
    size = int(counts.max(initial=0))
    places = _places(1 << max(6, (size - 1).bit_length()))
    if size and int(counts.min()) == size:  # as nearly always, and several times faster
        table = mixed.reshape(-1, size)
        again = mix_again(mixed).reshape(-1, size)
        return table.sum(axis=1), again.sum(axis=1), (table * places[:size]).sum(axis=1)
    ends = np.cumsum(counts, dtype=np.int64)
    begins = ends - counts
    place = np.arange(len(ids)) - np.repeat(begins, counts)
    weighed = mixed * places[place]
    return _sum(mixed, begins, ends), _sum(mix_again(mixed), begins, ends), _sum(weighed, begins, ends)


def _sum(numbers: Mixes, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> Mixes:
    """Return the sum of each range of numbers; they wrap around."""
    running: Mixes = np.concatenate([np.zeros(1, np.uint64), np.cumsum(numbers, dtype=np.uint64)])
    sums: Mixes = running[ends] - running[begins]
    return sums


@lru_cache(maxsize=32)
def _places(most: int) -> Mixes:
    return mix(np.arange(most), _GOLDEN) | np.uint64(1)


def hash_words(words: Iterable[Any]) -> NDArray[np.int64]:
    """Return ids for samples that have names and no numbers."""
    digests = [hashlib.blake2b(repr(word).encode(), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(digests), dtype="<i8")


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
