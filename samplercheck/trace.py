"""Trace: what every rank recorded in one case, and pure questions about it.

Written by a world, read by laws; data only. Passes are integer arrays: laws ask for counts, shares
and orders and never hold Python lists of indices. May import numpy and the values below it.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from samplercheck.owed import owed_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.owed import Owed

__all__ = ["Epoch", "Fault", "Length", "Pass", "Record", "Trace"]

FEW = 64
LARGE_SEED = 2**32
REPEATED = ("lengths", "jumps", "again", "interleaved", "abandoned", "pickled", "unplaced")


@dataclass(slots=True, eq=False)
class Pass:
    """One iteration of a target by one rank: flat indices, and batch sizes where it yields batches.

    ``ending`` is "finished", "capped" (stopped by the kit because it would not end) or "abandoned"
    (given up on purpose). ``strange`` describes the first item that is no integer.
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
    def indices(self) -> NDArray[np.int64]:
        """The samples in the order in which they came."""
        return np.frombuffer(self.items, dtype=np.int64)

    def same_as(self, other: Pass) -> bool:
        """Whether both passes yielded the same things in the same order."""
        return self.items == other.items and self.sizes == other.sizes

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

    def first_difference(self, other: Pass) -> int:
        """The first step in which two passes differ; the shorter one's end counts as a difference."""
        mine, theirs = list(self.batches()), list(other.batches())
        for step, (left, right) in enumerate(zip(mine, theirs, strict=False)):
            if not np.array_equal(left, right):
                return step
        return min(len(mine), len(theirs))


@dataclass(slots=True, frozen=True)
class Length:
    """One answer of ``len()``: a number, or why there is none ("TypeError: ...", refused or failed)."""

    when: str
    epoch: int
    value: int | None
    refused: bool = False
    error: str = ""


@dataclass(slots=True, eq=False)
class Record:
    """What one experiment recorded in one rank."""

    passes: list[Pass] = field(default_factory=list)
    lengths: list[Length] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, frozen=True, kw_only=True)
class Fault:
    """An exception, a deadline or a crash inside the target's own code.

    ``kind`` is "raised", "deadline", "endless" or "crashed"; ``phase`` is what the kit asked for
    ("build", "set_epoch", "iter", "next", "len", "pickle"). ``step`` counts the items that had been yielded.
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


class Epoch:
    """One epoch of the ranks that share it: pure questions over their passes."""

    def __init__(self, number: int, ranks: Sequence[int], passes: Sequence[Pass], length: int) -> None:
        self.number = number
        self.ranks = tuple(ranks)
        self.passes = tuple(passes)
        self.length = length

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """All samples of the epoch, rank after rank."""
        if len(self.passes) == 1:
            return self.passes[0].indices
        return np.frombuffer(b"".join([one.items for one in self.passes]), dtype=np.int64)

    @property
    def total(self) -> int:
        """The number of samples that all ranks yielded."""
        return sum([len(one.items) for one in self.passes])

    @property
    def steps(self) -> list[int]:
        """The number of steps of each rank."""
        return [one.steps for one in self.passes]

    @property
    def samples(self) -> list[int]:
        """The number of samples of each rank."""
        return [len(one.items) for one in self.passes]

    @cached_property
    def is_in_range(self) -> bool:
        """Whether every index is one of the dataset."""
        for one in self.passes:
            items = one.items
            if len(items) > FEW:
                indices = one.indices
                if indices.min() < 0 or indices.max() >= self.length:
                    return False
            elif items and (min(items) < 0 or max(items) >= self.length):
                return False
        return True

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each sample of the dataset was yielded; strays outside the dataset are left out."""
        indices = self.indices
        if not self.is_in_range:
            indices = indices[(indices >= 0) & (indices < self.length)]
        return np.bincount(indices, minlength=self.length)

    @cached_property
    def batches(self) -> list[tuple[int, ...]]:
        """The composition of every batch, order inside and among batches left out, all ranks."""
        return sorted(tuple(sorted(batch.tolist())) for one in self.passes for batch in one.batches())

    def same_order(self, other: Epoch) -> bool:
        """Whether every rank yielded the same in both epochs."""
        return all([mine.same_as(theirs) for mine, theirs in zip(self.passes, other.passes, strict=True)])

    def members(self, place: int) -> NDArray[np.int64]:
        """The distinct samples of one place, ascending."""
        return np.unique(self.passes[place].indices)


class Trace:
    """Everything that was recorded for one case: by experiment, then by rank."""

    def __init__(
        self,
        case: Case,
        contract: Contract,
        records: dict[str, list[Record]],
        *,
        kind: str = "",
        faults: Sequence[Fault] = (),
        named: frozenset[str] = frozenset(),
        deadlock: str = "",
        not_carried: str = "",
    ) -> None:
        self.case = case
        self.contract = contract
        self.records = records
        self.faults = tuple(faults)
        self.named = named
        self.deadlock = deadlock
        self.not_carried = not_carried
        self.kind = kind or self._kind_seen()
        # Whether every rank recorded everything: no fault, no deadlock, nothing left undone.
        self.is_whole = not (faults or deadlock or not_carried)

    def _kind_seen(self) -> str:
        for record in self.records.get("epochs", ()):
            for one in record.passes:
                if one.sizes is not None:
                    return "batches"
        return "samples"

    @property
    def batched(self) -> bool:
        """Whether the target yields batches."""
        return self.kind == "batches"

    @cached_property
    def owed(self) -> Owed:
        """What the contract owes in this case."""
        return owed_in(self.case, self.contract, batched=self.batched)

    @property
    def is_refused(self) -> bool:
        """Whether the target refused this case with a ValueError, as it may (RULES A2).

        An empty dataset may be refused at building; a seed above 32 bits anywhere, because numpy's
        generators cannot take it.
        """
        return bool(self.faults) and all(map(self._is_refusal, self.faults))

    def _is_refusal(self, fault: Fault) -> bool:
        if fault.kind != "raised":
            return False
        if self.case.length == 0 and fault.phase == "build" and fault.error == "ValueError":
            return True
        large = self.case.seed + self.case.epochs > LARGE_SEED
        return large and (fault.error in ("ValueError", "OverflowError") or "verflow" in fault.message)

    def of(self, experiment: str) -> list[Record]:
        """What every rank recorded in one experiment; nothing when it was not run."""
        return self.records.get(experiment, [])

    @cached_property
    def shares(self) -> tuple[tuple[int, ...], ...]:
        """The groups of ranks that share an epoch: one of all places, or each rank by itself."""
        if self.contract.sharding == "none":
            return tuple((rank,) for rank in range(self.case.world_size))
        step = self.contract.replicas
        return (tuple(range(0, self.owed.places * step, step)),)

    @cached_property
    def epochs(self) -> tuple[Epoch, ...]:
        """The epochs of the main experiment, one for each share of the data, in order."""
        return self.epochs_of("epochs")

    @cached_property
    def series(self) -> tuple[tuple[Epoch, ...], ...]:
        """The same epochs grouped by share: the course of each share over the epochs."""
        found: dict[tuple[int, ...], list[Epoch]] = {ranks: [] for ranks in self.shares}
        for epoch in self.epochs:
            found[epoch.ranks].append(epoch)
        return tuple(map(tuple, found.values()))

    @cached_property
    def has_steps(self) -> bool:
        """Whether any rank yielded anything in the main experiment."""
        return any([bool(one.items or one.sizes) for record in self.of("epochs") for one in record.passes])

    @cached_property
    def faithful(self) -> frozenset[str]:
        """The experiments in which all passes are those of the main one, rank by rank and epoch by epoch.

        Nearly every case of a sound target is like this, and then laws that compare are done.
        """
        mains = [record.passes for record in self.of("epochs")]
        return frozenset(name for name in self.records if name in REPEATED and self._is_faithful(name, mains))

    def _is_faithful(self, name: str, mains: list[list[Pass]]) -> bool:
        for record, main in zip(self.records[name], mains, strict=False):
            if not record.passes:
                return False
            for one in record.passes:
                if one.ending == "abandoned":
                    continue
                epoch = one.epoch
                if epoch >= len(main) or one.items != main[epoch].items or one.sizes != main[epoch].sizes:
                    return False
        return len(self.records[name]) == len(mains)

    def epochs_of(self, experiment: str) -> tuple[Epoch, ...]:
        """The passes of an experiment put together over the ranks; only what all ranks finished."""
        records, length = self.of(experiment), self.case.length
        found = []
        for ranks in self.shares:
            if len(records) <= ranks[-1]:  # a rank that hung ends the case before the ranks after it
                continue
            columns = [records[rank].passes for rank in ranks]
            found += [
                Epoch(together[0].epoch, ranks, together, length) for together in zip(*columns, strict=False)
            ]
        return tuple(found)
