"""Trace: what every rank recorded in one case, and pure questions about it.

Put together by a world from the ranks' records, read by laws, which ask it for counts, shares and
orders. May import the values below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.epoch import Epoch, once
from samplercheck.values.owed import Owed, compute_owed, owed_to_padded_shares, owed_where_cut
from samplercheck.values.record import Fault, Record
from samplercheck.values.stream import STREAMED, StreamedEpoch, put_together

__all__ = ["Epoch", "Trace"]
LARGE_SEED, MIXED_SEED = 2**32, 2**20
_REFUSALS = ("ValueError", "AssertionError", "RuntimeError", "NotImplementedError")
"""What a line that refuses a case raises: more is raised by mistakes, too."""
_RAISED = re.compile(r": (?:raise|assert)\b")
_ONLY_ZEROS = re.compile(r"sum of probabilities <= 0|[Tt]otal of weights must be greater|contains? NaN")
REPEATED = ("lengths", "jumps", "again", "interleaved", "abandoned", "pickled", "unplaced")


@dataclass(eq=False, repr=False)
class Trace:
    """Everything that was recorded for one case: by experiment, then by rank.

    ``seen`` are the ranks that were run where not all were, None where all were. ``twins`` are traces of the
    same case run elsewhere: "simulated", and "fresh" in processes with another hash seed that were started in
    another order.
    """

    case: Case
    contract: Contract
    records: dict[str, list[Record]]
    _: KW_ONLY
    kind: str = ""
    faults: Sequence[Fault] = ()
    named: frozenset[str] = frozenset()
    deadlock: str = ""
    not_carried: str = ""
    world: str = "simulated"
    twins: Mapping[str, Trace] = field(default_factory=dict)
    seen: frozenset[int] | None = field(default=None, init=False)
    answers: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.kind = self.kind or self._kind_seen()
        self.faults = tuple(self.faults)
        self.twins = self.twins or {}
        # Whether passes were too long to be kept, so that there are fingerprints of them alone.
        self.is_streamed = STREAMED in self.records
        # Whether every rank recorded everything: no fault, no deadlock, nothing left undone.
        self.is_whole = not (self.faults or self.deadlock or self.not_carried)

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

    @once
    def owed(self) -> Owed:
        """What the contract owes in this case, of two ways to deal with an end the one that was taken."""
        padded = owed_to_padded_shares(self.case, self.contract) if self.batched else None
        replicas = self.contract.replicas
        if padded is not None and padded.total == next(self._taken_in_epochs(), 0) // replicas:
            return padded
        owed = compute_owed(self.case, self.contract, batched=self.batched)
        if owed.tail == "keep" and self.case.drop_last and owed.total:
            taken = min(self._taken_in_epochs(), default=0) * owed.places // self.case.world_size
            return owed_where_cut(owed, self.case, self.contract, taken, batched=self.batched)
        return owed

    def _taken_in_epochs(self) -> Iterator[int]:
        """Yield how many samples all ranks yielded in each epoch, whether they share it or not."""
        if self.is_streamed:
            counts = [[one.samples for one in record.streams] for record in self.of(STREAMED)]
        else:
            counts = [[len(one.items) for one in record.passes] for record in self.of("epochs")]
        return map(sum, zip(*filter(None, counts), strict=False))

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
        is_of_none = self.case.length == 0 and _is_plain_refusal(fault)
        if is_of_none or self.refuses_few(fault) or self.refuses_it(fault):
            return True
        return is_seed_refused(self.case, fault)

    def refuses_few(self, fault: Fault) -> bool:
        """Whether a fault is a mere refusal, when built, of fewer samples than there are places for them."""
        return 0 < self.case.length < self.owed.places * self.contract.cycle and _is_plain_refusal(fault)

    def refuses_it(self, fault: Fault) -> bool:
        """Whether a fault is a mere refusal of the case, so that a job does not start and its log says why.

        Every rank says no when it is built, by a line of its own; or a generator has weights of zero alone.
        """
        if fault.kind == "raised" and "weights" in self.named and _ONLY_ZEROS.search(fault.message):
            # None of those that are made for a dataset is zero: what draws by them has made them so.
            is_few = self.case.length < self.owed.places
            return is_few or 0.0 in dict(self.case.features).get("weights", ())
        ranks = {one.rank for one in self.faults if one.experiment == fault.experiment and _says_why(one)}
        return _says_why(fault) and len(ranks) == len(self.seen or range(self.case.world_size))

    def narrow(self, experiments: Sequence[str]) -> Trace:
        """Return the part of a trace that holds these experiments, and the faults in these alone.

        It is the whole trace where nothing failed, or where nothing more was asked of ranks that did.
        """
        is_all = self.is_whole or self.deadlock or self.not_carried or self.is_streamed
        if is_all or any(one.is_final for one in self.faults):
            return self
        return replace(
            self,
            records={name: records for name, records in self.records.items() if name in experiments},
            faults=[fault for fault in self.faults if fault.experiment in experiments],
            twins={
                name: twin.narrow(experiments) if twin.records.keys() <= self.records.keys() else twin
                for name, twin in self.twins.items()
            },
        )

    def of(self, experiment: str) -> list[Record]:
        """What every rank recorded in one experiment; nothing when it was not run."""
        return self.records.get(experiment, [])

    @once
    def shares(self) -> tuple[tuple[int, ...], ...]:
        """The groups of ranks that share an epoch: one of all places, or each rank by itself."""
        seen = self.seen
        if self.contract.sharding == "none":
            return tuple((rank,) for rank in range(self.case.world_size) if seen is None or rank in seen)
        step = self.contract.replicas
        ranks = range(0, self.owed.places * step, step)
        return (tuple(ranks if seen is None else filter(seen.__contains__, ranks)),)

    @once
    def epochs(self) -> tuple[Epoch, ...]:
        """The epochs of the main experiment, one for each share of the data, in order."""
        return self.epochs_of("epochs")

    @once
    def series(self) -> tuple[tuple[Epoch, ...], ...]:
        """The same epochs grouped by share: the course of each share over the epochs."""
        found: dict[tuple[int, ...], list[Epoch]] = {ranks: [] for ranks in self.shares}
        for epoch in self.epochs:
            found[epoch.ranks].append(epoch)
        return tuple(map(tuple, found.values()))

    @once
    def streams(self) -> tuple[StreamedEpoch, ...]:
        """The epochs of long passes, one for each share of the data, in order."""
        return put_together(self.records, self.shares, self.case)

    @property
    def taken(self) -> tuple[Epoch, ...] | tuple[StreamedEpoch, ...]:
        """The epochs of the main experiment, or what is left of them where they were long."""
        return self.streams if self.is_streamed else self.epochs

    @once
    def has_steps(self) -> bool:
        """Whether any rank yielded anything in the main experiment."""
        return any(
            [bool(pass_.items or pass_.sizes) for record in self.of("epochs") for pass_ in record.passes]
        )

    @once
    def is_readable(self) -> bool:
        """Whether every pass of the main experiment was read to its end; reading stops at a non-index."""
        if self.is_streamed:
            return not any(one.strange for epoch in self.streams for one in epoch.passes)
        # A loop: every law asks this in every case, and a generator takes three times as long.
        for record in self.records.get("epochs", ()):
            for pass_ in record.passes:
                if pass_.strange:
                    return False
        return True

    @once
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
            if record.as_usual:
                continue
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


def _says_why(fault: Fault) -> bool:
    """Whether a target that was being built said no by a line of its own, and why."""
    lines = [line for line in "\n".join(fault.traceback).split("\n") if line.strip()]
    is_its_own = bool(_RAISED.search("".join(lines[-1:])))
    said = fault.error in _REFUSALS and bool(fault.message) and is_its_own
    return said and fault.kind == "raised" and fault.phase == "build"


def is_seed_refused(case: Case, fault: Fault) -> bool:
    """Whether a fault is that a seed is too large, as numpy's generators say from 2**32 on.

    Epochs are usually added to it; where it is multiplied first, torch's generators say so earlier.
    """
    if case.seed > MIXED_SEED and "verflow" in f"{fault.error} {fault.message}":
        return True
    return case.seed + case.epochs > LARGE_SEED and fault.error in ("ValueError", "OverflowError")
