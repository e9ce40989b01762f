"""The file of a ledger, format 1: what one process was delivered of one loader, written as it goes.

A line that says what it is, a header in JSON, then cells of 48 bytes (docs/training.md has the table). A cell
bears a checksum: one torn by a kill, and all that follows it, is cut. Written by ``recorder``, read by
``ledger_reader``.
"""

from __future__ import annotations

import os
import struct
import zlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from samplercheck.values.mixes import add_up

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MAGIC = b"samplercheck ledger 1\n\n"
WHAT = "ledger of samplercheck"
CELL = np.dtype(
    [
        *(("kind", "u1"), ("flags", "u1"), ("check", "<u2"), ("turn", "<u4"), ("step", "<u4")),
        *(("count", "<u4"), ("first", "<u8"), ("second", "<u8"), ("order", "<u8"), ("weights", "<u8")),
    ]
)
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_FACTORS = (*_ODD, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
_START = 0x5851F42D4C957F2D
_BUT_CHECK = np.uint64(0xFFFFFFFF0000FFFF)
"""All of a cell's first word but its checksum."""

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
        cells["check"] = checks_of(cells)
        os.write(self._file, content + cells.tobytes())

    def close(self) -> None:
        """Flush, and close the file."""
        self.flush()
        os.close(self._file)


def checks_of(cells: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the checksums that cells should bear."""
    words = cells.view("<u8").reshape(-1, len(_FACTORS))
    total = (words[:, 0] & _BUT_CHECK) * np.uint64(_FACTORS[0]) + np.uint64(_START)
    for at, factor in enumerate(_FACTORS[1:], 1):
        total += words[:, at] * np.uint64(factor)
    return ((total ^ (total >> np.uint64(29))) >> np.uint64(8)) & np.uint64(0xFFFF)


def _pack_ids(ids: NDArray[np.int64]) -> bytes:
    """Return a cell and the bytes of ids behind it, filled up to whole cells."""
    packed = zlib.compress(ids.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes(), 1)
    cell = np.array([(IDS, 0, 0, 0, len(packed), len(ids), zlib.crc32(packed), 0, 0, 0)], CELL)
    cell["check"] = checks_of(cell)
    return cell.tobytes() + packed + b"\0" * (-len(packed) % CELL.itemsize)
