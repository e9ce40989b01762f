"""The file of a ledger, format 1: what one process was delivered of one loader, written as it goes.

A line that says what it is, a header in JSON, then cells of 48 bytes (docs/training.md has the table). A cell
bears a checksum: one torn by a kill, and all that follows it, is cut. Written by ``recorder``, read by
``history``, also where a stranger made it: nothing in it is executed, and its size is bounded.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from samplercheck.storage.guarded import parse_guarded, read_guarded
from samplercheck.training.mixes import add_up
from samplercheck.values.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"samplercheck ledger 1\n\n"
WHAT = "ledger of samplercheck"
LARGEST = 2**31
LARGEST_HEADER = 2**16
MOST_IDS = 2**28
CELL = np.dtype(
    [
        *(("kind", "u1"), ("flags", "u1"), ("check", "<u2"), ("turn", "<u4"), ("step", "<u4")),
        *(("count", "<u4"), ("first", "<u8"), ("second", "<u8"), ("order", "<u8"), ("weights", "<u8")),
    ]
)
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_FACTORS = (*_ODD, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
_START = 0x5851F42D4C957F2D

BATCH, TURN, END, STEP, START, SAVE, MARK, LOAD, IDS = range(1, 10)
"""Kinds of cells: a batch; a pass begins, and ends; an optimizer step without a batch; the weights before the
first step; the optimizer's state is taken; the loader's is; it is loaded; ids of the batches that follow."""
TRAINED, BACKWARD, EVALUATED = 1, 2, 4
"""Flags of a batch: an optimizer step came, gradients were computed, gradients were switched off."""
LEFT = 1
"""Flag of an end: the loader may have had more."""

Word = Annotated[str, msgspec.Meta(max_length=300)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """What a file says of itself before its cells."""

    format: Literal[1] = 1
    job: Word
    loader: Word
    launch: Word
    rank: Count
    world: Annotated[int, msgspec.Meta(ge=1, le=2**20)]
    started: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    host: Word
    pid: Count
    parent: Count
    ids: Literal["sampler", "given", "content"]
    exact: bool
    length: Count | None
    batch_size: Count | None
    drop_last: bool
    shuffled: bool | None
    coverage: Literal["once", "sampled", "unknown"]
    sampler: Word
    workers: Count
    version: Word


class JobLedger:
    """What is in one file: its header, its whole cells, the ids of its batches where they were kept."""

    def __init__(self, path: Path, header: Header, cells: NDArray[Any], ids: list[NDArray[np.int64]]) -> None:
        self.path, self.header, self.cells = path, header, cells
        self.ids = np.concatenate(ids) if ids else np.zeros(0, np.int64)


class LedgerWriter:
    """Writes one ledger; what is added waits until it is flushed, and is worked out together then."""

    def __init__(self, path: Path, header: Header, key: int) -> None:
        said = msgspec.json.encode(header)
        said += b" " * (-(len(MAGIC) + 4 + len(said)) % CELL.itemsize)
        # Under its name it has a header, whenever the process is killed.
        begun = path.with_suffix(".tmp")
        self._file = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        os.write(self._file, MAGIC + struct.pack("<I", len(said)) + said)
        begun.replace(path)
        self._key, self._exact = key, header.exact
        self._cells: list[tuple[int, ...]] = []
        self._ids: list[NDArray[np.int64]] = []

    def add(
        self, kind: int, turn: int, step: int, *, count: int = 0, word: int = 0, weights: int = 0
    ) -> None:
        """Add a cell that is no batch."""
        self._cells.append((kind, 0, 0, turn, step, count, word, 0, 0, weights))

    def add_end(self, turn: int, step: int, flags: int) -> None:
        """Add the end of a pass."""
        self._cells.append((END, flags, 0, turn, step, 0, 0, 0, 0, 0))

    def add_batch(self, turn: int, step: int, ids: NDArray[np.int64], flags: int, weights: int) -> None:
        """Add a batch of these samples."""
        self._ids.append(ids)
        self._cells.append((BATCH, flags, 0, turn, step, len(ids), 0, 0, 0, weights))

    def flush(self) -> None:
        """Hand all that waits to the system in one write, ids before their batches."""
        if not self._cells:
            return
        cells, ids = np.array(self._cells, CELL), self._ids
        self._cells, self._ids = [], []
        content = b""
        if ids:
            batches = cells["kind"] == BATCH
            sums = add_up(np.concatenate(ids), cells["count"][batches], self._key)
            for name, values in zip(("first", "second", "order"), sums, strict=True):
                cells[name][batches] = values
            content = _pack_ids(np.concatenate(ids)) if self._exact else content
        cells["check"] = _checks(cells)
        os.write(self._file, content + cells.tobytes())

    def close(self) -> None:
        """Flush, and close the file."""
        self.flush()
        os.close(self._file)


def _checks(cells: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the checksums that cells should bear."""
    bare = cells.copy()
    bare["check"] = 0
    words = bare.view("<u8").reshape(-1, len(_FACTORS))
    total = np.full(len(cells), _START, np.uint64)
    for at, factor in enumerate(_FACTORS):
        total += words[:, at] * np.uint64(factor)
    return ((total ^ (total >> np.uint64(29))) >> np.uint64(8)) & np.uint64(0xFFFF)


def _pack_ids(ids: NDArray[np.int64]) -> bytes:
    """Return a cell and the bytes of ids behind it, filled up to whole cells."""
    packed = zlib.compress(ids.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes(), 1)
    cell = np.array([(IDS, 0, 0, 0, len(packed), len(ids), zlib.crc32(packed), 0, 0, 0)], CELL)
    cell["check"] = _checks(cell)
    return cell.tobytes() + packed + b"\0" * (-len(packed) % CELL.itemsize)


def read_ledger(path: Path) -> JobLedger:
    """Return what is in a file, up to the first torn cell; what is no ledger is refused."""
    content = read_guarded(path, WHAT, LARGEST)
    begin = len(MAGIC) + 4
    if not content.startswith(MAGIC) or len(content) < begin:
        raise InputError(f"{str(path)!r} is no {WHAT}: it does not begin like one.")
    size = int.from_bytes(content[len(MAGIC) : begin], "little")
    if size > LARGEST_HEADER or len(content) < begin + size:
        raise InputError(f"{str(path)!r} is no {WHAT}: its header is cut, or too long.")
    header = parse_guarded(content[begin : begin + size], path, WHAT, msgspec.json.Decoder(Header).decode)
    whole = (len(content) - begin - size) // CELL.itemsize
    cells = np.frombuffer(content, CELL, count=whole, offset=begin + size)
    return JobLedger(path, header, *_split(cells, path))


def _split(cells: NDArray[Any], path: Path) -> tuple[NDArray[Any], list[NDArray[np.int64]]]:
    """Return the cells without the ids between them, and these; what is torn, and all after it, is cut."""
    good = _checks(cells) == cells["check"]
    parts: list[tuple[int, int]] = []
    ids: list[NDArray[np.int64]] = []
    at = 0
    for place in np.flatnonzero((cells["kind"] == IDS) & good):
        if place < at:  # bytes of ids, which may look like anything
            continue
        parts.append((at, int(place)))
        held = _unpack_ids(cells, int(place), path, MOST_IDS - sum(map(len, ids)))
        if held is None:
            return _join(cells, good, parts), ids
        ids.append(held)
        at = int(place) + 1 - (-int(cells[place]["step"]) // CELL.itemsize)
    parts.append((at, len(cells)))
    return _join(cells, good, parts), ids


def _join(cells: NDArray[Any], good: NDArray[np.bool_], parts: list[tuple[int, int]]) -> NDArray[Any]:
    kept = []
    for begin, end in parts:
        known = good[begin:end] & (cells[begin:end]["kind"] >= BATCH) & (cells[begin:end]["kind"] <= IDS)
        torn = np.flatnonzero(~known)
        kept.append(cells[begin : begin + int(torn[0])] if len(torn) else cells[begin:end])
        if len(torn):
            break
    return np.concatenate(kept) if kept else cells[:0]


def _unpack_ids(cells: NDArray[Any], place: int, path: Path, most: int) -> NDArray[np.int64] | None:
    """Return the ids behind a cell; None where they are cut."""
    cell = cells[place]
    size, count = int(cell["step"]), int(cell["count"])
    if count > most:
        raise InputError(f"{str(path)!r} is no {WHAT}: it has more than {MOST_IDS:,} ids.")
    packed = cells[place + 1 : place + 1 - (-size // CELL.itemsize)].tobytes()[:size]
    if len(packed) < size or zlib.crc32(packed) != int(cell["first"]):
        return None
    plain = parse_guarded(packed, path, WHAT, lambda held: _inflate(held, count * 8))
    return np.frombuffer(plain, np.uint8).reshape(8, -1).T.copy().view("<i8").reshape(-1)


def _inflate(packed: bytes, wanted: int) -> bytes:
    try:
        plain = zlib.decompressobj().decompress(packed, wanted + 1)
    except zlib.error as error:
        raise ValueError(error) from None
    if len(plain) != wanted:
        raise ValueError("its ids are not as many as it says")
    return plain
