"""Growth: what passes of a target take, and how that grows with its dataset; where the time of a run went.

Asked by the phases of a run, which look less far at a slow one, and by its world, so that what is slow is
not said to hang: what meets its deadline is run again with shorter datasets, from short to long, until it is
known whether it should have been back. Measured is processor time, told apart are coarse classes.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from samplercheck.engine._judging import met_deadline
from samplercheck.laws.law import Law
from samplercheck.search.axes import case_for
from samplercheck.search.shrink import shorten
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation
from samplercheck.values.report import Timing, Tried
from samplercheck.values.trace import Trace
from samplercheck.worlds import HomeWorld

SHORT, LONG = 512, 2_048
STEEP, PERHAPS_STEEP, STEPS_UP = 8.0, 5.0, 4
"""Four times the data take a linear target four times as long, and one that is quadratic 16 times; what is
between the two is measured once more, with four times as many."""
STEPS, STEEP_STEP = (16, 32, 64, 128, 256), 2.8  # are measured before, and grow too fast
LONGEST_OF_STEEP = 2_048
LEAST, FEWEST = 64, 16
"""Shorter datasets are not measured: what does not end with them hangs."""
CLEAR, LIKELY, WORST = 0.05, 4.0, 16.0
"""Seconds from which growth can be seen, the growth assumed below them, and the most that is believed."""
LASTING, LASTING_AT_BORDER = 0.02, 0.1
"""Seconds that say enough when they are measured twice; the second just beyond the border of a class."""
MARGIN = 4
SMALL, LOOKS, TIMES = 8, 5, 3
DEAR_PASS = 2e-4
"""Seconds from which a pass of few samples is dear; on a machine that takes ``TURN`` for ``TURNS`` turns of a
loop, so that what is slow is the target and not the machine."""
STEP, BORDER = 4, 0.3
"""Classes are powers of the first; the second is what part of one, in powers, is near its lower border."""
TURNS, TURN = 4_000, 1e-4


class Growth:
    """Measures what a target takes, once where that decides how far a run looks, and where it seems to hang.

    ``limit`` is the length from which on it is too slow to be tried, None where none is known; ``steep`` the
    length and the batch size measured where it takes more for each sample, the longer the data.
    ``dear_pass`` is how many times the usual a short pass takes: a power of four, 1 for nearly all targets.
    ``measured`` are the cases that were run for this, in order: what a target keeps from them it keeps for
    all others.
    """

    def __init__(self, home: HomeWorld) -> None:
        self._home = home
        self.limit: int | None = None
        self.steep: tuple[int, int] | None = None
        self.measured: list[Case] = []
        self.dear_pass = 1

    def forbids(self, case: Case) -> bool:
        """Whether a case is longer than what the target can be tried with."""
        return self.limit is not None and case.length >= self.limit

    def look(self, binding: Binding, option: tuple[tuple[str, Any], ...], kind: str) -> None:
        """Measure two lengths before long ones are tried: what grows fast is tried with no long ones."""
        case = plain_case(binding, SHORT, option)
        if self._is_steep_soon(partial(self._seconds, binding, kind=kind), case):
            return
        # Each several times, so that what is made once and kept counts in neither.
        before = least_of(partial(self._seconds, binding, case, kind), TIMES) or 0.0
        for length in (LONG, STEPS_UP * LONG):
            measure = partial(self._seconds, binding, case.but(length=length), kind)
            taken = least_of(measure, TIMES, partial(operator.ge, STEEP * before))
            if taken is None or taken > STEEP * before:
                self.limit, self.steep = LONGEST_OF_STEEP + 1, (case.length, case.batch_size)
            if taken is None or not PERHAPS_STEEP * before < taken <= STEEP * before:
                return
            before = taken

    def _is_steep_soon(self, measure: Callable[[Case], float | None], case: Case) -> bool:
        """Measure shorter ones until one takes long enough to tell: of some the long ones take minutes."""
        before = math.inf
        for length in STEPS:
            seconds = least_of(partial(measure, case.but(length=length)), TIMES, lambda taken: taken < CLEAR)
            if seconds is None or seconds >= CLEAR:
                if is_steep := seconds is not None and seconds > STEEP_STEP * before:
                    self.limit, self.steep = length + 1, (length // 2, case.batch_size)
                return is_steep
            before = seconds
        return False

    def look_at_short(self, binding: Binding, option: tuple[tuple[str, Any], ...], kind: str) -> bool:
        """Measure passes of few samples, of which a run takes tens of thousands; say whether they end."""
        case = plain_case(binding, SMALL, option)
        times = class_of(partial(self._seconds, binding, case, kind), LOOKS, DEAR_PASS)
        self.dear_pass = times or self.dear_pass
        return times is not None

    def explains(self, binding: Binding, trace: Trace) -> bool:
        """Whether the target is slow where it met a deadline; if so, such lengths are too long from then on.

        Each length is twice the one before and run only where it should be back in a quarter of its deadline.
        """
        fault = next((fault for fault in trace.faults if fault.kind == "deadline"), None)
        if fault is None or trace.case.length < LEAST or fault.experiment not in trace.records:
            return False
        lengths = [trace.case.length]
        while lengths[0] // 2 >= FEWEST:
            lengths.insert(0, lengths[0] // 2)
        before = 0.0
        for length, longer in pairwise(lengths):
            seconds = self._seconds(binding, shorten(trace.case, length), trace.kind, fault.experiment)
            if seconds is None:
                return False
            growth = LIKELY if before < CLEAR else min(WORST, max(2.0, seconds / before))
            if seconds * growth > self._home.guard.deadlines.for_length(longer)[0] / MARGIN:
                self.limit = longer
                return True
            before = seconds
        return False

    def _seconds(self, binding: Binding, case: Case, kind: str, experiment: str = "epochs") -> float | None:
        """Return the processor seconds of a pass of one rank, or of building it; None if it does not end."""
        self.measured.append(case)
        began = time.process_time()
        trace = self._home.trace(binding, case, (experiment,), kind)
        seconds = time.process_time() - began
        passes = [len(record.passes) for record in trace.of(experiment)]
        if met_deadline(trace):
            return None
        return seconds / max(1, len(passes)) / (2 if max(passes, default=0) > 1 else 1)


def least_of(
    measure: Callable[[], float | None],
    times: int,
    decides: Callable[[float], bool] = lambda _: False,
    lasting: float = LASTING,
) -> float | None:
    """Return the least of what is measured so many times; None at once where something does not end.

    It is not measured again once what was measured ``decides``, and but once if that takes ``lasting``.
    """
    least = math.inf
    for turn in range(times):
        taken = measure()
        if taken is None:
            return None
        least = min(least, taken or least)
        if least < math.inf and (decides(least) or (turn and least >= lasting)):
            break
    return least if least < math.inf else 0.0


def class_of(measure: Callable[[], float | None], times: int, dear: float, of: int = 1) -> int | None:
    """Return how many times the usual something takes, measured so many times; None if it does not end.

    What is measured is the mean ``of`` so many. What seems just beyond the border of a class may be there
    because others use the machine as well, and is measured as often again. What is usual is measured once.
    """

    def is_usual(taken: float) -> bool:
        return taken <= dear

    measured = partial(least_of, measure, times, is_usual)
    taken = measured(LASTING / of)
    if taken is not None and taken > dear and math.log(taken / dear, STEP) % 1 < BORDER:
        again = measured(LASTING_AT_BORDER / of)
        taken = None if again is None else min(taken, again)
    return None if taken is None else count_times(taken, dear)


def plain_case(binding: Binding, length: int, option: tuple[tuple[str, Any], ...], ranks: int = 2) -> Case:
    """Return a case of few ranks by which a target is measured."""
    places = 1 if binding.contract.sharding == "none" else ranks
    return case_for(binding, length, places, 4, epochs=2, options=option)


def count_times(seconds: float, dear: float) -> int:
    """Return how many times the usual something takes, a power of four, held against a loop."""
    least = math.inf
    for _ in range(LOOKS):
        began = time.process_time()
        sum(turn & 1 for turn in range(TURNS))
        least = min(least, time.process_time() - began)
    dear *= max(1.0, least / TURN)
    return int(STEP ** math.ceil(math.log(seconds / dear, STEP))) if seconds > dear else 1


def idle_seconds() -> float:
    """Return the seconds in which this thread neither ran nor waited for a processor, as Linux counts it."""
    try:
        queued = int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) * 1e-9
    except (OSError, IndexError):
        queued = 0.0
    return time.monotonic() - time.process_time() - queued


def times_given_up() -> int:
    """Return how often this process has given up its processor to wait; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # on Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


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
        began = time.process_time()
        try:
            return act(subject)
        finally:
            spent = self._sums.setdefault((kind, name), [0.0, 0])
            spent[0] += time.process_time() - began
            spent[1] += 1


def _judge(law: Law) -> Callable[[Trace], tuple[Violation, ...]]:
    """Return the judging of a law to its end: many yield what they find."""
    return lambda trace: tuple(law.judge(trace) or ())
