"""Evidence: whether a suspicion that luck could explain stands when more is looked at.

Called by the engine. A violation with a ``chance`` is tried again with more epochs and then on a
larger dataset with the same remainders; it counts only where it is still there and luck is out of
the question. So one run's bound on false alarms holds whatever the number of cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.engine._judging import judge
from samplercheck.finding import Outcome

if TYPE_CHECKING:
    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.engine._judging import Verdict
    from samplercheck.finding import Violation
    from samplercheck.laws._law import Law
    from samplercheck.worlds import World

__all__ = ["EPOCHS", "FALSE_ALARM_BOUND", "NEGLIGIBLE", "Evidence"]

EPOCHS, FEW_EPOCHS = 48, 8
NEGLIGIBLE = 1e-13
FALSE_ALARM_BOUND = 1e-6
LARGE = 24
ROUNDS = 6


class Evidence:
    """Gathers evidence in a world for the suspicions of one run."""

    def __init__(self, world: World, binding: Binding, kind: str) -> None:
        self._world = world
        self._binding = binding
        self._kind = kind
        self._settled: set[str] = set()

    def stands(self, law: Law, case: Case, violations: tuple[Violation, ...]) -> bool:
        """Whether one of the violations is certain, or stays with more epochs and on more samples."""
        if any(one.chance <= NEGLIGIBLE for one in violations):
            return True
        patient = case.but(epochs=EPOCHS)
        # Few epochs clear nearly every sound sampler, for a small part of what many would cost.
        if not (self._is_suspect(law, case.but(epochs=FEW_EPOCHS)) and self._is_certain(law, patient)):
            return False
        # Once a law is known to be broken on a large dataset too, more epochs settle further cases.
        if law.code not in self._settled and self._is_certain_when_large(law, patient):
            self._settled.add(law.code)
        return law.code in self._settled

    def _is_certain_when_large(self, law: Law, case: Case) -> bool:
        """Whether it stays on a larger dataset with the same remainders."""
        round_size = case.world_size * case.batch_size
        enough = max(LARGE, ROUNDS * round_size)
        if case.length >= enough:
            return True
        larger = case.length + -(-enough // round_size) * round_size
        return self._is_certain(law, case.but(length=larger, features=()))

    def _is_suspect(self, law: Law, case: Case) -> bool:
        return self._verdict(law, case).outcome is Outcome.BROKEN

    def _is_certain(self, law: Law, case: Case) -> bool:
        verdict = self._verdict(law, case)
        return verdict.outcome is Outcome.BROKEN and any(
            one.chance <= NEGLIGIBLE for one in verdict.violations
        )

    def _verdict(self, law: Law, case: Case) -> Verdict:
        return judge(law, self._world.trace(self._binding, case, law.reads, self._kind))
