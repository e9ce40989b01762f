"""Calling: a function of a user's own test, run in every rank of a world; results and errors by rank.

Used by the fixtures of the pytest plugin. To a world the call is a case like any other, so that what
hangs, dies or waits forever is known in the same way. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from samplercheck.experiments import CALL
from samplercheck.experiments.called import Call
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import RankError, WorldError
from samplercheck.values.record import Fault
from samplercheck.worlds import World


def call(
    world: World,
    function: Callable[..., Any],
    world_size: int,
    arguments: tuple[Any, ...] = (),
    named: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Return what ``function`` returned in each rank, by rank.

    Raises RankError where a rank raises, hangs, dies or waits forever, TargetError where the function
    cannot travel to it, and WorldError where this world cannot carry the call.
    """
    __tracebackhide__ = True  # pytest shows the line that has called
    name = getattr(function, "__qualname__", type(function).__qualname__)
    binding = Binding(Call(function, arguments, named or {}), Contract(), {}, name)
    trace = world.trace(binding, Case(length=0, world_size=world_size, epochs=1), (CALL,))
    if trace.not_carried and not trace.faults:
        raise WorldError(f"{name} could not be carried out: {trace.not_carried}")
    if trace.faults:
        raise _error_of(name, trace.faults, trace.deadlock)
    if trace.deadlock:
        raise RankError(f"The ranks of {name} wait for one another and never go on: {trace.deadlock}.")
    return [record.notes["returned"].value for record in trace.of(CALL)]


def _error_of(name: str, faults: Sequence[Fault], deadlock: str) -> RankError:
    """Say what became of each rank that failed; the first is the one that the error names."""
    first = faults[0]
    ends = ["\n    ".join([_describe_end(fault), *fault.traceback]).rstrip() for fault in faults]
    if deadlock:
        ends.append(f"meanwhile: {deadlock}")
    return RankError(
        "\n".join([f"{name} failed in {ends[0]}", *ends[1:]]),
        rank=first.rank,
        kind=first.error,
        traceback="\n".join(first.traceback),
    )


def _describe_end(fault: Fault) -> str:
    if fault.kind == "deadline":
        return f"rank {fault.rank}, which hung{f': {fault.message}' if fault.message else ''}"
    if fault.kind == "crashed":
        return f"rank {fault.rank}, which died ({fault.error})"
    return f"rank {fault.rank}, which raised {fault.error}{f': {fault.message}' if fault.message else ''}"
