"""Trace: what every rank recorded in one case, and pure questions about it.

Put together by a world from the ranks' records, read by laws, which ask it for counts, shares and
orders. May import numpy and the values below it.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from samplercheck.values.owed import Owed, compute_owed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from samplercheck.values.case import Case
    from samplercheck.values.contract import Contract
    from samplercheck.values.record import Fault, Pass, Record

__all__ = ["Epoch", "Trace"]

FEW = 64
LARGE_SEED = 2**32
REPEATED = ("lengths", "jumps", "again", "interleaved", "abandoned", "pickled", "unplaced")


class Epoch:
    """One epoch of the ranks that share it: pure questions over their passes."""

    def __init__(self, number: int, ranks: tuple[int, ...], passes: tuple[Pass, ...], length: int) -> None:
        self.number = number
        self.ranks = ranks
        self.passes = passes
        self.length = length
        # The number of samples that all ranks yielded.
        self.total = sum([len(pass_.items) for pass_ in passes])
        # Sets of Python integers are faster than numpy in the many tiny cases of a search.
        self.is_short = self.total <= FEW
        self.distinct: set[int] = set().union(*[pass_.items for pass_ in passes]) if self.is_short else set()
        # Whether every index is one of the dataset.
        self.is_in_range = self._is_in_range()

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """All samples of the epoch, rank after rank."""
        if len(self.passes) == 1:
            return self.passes[0].indices
        return np.frombuffer(b"".join([pass_.items for pass_ in self.passes]), dtype=np.int64)

    @cached_property
    def highest(self) -> int:
        """How often the most frequent sample of the dataset was yielded."""
        if not self.is_short or not self.is_in_range:
            return int(self.counts.max(initial=0))
        if len(self.distinct) == self.total:
            return min(1, self.total)
        items = b"".join([pass_.items for pass_ in self.passes])
        return max(map(array("q", items).count, self.distinct))

    @property
    def steps(self) -> list[int]:
        """The number of steps of each rank."""
        return [pass_.steps for pass_ in self.passes]

    @property
    def samples(self) -> list[int]:
        """The number of samples of each rank."""
        return [len(pass_.items) for pass_ in self.passes]

    def _is_in_range(self) -> bool:
        if self.is_short:
            return not self.distinct or (min(self.distinct) >= 0 and max(self.distinct) < self.length)
        return all(
            pass_.indices.min() >= 0 and pass_.indices.max() < self.length
            for pass_ in self.passes
            if pass_.items
        )

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
        return sorted(tuple(sorted(batch.tolist())) for pass_ in self.passes for batch in pass_.batches())

    def same_order(self, other: Epoch) -> bool:
        """Whether every rank yielded the same in both epochs."""
        return all([own.same_as(pass_) for own, pass_ in zip(self.passes, other.passes, strict=True)])

    def members(self, place: int) -> NDArray[np.int64]:
        """The distinct samples of one place, ascending."""
        return np.unique(self.passes[place].indices)


class Trace:
    """Everything that was recorded for one case: by experiment, then by rank.

    ``twins`` are traces of the same case run elsewhere: "simulated", and "fresh" in
    processes with another hash seed that were started in another order.
    """

    def __init__(  # noqa: PLR0913  (all that a world records)
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
        world: str = "simulated",
        twins: Mapping[str, Trace] | None = None,
    ) -> None:
        self.case = case
        self.contract = contract
        self.records = records
        self.faults = tuple(faults)
        self.named = named
        self.deadlock = deadlock
        self.not_carried = not_carried
        self.world = world
        self.twins: Mapping[str, Trace] = twins or {}
        self.kind = kind or self._kind_seen()
        # Whether every rank recorded everything: no fault, no deadlock, nothing left undone.
        self.is_whole = not (faults or deadlock or not_carried)

    def _kind_seen(self) -> str:
        for record in self.records.get("epochs", ()):
            for pass_ in record.passes:
                if pass_.sizes is not None:
                    return "batches"
        return "samples"

    @property
    def batched(self) -> bool:
        """Whether the target yields batches."""
        return self.kind == "batches"

    @cached_property
    def owed(self) -> Owed:
        """What the contract owes in this case."""
        return compute_owed(self.case, self.contract, batched=self.batched)

    @property
    def is_refused(self) -> bool:
        """Whether the target refused this case, so that other laws have nothing to judge (docs/rules.md A2).

        An empty dataset, or one of fewer samples than ranks, may be refused at building; a seed above 32 bits
        anywhere, because numpy's generators cannot take it.
        """
        return bool(self.faults) and all(map(self._is_refusal, self.faults))

    def _is_refusal(self, fault: Fault) -> bool:
        if fault.kind != "raised":
            return False
        if self.refuses_few(fault) or (self.case.length == 0 and _is_plain_refusal(fault)):
            return True
        large = self.case.seed + self.case.epochs > LARGE_SEED
        return large and (fault.error in ("ValueError", "OverflowError") or "verflow" in fault.message)

    def refuses_few(self, fault: Fault) -> bool:
        """Whether a fault is a mere refusal, when built, of fewer samples than there are places for them."""
        return 0 < self.case.length < self.owed.places and _is_plain_refusal(fault)

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
        return any(
            [bool(pass_.items or pass_.sizes) for record in self.of("epochs") for pass_ in record.passes]
        )

    @cached_property
    def is_readable(self) -> bool:
        """Whether every pass of the main experiment was read to its end; reading stops at a non-index."""
        # A loop: every law asks this in every case, and a generator takes three times as long.
        for record in self.records.get("epochs", ()):
            for pass_ in record.passes:
                if pass_.strange:
                    return False
        return True

    @cached_property
    def faithful(self) -> frozenset[str]:
        """The experiments in which all passes are those of the main one, rank by rank and epoch by epoch.

        Nearly every case of a sound target is like this; laws that compare then have nothing left to do.
        """
        mains = self.of("epochs")
        return frozenset(name for name in self.records if name in REPEATED and self._is_faithful(name, mains))

    def _is_faithful(self, name: str, mains: list[Record]) -> bool:
        for record, main in zip(self.records[name], mains, strict=False):
            if not record.passes:
                return False
            for pass_ in record.passes:
                if pass_.ending == "abandoned":
                    continue
                usual = main.pass_of(pass_.epoch)
                if usual is None or not pass_.same_as(usual):
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


def _is_plain_refusal(fault: Fault) -> bool:
    """Whether a target that was being built said no: by a ValueError, or an assertion that says why."""
    said = fault.error == "ValueError" or (fault.error == "AssertionError" and bool(fault.message))
    return said and fault.kind == "raised" and fault.phase == "build"
