"""What is known of cases that may not be run: a run that begins again after a crash has met them before.

Used by the simulated world of a supervised child. Imports the binding and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.record import Fault
from samplercheck.values.trace import Trace


class KnownFaults:
    """Answers for the cases that may not be run.

    A case's answer is its fault, or text that says why nothing is known of it. Once ``most`` of
    them have been met, nothing else is run either: the target ends its process again and again.
    """

    def __init__(self, answers: Mapping[Case, Fault | str], most: int | None = None) -> None:
        self._answers = answers
        self._most = most
        self._met: set[Case] = set()

    def trace(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace | None:
        """Return the trace of a case that may not be run, None for one that may."""
        answer = self._answers.get(case)
        if answer is None:
            if self._most is None or len(self._met) < self._most:
                return None
            answer = f"not run: the target had ended its process in {len(self._answers)} other cases"
        else:
            self._met.add(case)
        faults = (answer,) if isinstance(answer, Fault) else ()
        return Trace(
            case,
            binding.contract,
            {name: [] for name in experiments},
            kind=kind,
            faults=faults,
            named=binding.named,
            not_carried="" if faults else str(answer),
            world="simulated" if faults else "",  # what was not run is not for another world to carry
        )
