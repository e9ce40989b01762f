"""Traces of resumed runs, written by hand: the epochs of a run that nobody stopped, then trial by trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.values.record import Length, Record, Trial
from tests.support.traces import Yield, a_pass, a_record, a_trace

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace

STRAIGHT: list[Yield] = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]]


def a_trial(way: str, epoch: int, stops: tuple[int, ...], *yields: Yield, error: str = "") -> tuple[Any, ...]:
    """One trial: the passes before its stops, what came when it was resumed, and the epoch after."""
    return way, epoch, stops, yields, error


def resumed(
    *trials: tuple[Any, ...],
    straight: list[Yield] = STRAIGHT,
    batched: bool = False,
    lengths: Any = (),
    **notes: Any,
) -> Record:
    """One rank's record of an experiment on resuming."""
    record = a_record(*[a_pass(one, epoch=number, batched=batched) for number, one in enumerate(straight)])
    entered = []
    for way, epoch, stops, yields, error in trials:
        entered.append(Trial(way, epoch, stops, len(record.passes), error))
        numbers = [epoch] * (len(stops) + 1) + [epoch + 1] * 2
        record.passes += [a_pass(one, epoch=at) for one, at in zip(yields, numbers, strict=False)]
    record.notes.update(trials=entered, **notes)
    record.lengths += [Length("loaded", 0, *answer) for answer in lengths]
    return record


def a_run(
    *records: Record,
    experiment: str = "resumed",
    straight: list[Yield] = STRAIGHT,
    others: Any = None,
    **rest: Any,
) -> Trace:
    """A trace of ranks that were resumed, and that yield alike when they are built again."""
    epochs = [a_record(*straight[:3]) for _ in records]
    again = [a_record(straight[0]) for _ in records]
    rest.setdefault("length", 3)
    experiments = {"again": again, experiment: list(records), **(others or {})}
    return a_trace(*epochs, others=experiments, **rest)
