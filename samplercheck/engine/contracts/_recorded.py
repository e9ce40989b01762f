"""A world that runs a case once, however many contracts its trace is judged by.

Opened where contracts are compared. Most of what a contract says, it says to the laws: what the target
is asked to do stays the same, and so what it has done.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from samplercheck.engine._fallback import Patience, leave_out
from samplercheck.engine._judging import has_hung
from samplercheck.engine.contracts._coverage import BATCH
from samplercheck.engine.contracts._orders import Look
from samplercheck.experiments import EXPERIMENTS
from samplercheck.laws.law import Scope
from samplercheck.targets.binding import Binding
from samplercheck.targets.features import INNERS
from samplercheck.targets.target import Target, as_target
from samplercheck.values.case import Case, Options
from samplercheck.values.contract import Contract
from samplercheck.values.limits import quarter_of, step_cap
from samplercheck.values.owed import order_of
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import HomeWorld, Spare

EPOCHS = 3
MOST_VISITS = 3_000_000
"""So many samples of all traces are kept; what comes later is run again."""


class TakesLongError(Exception):
    """What was asked of a world takes longer than it may."""


class RecordedWorld:
    """Another world with a memory, which stays open; raises once that has taken ``most_seconds``.

    They are the processor's, as others may use the machine as well, unless the target itself ``waits``. What
    it ``avoids`` is not run. ``hung`` are the cases that hung, without those of empty datasets
    (``hung_empty``); what hung is run by no other contract of which that is known to ask the same.
    """

    def __init__(
        self,
        world: HomeWorld,
        most_seconds: float = math.inf,
        *,
        waits: bool = False,
        avoids: Callable[[Case], bool] | None = None,
    ) -> None:
        self._avoids = avoids or (lambda _: False)
        self.name = world.name
        self.guard = world.guard
        self._world = world
        self._traces: dict[tuple[Any, ...], list[Trace]] = {}
        self._visits, self.hung, self.hung_empty = 0, list[Case](), list[Case]()
        self._patience = Patience(world, lambda _: None)
        self._seconds_left = most_seconds
        self._clock = time.monotonic if waits else time.process_time

    @property
    def notes(self) -> Sequence[str]:
        """What a report has to say of the other world."""
        return self._world.notes

    def __enter__(self) -> RecordedWorld:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def trace(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "", spare: Spare = "usual"
    ) -> Trace:
        """Return what was recorded in a case, as a trace under the contract of ``binding``.

        No more is spared than usual, as a record is for all who ask.
        """
        spared: Spare = "none" if spare == "none" else "usual"
        kept = self._traces.setdefault((*_what_is_run(binding, case), case, spared), [])
        found = next((one for one in kept if _answers(one, binding.contract, experiments)), None)
        if found is None:
            known = {name for one in kept if one.is_whole for name in one.records}
            wanted = [name for name in EXPERIMENTS if name in known or name in experiments]
            wider = _with_seeds(binding, case)
            found = self._run(wider, case, wanted, kind, spared)
            asks_more = wider is not binding or len(wanted) > len(experiments)
            if asks_more and not (found.is_whole or _hangs_anyway(found, experiments)):
                found = self._run(binding, case, experiments, kind, spared)  # whose fault, was not known
            self._visits += case.length * case.epochs * len(wanted)
            if self._visits <= MOST_VISITS:
                kept.append(found)
        records = _without_seeds(found, binding.contract)
        if not found.is_whole:
            records = {name: records[name] for name in experiments}
        return replace(
            found, case=case, contract=binding.contract, records=records, kind=kind, named=binding.named
        )

    def _run(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str, spare: Spare
    ) -> Trace:
        if self._seconds_left <= 0:
            raise TakesLongError
        if self._avoids(case):
            return leave_out(binding, case, experiments, kind)
        began = self._clock()
        found = self._world.trace(binding, case, experiments, kind, spare)
        self._seconds_left -= self._clock() - began
        self._patience.note(found)
        (self.hung if case.length else self.hung_empty).extend([case] * has_hung(found))
        return found

    @property
    def hangs(self) -> int:
        """How often a case hung that has samples."""
        return len(self.hung)


def _what_is_run(binding: Binding, case: Case) -> tuple[Any, ...]:
    """Return what a contract says to the experiments and the world, and not to the laws alone."""
    contract = binding.contract
    said: tuple[Any, ...] = (
        contract.epochs,
        contract.after_break,
        contract.endless,
        contract.ambient_rng,
        contract.resume,
        contract.replicas,
        contract.foreign_state,
        contract.elastic and (contract.tail, contract.batches),
        quarter_of(case, contract),
    )
    if not binding.named.isdisjoint(INNERS):
        said += (contract.order, contract.batches)
    return (*said, contract.text) if _says_all(contract) else said


def _says_all(contract: Contract) -> bool:
    """Whether experiments read all of a contract: they count what is owed, or take a reference."""
    return contract.resume == "consumed" or contract.reference is not None


def _answers(trace: Trace, contract: Contract, experiments: Sequence[str]) -> bool:
    """Whether a trace has what these experiments would record under a contract.

    Where something has failed, other experiments, or more steps, might have failed otherwise, unless it hung
    in what is asked first; a pass that was read to its end may have more steps than count as an end. Ranks
    that wait for each other are not resumed in as many places where their passes may end unevenly.
    """
    is_other_end = (trace.contract.tail == "keep") != (contract.tail == "keep")
    if is_other_end and any(record.notes.get("collectives") for record in trace.of("epochs")):
        return False
    if trace.is_whole:
        return trace.records.keys() >= set(experiments) and _fits(trace, step_cap(trace.case, contract))
    as_long = step_cap(trace.case, trace.contract) == step_cap(trace.case, contract)
    if as_long and _hangs_anyway(trace, experiments):
        return trace.records.keys() >= {*experiments}
    as_asked = order_of(trace.case, trace.contract) == order_of(trace.case, contract)
    return as_long and as_asked and trace.records.keys() == set(experiments)


def _hangs_anyway(trace: Trace, experiments: Sequence[str]) -> bool:
    """Whether a rank hung before anything was asked of it that these experiments would not ask.

    Which seeds are tried, a contract decides.
    """
    failing = {fault.experiment for fault in trace.faults}
    names = [*trace.records]
    if not has_hung(trace) or not failing <= {*names}:
        return False
    asked = names[: 1 + max(map(names.index, failing))]
    return "seeds" not in asked and {*asked} <= {*experiments}


def _fits(trace: Trace, cap: int) -> bool:
    """Whether no pass takes more steps than a cap, which may be lower than the one it was recorded by."""
    if cap >= step_cap(trace.case, trace.contract):
        return True
    passes = (one for records in trace.records.values() for record in records for one in record.passes)
    return all(one.steps <= cap for one in passes)


def _with_seeds(binding: Binding, case: Case) -> Binding:
    """Return the binding as if its order had to be shuffled: then other seeds are tried, and nothing else."""
    contract = binding.contract
    if "seed" not in binding.named or order_of(case, contract) == "shuffled":
        return binding
    if not binding.named.isdisjoint(INNERS) or _says_all(contract):
        return binding
    wider = copy(binding)
    wider.contract = contract.but(order="shuffled")
    return wider


def _without_seeds(trace: Trace, contract: Contract) -> dict[str, list[Record]]:
    """Return records in which no other seed was tried, where a contract promises nothing of seeds."""
    if "seeds" not in trace.records or order_of(trace.case, contract) == "shuffled":
        return trace.records
    return {**trace.records, "seeds": [Record() for _ in trace.records["seeds"]]}


def look_by(recorded: RecordedWorld, what: Target, scope: Scope, options: Options) -> Look:
    """Return what takes a few epochs of a target under a contract, for signs to be read from."""

    def look(contract: Contract, length: int, ranks: int, *asked: str, **changes: Any) -> Trace:
        binding = as_target(what, contract).bind()
        batch = BATCH if "batch_size" in binding.varied else scope.own_batch.on(ranks)
        world_size = ranks * contract.replicas
        case = Case(length=length, world_size=world_size, batch_size=batch, epochs=EPOCHS, options=options)
        return recorded.trace(binding, case.but(**changes), ("epochs", *asked), scope.kind)

    return look
