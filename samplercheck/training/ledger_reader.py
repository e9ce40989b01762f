"""Reads the file of a ledger: its header, where its whole cells are, and these each time they are asked for.

Called by ``audit`` and ``course``, whose histories hold the steps between places. A stranger may have made
the file: nothing in it is executed, its size is bounded, and what is no ledger is refused.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from samplercheck.training.ledger_file import CELL, EVALUATED, MAGIC, WHAT, Header, Kind, checks_of
from samplercheck.training.outline import Outline
from samplercheck.values.deliveries import WINDOW, Deliveries, Numbers, Window
from samplercheck.values.errors import InputError
from samplercheck.values.guarded import GuardedFile, parse_guarded

OUT = "Take it out of the folder."
LARGEST = 2**31
LARGEST_HEADER = 2**16
MOST_IDS = 2**28
FEW = 2**10
"""So many steps are read at once where their samples are read with them."""
HELD = 2**13
"""So many cells of each file are held where few are asked for."""


class JobLedger:
    """One file: its header, an outline of its whole cells, and where they and the ids of its batches are."""

    def __init__(self, path: Path, file: GuardedFile, header: Header, outline: Outline, scan: _Scan) -> None:
        self.path, self._file, self.header, self.outline = path, file, header, outline
        self._spans = np.array(scan.spans, np.int64).reshape(-1, 2)
        self._blocks = np.array(scan.blocks, np.int64).reshape(-1, 3)
        self._ends = np.cumsum(self._spans[:, 1])
        self._id_ends = np.cumsum(self._blocks[:, 2])
        self._number_of_ids = int(self._blocks[:, 2].sum())
        self._held = (0, np.zeros(0, CELL))
        self._block: tuple[int, NDArray[np.int64]] = (-1, np.zeros(0, np.int64))

    @property
    def cells(self) -> NDArray[Any]:
        """All cells that are whole, but for ids."""
        return np.concatenate([np.zeros(0, CELL), *self.windows()])

    def windows(self, begin: int = 0, end: int | None = None, most: int = WINDOW) -> Iterator[NDArray[Any]]:
        """Yield the cells from one number to another, at most so many at once."""
        end = self.outline.cells if end is None else end
        if 0 < end - begin <= min(most, HELD // 2):
            yield self._hold(begin, end)
        else:
            yield from self._read(begin, end, most)

    def _hold(self, begin: int, end: int) -> NDArray[Any]:
        """Return a few cells, and hold those that follow: so are passes read that are short and many."""
        first, held = self._held
        if begin < first or end > first + len(held):
            last = min(begin + HELD, self.outline.cells)
            first, held = self._held = (begin, next(self._read(begin, last, HELD)))
        return held[begin - first : end - first]

    def _read(self, begin: int, end: int, most: int) -> Iterator[NDArray[Any]]:
        at, span = begin, int(np.searchsorted(self._ends, begin, side="right"))
        while at < end:
            parts, room = [], min(most, end - at)
            while room:
                offset, length = self._spans[span].tolist()
                left = int(self._ends[span]) - at
                taken = min(room, left)
                parts.append((offset + (length - left) * CELL.itemsize, taken * CELL.itemsize))
                span += taken == left
                at, room = at + taken, room - taken
            yield np.frombuffer(self._file.read(parts), CELL)

    def count_samples(self, place: int) -> int:
        """Return the number of samples before a cell."""
        places = self.outline.places()
        at = int(np.searchsorted(places[:, 0], place, side="right")) - 1
        batches = (one[one["kind"] == Kind.BATCH] for one in self.windows(int(places[at, 0]), place))
        return int(places[at, 3]) + sum(int(one["count"].sum(dtype=np.int64)) for one in batches)

    @property
    def has_ids(self) -> bool:
        """Whether the ids of all batches were kept."""
        return self.header.exact and self.outline.samples <= self._number_of_ids

    def ids(self, begin: int = 0, end: int | None = None) -> NDArray[np.int64]:
        """Return the ids from one place to another, in the order of their delivery."""
        end = self._number_of_ids if end is None else end
        found, at = [np.zeros(0, np.int64)], begin
        block = int(np.searchsorted(self._id_ends, begin, side="right"))
        while at < end:
            over = int(self._id_ends[block])
            first = over - int(self._blocks[block, 2])
            found.append(self._read_block(block)[at - first : end - first])
            at, block = min(over, end), block + 1
        return np.concatenate(found)

    def _read_block(self, block: int) -> NDArray[np.int64]:
        if self._block[0] != block:
            offset, size, count = self._blocks[block].tolist()
            packed = bytes(self._file.read([(offset, size)]))
            plain = parse_guarded(packed, self.path, WHAT, lambda held: _inflate(held, count * 8))
            ids = np.frombuffer(plain, np.uint8).reshape(8, -1).T.copy().view("<i8").reshape(-1)
            self._block = (block, ids)
        return self._block[1]


class _Scan:
    """One way through a file: its whole cells, up to the first that is torn, and the ids between them."""

    def __init__(self, file: GuardedFile, path: Path, begin: int) -> None:
        self._file, self._path, self._begin = file, path, begin
        self._whole = (file.size - begin) // CELL.itemsize
        self.spans: list[tuple[int, int]] = []
        self.blocks: list[tuple[int, int, int]] = []
        self._number_of_ids = 0

    def cells(self) -> Iterator[NDArray[Any]]:
        """Yield the cells, without those of ids."""
        at: int | None = 0
        while at is not None and at < self._whole:
            cells = self._read(at, min(WINDOW, self._whole - at))
            parts, at = self._split(cells, at)
            if parts:
                yield parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _read(self, at: int, number: int) -> NDArray[Any]:
        return np.frombuffer(self._file.read([(self._place(at), number * CELL.itemsize)]), CELL)

    def _place(self, at: int) -> int:
        return self._begin + at * CELL.itemsize

    def _split(self, cells: NDArray[Any], begin: int) -> tuple[list[NDArray[Any]], int | None]:
        """Return the cells that are no ids, and where to go on; None behind what is torn."""
        kinds = cells["kind"]
        good = (checks_of(cells) == cells["check"]) & (kinds >= Kind.BATCH) & (kinds <= Kind.IDS)
        stops = [*np.flatnonzero(~good | (kinds == Kind.IDS)).tolist(), len(cells)]
        parts, at = [], 0
        for stop in stops:
            if stop < at:  # bytes of ids, which may look like anything
                continue
            if stop > at:
                parts.append(cells[at:stop])
                self.spans.append((self._place(begin + at), stop - at))
            if stop == len(cells):
                return parts, begin + stop
            if not good[stop]:
                return parts, None
            length = self._pass_ids(cells, begin, stop)
            if length is None:
                return parts, None
            at = stop + 1 + length
        return parts, begin + at

    def _pass_ids(self, cells: NDArray[Any], begin: int, stop: int) -> int | None:
        """Take note of the ids behind a cell, return how many cells they fill; None where they are cut."""
        size, count = int(cells[stop]["step"]), int(cells[stop]["count"])
        self._number_of_ids += count
        if self._number_of_ids > MOST_IDS:
            raise InputError(f"{str(self._path)!r} is no {WHAT}: it has more than {MOST_IDS:,} ids. {OUT}")
        length, first = -(-size // CELL.itemsize), begin + stop + 1
        if first + length > self._whole:
            return None
        if stop + 1 + length <= len(cells):
            packed = cells[stop + 1 : stop + 1 + length].tobytes()[:size]
        else:
            packed = bytes(self._file.read([(self._place(first), size)]))
        if zlib.crc32(packed) != int(cells[stop]["first"]):
            return None
        self.blocks.append((self._place(first), size, count))
        return length


class LedgerDeliveries(Deliveries):
    """The batches between two places in a ledger; with ``evaluated`` those without gradients as well."""

    __slots__ = ("_begin", "_end", "_evaluated", "_ledger")

    def __init__(self, ledger: JobLedger, begin: int, end: int, *, evaluated: bool) -> None:
        super().__init__()
        self._ledger, self._begin, self._end, self._evaluated = ledger, begin, end, evaluated

    @property
    def has_ids(self) -> bool:
        """Whether the samples themselves are known."""
        return self._ledger.has_ids

    def windows(self, most: int = WINDOW) -> Iterator[Window]:
        """Yield all steps, at most so many at once."""
        for cells in self._ledger.windows(self._begin, self._end, most):
            chosen = np.flatnonzero(self._choose(cells))
            if len(chosen):
                counts, sums, orders = (cells[name][chosen] for name in ("count", "first", "order"))
                yield Window(counts.astype(np.int64), sums, orders)

    def ids(self) -> Iterator[Numbers]:
        """Yield all samples, some at once, where they are known."""
        at = self._ledger.count_samples(self._begin)
        for cells in self._ledger.windows(self._begin, self._end, FEW):
            batches = cells["kind"] == Kind.BATCH
            counts = cells["count"][batches]
            after = at + int(counts.sum(dtype=np.int64))
            yield self._ledger.ids(at, after)[np.repeat(self._choose(cells)[batches], counts)]
            at = after

    def _choose(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = cells["kind"] == Kind.BATCH
        return chosen if self._evaluated else chosen & ((cells["flags"] & EVALUATED) == 0)


def read_ledger(path: Path) -> JobLedger:
    """Return what is in a file, up to the first torn cell; what is no ledger is refused."""
    file, begin = GuardedFile(path, WHAT, LARGEST), len(MAGIC) + 4
    head = file.read([(0, min(begin, file.size))])
    if not head.startswith(MAGIC) or len(head) < begin:
        raise InputError(f"{str(path)!r} is no {WHAT}: it does not begin like one. {OUT}")
    size = int.from_bytes(head[len(MAGIC) :], "little")
    if size > LARGEST_HEADER or file.size < begin + size:
        raise InputError(f"{str(path)!r} is no {WHAT}: its header is cut, or too long. {OUT}")
    said = bytes(file.read([(begin, size)]))
    header = parse_guarded(said, path, WHAT, msgspec.json.Decoder(Header).decode)
    if header.rank >= header.world:
        raise InputError(f"{str(path)!r} is no {WHAT}: it has rank {header.rank} of {header.world}. {OUT}")
    outline, scan = Outline(str(path)), _Scan(file, path, begin + size)
    for cells in scan.cells():
        outline.add(cells)
    return JobLedger(path, file, header, outline, scan)


def _inflate(packed: bytes, wanted: int) -> bytes:
    try:
        plain = zlib.decompressobj().decompress(packed, wanted + 1)
    except zlib.error as error:
        raise ValueError(error) from None
    if len(plain) != wanted:
        raise ValueError("its ids are not as many as it says")
    return plain
