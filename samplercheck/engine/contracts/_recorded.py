"""A world that runs a case once, however many contracts its trace is judged by.

Opened where contracts are compared. Most of what a contract says, it says to the laws: what the target
is asked to do stays the same, and so what it has done.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from samplercheck.experiments import EXPERIMENTS
from samplercheck.targets.binding import Binding
from samplercheck.targets.features import INNERS
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.limits import quarter_of, step_cap
from samplercheck.values.owed import compute_owed
from samplercheck.values.trace import Trace
from samplercheck.worlds import HomeWorld, Spare

MOST_VISITS = 3_000_000
"""So many samples of all traces are kept; what comes later is run again."""


class TakesLongError(Exception):
    """What was asked of a world takes longer than it may."""


class RecordedWorld:
    """Another world with a memory, which stays open; raises once that has taken ``most_seconds``.

    They are the processor's, as others may use the machine as well, unless the target itself ``waits``.
    """

    def __init__(self, world: HomeWorld, most_seconds: float = math.inf, *, waits: bool = False) -> None:
        self.name = world.name
        self.guard = world.guard
        self._world = world
        self._traces: dict[tuple[Any, ...], list[Trace]] = {}
        self._visits = 0
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
            found = self._run(binding, case, wanted, kind, spared)
            if not found.is_whole and len(wanted) > len(experiments):  # whose fault, is not known
                found = self._run(binding, case, experiments, kind, spared)
            self._visits += case.length * case.epochs * len(wanted)
            if self._visits <= MOST_VISITS:
                kept.append(found)
        return replace(found, case=case, contract=binding.contract, kind=kind, named=binding.named)

    def _run(
        self, binding: Binding, case: Case, experiments: Sequence[str], kind: str, spare: Spare
    ) -> Trace:
        if self._seconds_left <= 0:
            raise TakesLongError
        began = self._clock()
        found = self._world.trace(binding, case, experiments, kind, spare)
        self._seconds_left -= self._clock() - began
        return found


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
        "seed" in binding.named and compute_owed(case, contract, batched=False).is_shuffled,
    )
    if set(INNERS) & binding.named:
        said += (contract.order, contract.batches)
    if contract.resume == "consumed" or contract.reference is not None:
        said += (contract.text,)
    return said


def _answers(trace: Trace, contract: Contract, experiments: Sequence[str]) -> bool:
    """Whether a trace has what these experiments would record under a contract.

    Where something has failed, other experiments, or more steps, might have failed otherwise. Ranks that
    wait for each other are not resumed in as many places where their passes may end unevenly.
    """
    is_other_end = (trace.contract.tail == "keep") != (contract.tail == "keep")
    if is_other_end and any(record.notes.get("collectives") for record in trace.of("epochs")):
        return False
    if trace.is_whole:
        return trace.records.keys() >= set(experiments)
    as_long = step_cap(trace.case, trace.contract) == step_cap(trace.case, contract)
    return as_long and trace.records.keys() == set(experiments)
