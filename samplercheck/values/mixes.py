"""Mixes: what stands for samples in sums: keyed 64-bit numbers, whose sums say which samples there were.

In a ledger a step has three sums, two that are blind to the order of its samples and one that is not; they
are made where batches are delivered, and again by the audit. Fingerprints of long passes are sums of mixes,
too. Imports numpy alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
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
