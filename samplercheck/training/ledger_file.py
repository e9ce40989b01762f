"""The file of a ledger, format 1: what one process was delivered of one loader, written as it goes.

A line that says what it is, a header in JSON, then cells of 48 bytes (docs/training.md has the table). A cell
bears a checksum: one torn by a kill, and all that follows it, is cut. Written by ``recorder``, read by
``ledger_reader``.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from samplercheck.values.fingerprint import add_up

MAGIC = b"samplercheck ledger 1\n\n"
WHAT = "ledger of samplercheck"
CELL = np.dtype(
    [
        *(("kind", "u1"), ("flags", "u1"), ("check", "<u2"), ("turn", "<u4"), ("step", "<u4")),
        *(("count", "<u4"), ("first", "<u8"), ("second", "<u8"), ("order", "<u8"), ("weights", "<u8")),
    ]
)
_pack_cell = struct.Struct("<BBHIIIQQQQ").pack
MOST_ROWS = 2**10
"""So many cells wait at most until they are written."""
_ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
_FACTORS = (*_ODD, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
_START = 0x5851F42D4C957F2D
_BUT_CHECK = np.uint64(0xFFFFFFFF0000FFFF)
"""All of a cell's first word but its checksum."""


class Kind:
    """Kinds of cells."""

    BATCH, TURN, END, STEP, START, SAVE, MARK, LOAD, IDS = range(1, 10)
    """A batch; a pass begins, and ends; an optimizer step without a batch; the weights before the first step;
    the optimizer's state is taken; the loader's is; it is loaded; ids of the batches that follow."""


TRAINED, BACKWARD, EVALUATED = 1, 2, 4
"""Flags of a batch: an optimizer step came, gradients were computed, gradients were switched off."""
LEFT = 1
"""Flag of an end: the loader may have had more."""
UNKNOWN = 2**32 - 1
"""The number of steps of a pass that announces none."""

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
        self._rows: list[tuple[int, int, int, int, int, bytes, bytes]] = []

    def add(
        self, kind: int, turn: int, step: int, *, flags: int = 0, word: int = 0, weights: bytes = b""
    ) -> None:
        """Add a cell that is no batch."""
        self._rows.append((kind, flags, turn, step, word, weights, b""))

    def add_batch(self, turn: int, step: int, ids: bytes, flags: int, weights: bytes) -> None:
        """Add a batch of these samples, whose ids have eight bytes each."""
        self._rows.append((Kind.BATCH, flags, turn, step, 0, weights, ids))
        if len(self._rows) >= MOST_ROWS:
            self.flush()

    def flush(self) -> None:
        """Hand all that waits to the system in one write, ids before their batches."""
        if not self._rows or self._file < 0:  # a loader may be let go after its ledger, as the process ends
            return
        rows, self._rows = self._rows, []
        packed = [
            _pack_cell(kind, flags, 0, turn, step, len(ids) >> 3, word, 0, 0, _weigh(weights))
            for kind, flags, turn, step, word, weights, ids in rows
        ]
        cells = np.frombuffer(bytearray(b"".join(packed)), CELL)
        batches = cells["kind"] == Kind.BATCH
        content = b""
        if batches.any():
            ids = np.frombuffer(b"".join([row[-1] for row in rows]), np.int64)
            sums = add_up(ids, cells["count"][batches], self._key)
            for name, values in zip(("first", "second", "order"), sums, strict=True):
                cells[name][batches] = values
            content = _pack_ids(ids) if self._exact else content
        cells["check"] = checks_of(cells)
        os.write(self._file, content + cells.tobytes())

    def leave(self) -> None:
        """Close the file, and leave what waits to another process that has it."""
        self._rows = []
        self.close()

    def close(self) -> None:
        """Flush, and close the file."""
        self.flush()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _weigh(values: bytes) -> int:
    if not values:
        return 0
    return int.from_bytes(hashlib.blake2b(values, digest_size=8).digest(), "little") or 1


def checks_of(cells: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the checksums that cells should bear."""
    words = cells.view("<u8").reshape(-1, len(_FACTORS))
    total = (words[:, 0] & _BUT_CHECK) * np.uint64(_FACTORS[0]) + np.uint64(_START)
    for at, factor in enumerate(_FACTORS[1:], 1):
        total += words[:, at] * np.uint64(factor)
    return ((total ^ (total >> np.uint64(29))) >> np.uint64(8)) & np.uint64(0xFFFF)


def _pack_ids(ids: NDArray[np.int64]) -> bytes:
    """Return a cell and the bytes of ids behind it, filled up to whole cells."""
    # Of shuffled ids only bytes that are all alike, the upper ones, shrink: by runs, in half the time.
    deflate = zlib.compressobj(1, strategy=zlib.Z_RLE)
    packed = deflate.compress(ids.astype("<i8").view(np.uint8).reshape(-1, 8).T.tobytes()) + deflate.flush()
    cell = np.array([(Kind.IDS, 0, 0, 0, len(packed), len(ids), zlib.crc32(packed), 0, 0, 0)], CELL)
    cell["check"] = checks_of(cell)
    return cell.tobytes() + packed + b"\0" * (-len(packed) % CELL.itemsize)
