"""Record: what one experiment recorded in one rank: passes, answers of ``len()``, notes, and faults.

Filled inside a rank, by the seat; data only. A pass holds integer arrays, so that laws never build
Python lists of indices. May import numpy.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from samplercheck.values.stream import Stream

LONG = 1_000
"""From so many samples on a pass saves room; with fewer, saving costs more than it gains."""
NARROW = 2**30
"""Indices below it are kept in four bytes each; differences and sums of two fit as well."""
_TYPES: dict[str, type[np.int32 | np.int64]] = {"i": np.int32, "q": np.int64}


@dataclass(slots=True, eq=False)
class Pass:
    """One iteration of a target by one rank: flat indices, and batch sizes where it yields batches.

    ``items`` has eight bytes an index; four once a long pass with no huge index has been narrowed.

    ``ending`` is "finished", "capped" (stopped by the kit because it would not end), "abandoned"
    (given up on purpose) or "broken off" (by a fault, which alone holds it). ``strange`` describes
    the first item that is no integer.
    """

    epoch: int
    items: array[int]
    sizes: array[int] | None = None
    ending: str = "finished"
    strange: str = ""

    @property
    def steps(self) -> int:
        """The number of things yielded: batches of a batch sampler, samples otherwise."""
        return len(self.items) if self.sizes is None else len(self.sizes)

    @property
    def indices(self) -> NDArray[Any]:
        """The samples in the order in which they came, in four or eight bytes each."""
        return np.frombuffer(self.items, dtype=_TYPES[self.items.typecode])

    def narrow(self) -> None:
        """Keep a long pass in four bytes an index, unless one is too large for them."""
        if self.items.typecode == "q" and len(self.items) >= LONG and not _has_huge(self.indices):
            self.items = array("i", self.indices.astype(np.int32).tobytes())

    def extend(self, part: array[int]) -> None:
        """Take more samples, in as few bytes as those before them where they fit."""
        if self.items.typecode == "i":
            read = np.frombuffer(part, dtype=np.int64)
            if not _has_huge(read):
                self.items.frombytes(read.astype(np.int32).tobytes())
                return
            self.items = array("q", self.indices.astype(np.int64).tobytes())
        self.items.extend(part)

    def same_as(self, other: Pass) -> bool:
        """Whether both passes yielded the same things in the same order."""
        return self.items is other.items or (self.items == other.items and self.sizes == other.sizes)

    def share(self, other: Pass) -> None:
        """Hold the arrays of an equal pass in place of its own: that saves the room of a copy."""
        self.items, self.sizes = other.items, other.sizes

    def step_of(self, position: int) -> int:
        """The step, counted from 0, in which the sample at ``position`` came."""
        if self.sizes is None:
            return position
        return int(np.searchsorted(np.cumsum(np.frombuffer(self.sizes, dtype=np.int64)), position, "right"))

    def batches(self) -> Iterator[NDArray[np.int64]]:
        """The batches one by one; a pass over samples is one batch for each."""
        sizes: Sequence[int] = self.sizes if self.sizes is not None else array("q", [1]) * len(self.items)
        start = 0
        indices = self.indices
        for size in sizes:
            yield indices[start : start + size]
            start += size

    def at(self, step: int) -> tuple[int, ...]:
        """The samples of one step; none after the end."""
        if self.sizes is None:
            return tuple(self.items[step : step + 1])
        if step >= len(self.sizes):
            return ()
        start = sum(self.sizes[:step])
        return tuple(self.items[start : start + self.sizes[step]])

    def ahead(self, steps: int) -> Pass:
        """Return a pass of its first steps alone."""
        if self.sizes is None:
            return Pass(self.epoch, self.items[:steps], ending=self.ending)
        sizes = self.sizes[:steps]  # an empty pass shows no batches
        return Pass(self.epoch, self.items[: sum(sizes)], sizes or None, ending=self.ending)

    def behind(self, steps: int) -> Pass:
        """Return a pass without its first steps."""
        if self.sizes is None:
            return Pass(self.epoch, self.items[steps:], ending=self.ending)
        start, sizes = sum(self.sizes[:steps]), self.sizes[steps:]
        return Pass(self.epoch, self.items[start:], sizes or None, ending=self.ending)

    def followed_by(self, *others: Pass) -> Pass:
        """Return one pass of the steps of all."""
        passes = (self, *others)
        items = array("q", chain.from_iterable(one.items for one in passes))
        sizes = array("q", chain.from_iterable(one.sizes or () for one in passes))
        in_samples = all(one.sizes is None for one in passes)
        return Pass(self.epoch, items, None if in_samples else sizes, ending=passes[-1].ending)

    def position_apart(self, other: Pass) -> int:
        """The first position in which the samples differ; the shorter one's end counts as a difference."""
        common = min(len(self.items), len(other.items))
        differing = np.flatnonzero(self.indices[:common] != other.indices[:common])
        return int(differing[0]) if len(differing) else common

    def first_difference(self, other: Pass) -> int:
        """The first step in which two passes differ; the shorter one's end counts as a difference."""
        common = min(self.steps, other.steps)
        differing = np.flatnonzero(self._step_sizes[:common] != other._step_sizes[:common])
        unlike = int(differing[0]) if len(differing) else common
        return min(unlike, self.step_of(self.position_apart(other)))

    @property
    def _step_sizes(self) -> NDArray[np.int64]:
        sizes = self.sizes
        return np.ones(len(self.items), np.int64) if sizes is None else np.frombuffer(sizes, dtype=np.int64)


def _has_huge(indices: NDArray[np.int64]) -> bool:
    return bool(len(indices)) and (int(indices.min()) < -NARROW or int(indices.max()) >= NARROW)


class Length(NamedTuple):
    """One answer of ``len()``: a number, or why there is none ("TypeError: ...", refused or failed)."""

    when: str
    epoch: int
    value: int | None
    refused: bool = False
    error: str = ""


class Trial(NamedTuple):
    """One interrupted run: its passes up to each stop, then, resumed, what was left, then the next epoch.

    ``stops`` says after how many steps of the epoch it was interrupted, ``first`` is the number of its first
    pass in the record. ``error`` says why it could not be resumed: the passes from there on are missing.
    ``said`` is what ``len()`` answered behind the next epoch, None where it was not asked or has no answer.
    """

    way: str
    epoch: int
    stops: tuple[int, ...]
    first: int
    error: str = ""
    said: int | None = None


@dataclass(slots=True, eq=False)
class Record:
    """What one experiment recorded in one rank; of passes that are too long to be kept, their streams.

    ``as_usual`` says that its passes are known to be those of the usual epochs.
    """

    passes: list[Pass] = field(default_factory=list)
    lengths: list[Length] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    streams: list[Stream] = field(default_factory=list)
    as_usual: bool = False

    def copy(self) -> Record:
        """Return a record that holds the same and can go on by itself."""
        notes = {name: [*note] if isinstance(note, list) else note for name, note in self.notes.items()}
        passes, lengths, streams = [*self.passes], [*self.lengths], [*self.streams]
        return Record(passes, lengths, notes, streams, self.as_usual)

    def pass_of(self, epoch: int) -> Pass | None:
        """Return the first pass of an epoch; a run takes epochs in order and may jump to far ones then."""
        if epoch < len(self.passes) and self.passes[epoch].epoch == epoch:
            return self.passes[epoch]
        return next((one for one in self.passes if one.epoch == epoch), None)

    def name_seed(self, number: int) -> str:
        """Return with which other seed a pass was taken, in words; empty where none was offered."""
        seeds = self.notes.get("seeds", ())
        return f"seed {seeds[min(number, len(seeds) - 1)]}" if seeds else ""


@dataclass(slots=True, frozen=True, kw_only=True)
class Fault:
    """An exception, a deadline or a crash inside the target's own code.

    ``kind`` is "raised", "deadline", "endless" or "crashed"; ``phase`` is what the kit asked for
    ("build", "set_epoch", "iter", "next", "len", "pickle"), or "between calls". ``step`` counts the
    items that had been yielded, ``begun`` is the pass that it broke off, which is in no record.
    """

    experiment: str
    kind: str
    phase: str
    rank: int
    epoch: int | None = None
    step: int | None = None
    error: str = ""
    message: str = ""
    traceback: tuple[str, ...] = ()
    begun: Pass | None = field(default=None, compare=False, repr=False)

    @property
    def is_final(self) -> bool:
        """Whether nothing more is asked of its rank: it never came back, or failed in its usual epochs."""
        return self.kind not in ("raised", "endless") or self.experiment == "epochs"
