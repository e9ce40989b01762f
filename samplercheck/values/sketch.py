"""Sketch: an invertible Bloom lookup table, which names the samples that came too often or too seldom.

Filled in the ranks like a fingerprint, with what is owed taken away, and added over them: what agrees
cancels, so that its size depends on neither the dataset nor the ranks. Decoded by laws. Imports numpy and
values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samplercheck.values.fingerprint import Keys, mix

Indices = NDArray[np.int64]

TABLES, BITS = 3, 11
CELLS = 1 << BITS
AT_ONCE = 2**12
RANGES = 1 << 10
"""So many ranges of the dataset are counted, to say where a difference lies that is too large to be named."""
_CHECK, _MASK = np.uint64(32), np.uint64(CELLS - 1)


@dataclass(slots=True, eq=False)
class Sketch:
    """Cells of count, sum of indices and sum of checks; each index is in one cell of each of three tables.

    ``ranges`` counts what came beyond what is owed by range of the dataset, whose length decides their width.
    """

    keys: Keys
    length: int
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(TABLES * CELLS, np.int64))
    sums: NDArray[np.int64] = field(default_factory=lambda: np.zeros(TABLES * CELLS, np.int64))
    checks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(TABLES * CELLS, np.int64))
    ranges: NDArray[np.int64] = field(default_factory=lambda: np.zeros(RANGES, np.int64))

    @property
    def width(self) -> int:
        """The number of samples in a range: a power of two."""
        return int(1 << max(0, (max(1, self.length) - 1).bit_length() - (RANGES - 1).bit_length()))

    def take(self, indices: Indices) -> None:
        """Take indices of the dataset that were yielded."""
        for begin in range(0, len(indices), AT_ONCE):
            self._add(indices[begin : begin + AT_ONCE], 1)

    def owe(self, begin: int, end: int, times: int = 1) -> None:
        """Take away the indices from ``begin`` up to ``end``, each so many times."""
        for start in range(begin, end, AT_ONCE):
            self._add(np.arange(start, min(start + AT_ONCE, end)), -times)

    def leave(self, differences: Mapping[int, int]) -> None:
        """Take what came so many times more, or less, than is owed."""
        samples = np.fromiter(differences, np.int64, len(differences))
        self._add(samples, np.fromiter(differences.values(), np.int64, len(differences)))

    def _add(self, part: Indices, times: Indices | int) -> None:
        cells, checks = _places_of(part, self.keys)
        each = np.full(len(part), times) if isinstance(times, int) else times  # arrays are added fastest
        adding = (self.counts, each), (self.sums, part * times), (self.checks, checks * times)
        for row in cells:
            for column, what in adding:
                np.add.at(column, row, what)
        np.add.at(self.ranges, part >> (self.width.bit_length() - 1), each)

    def add(self, other: Sketch) -> None:
        """Add what another rank has taken."""
        for name in ("counts", "sums", "checks", "ranges"):
            own: NDArray[np.int64] = getattr(self, name)
            own += getattr(other, name)

    @property
    def size(self) -> int:
        """About how many samples came too often or too seldom; exact where none did.

        A cell's count is the sum over the few samples in it, so that its square says how many these are.
        """
        squares = float((self.counts.astype(np.float64) ** 2).sum()) / TABLES
        drift = float(self.counts[:CELLS].sum()) ** 2 / CELLS
        return max(int(self.counts.any()), round(squares - drift))

    def decode(self) -> dict[int, int] | None:
        """Return by how much each sample came too often, or too seldom; None where there are too many.

        Rounds: each takes out the samples that are alone in some cell, after which others are alone.
        """
        left = Sketch(self.keys, self.length, self.counts.copy(), self.sums.copy(), self.checks.copy())
        found: dict[int, int] = {}
        while left.counts.any() or left.sums.any() or left.checks.any():
            alone, times = left._find_alone()
            if not len(alone) or len(found) > TABLES * CELLS:
                return None
            left._add(alone, -times)
            for index, off in zip(alone.tolist(), times.tolist(), strict=True):
                found[index] = found.get(index, 0) + off
        return {index: off for index, off in sorted(found.items()) if off}

    def _find_alone(self) -> tuple[Indices, Indices]:
        """Return the samples that are alone in some cell, each once, and by how much they are off."""
        places = np.flatnonzero(self.counts)
        times = self.counts[places]
        guess, rest = np.divmod(self.sums[places], times)
        fits = (rest == 0) & (guess >= 0) & (guess < self.length)
        places, times, guess = places[fits], times[fits], guess[fits]
        if not len(places):
            return guess, times
        cells, checks = _places_of(guess, self.keys)
        table = places // CELLS
        fits = (cells[table, np.arange(len(places))] == places) & (checks * times == self.checks[places])
        alone, which = np.unique(guess[fits], return_index=True)
        return alone, times[fits][which]

    def list_ranges(self, most: int, sign: int = 0) -> list[tuple[int, int, int]]:
        """Return where most lies: begin, end and by how much more than owed came, the worst ranges first.

        With a ``sign`` those alone where more came than is owed, or less.
        """
        off = np.maximum(self.ranges * sign, 0) if sign else np.abs(self.ranges)
        worst = [one for one in np.argsort(-off, kind="stable")[:most] if off[one]]
        width = self.width
        return [
            (int(one) * width, min(int(one + 1) * width, self.length), int(self.ranges[one])) for one in worst
        ]


def _places_of(indices: Indices, keys: Keys) -> tuple[NDArray[np.intp], Indices]:
    """Return the cell of each index in each table, and its check, which is short enough to be multiplied."""
    mixed = mix(indices, keys.first)
    rows = [
        ((mixed >> np.uint64(table * BITS)) & _MASK).astype(np.intp) + table * CELLS
        for table in range(TABLES)
    ]
    return np.array(rows), (mix(indices, keys.second) >> _CHECK).astype(np.int64)
