"""Stopwatch: where the time of a run went, by phase, experiment and law.

Used by ``carry_out`` where the plan asks for it; a run without it meets none of this. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from time import process_time
from typing import Any

from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.report import Timing, Tried
from samplercheck.values.trace import Trace


class Stopwatch:
    """Sums what experiments and laws take in this process; ranks that are processes are not seen."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], list[float]] = {}

    def time_experiments(
        self, actions: Mapping[str, Callable[[Any], None]]
    ) -> dict[str, Callable[[Any], None]]:
        """Return the experiments of a world, each of which is timed."""
        return {name: partial(self._spend, "experiment", name, action) for name, action in actions.items()}

    def time_laws(self, laws: Iterable[Law]) -> tuple[Law, ...]:
        """Return the laws, whose judging is timed."""
        return tuple(replace(law, judge=partial(self._spend, "law", law.code, _judge(law))) for law in laws)

    def read(self, tried: Iterable[Tried]) -> tuple[Timing, ...]:
        """Return phases in their order, by the clock, then experiments and laws, the longest first."""
        phases = [Timing("phase", one.phase, one.seconds, one.cases) for one in tried]
        sums = [Timing(*key, seconds, int(calls)) for key, (seconds, calls) in self._sums.items()]
        return (*phases, *sorted(sums, key=lambda one: (one.kind, -one.seconds)))

    def _spend(self, kind: str, name: str, act: Callable[[Any], Any], subject: Any) -> Any:
        began = process_time()
        try:
            return act(subject)
        finally:
            spent = self._sums.setdefault((kind, name), [0.0, 0])
            spent[0] += process_time() - began
            spent[1] += 1


def _judge(law: Law) -> Callable[[Trace], tuple[Violation, ...]]:
    """Return the judging of a law to its end: many yield what they find."""
    return lambda trace: tuple(law.judge(trace) or ())
