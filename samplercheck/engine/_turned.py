"""Turned arguments: what hangs with another argument than its case's is told as the case that has it.

Asked by the search to run its cases. One that hung with drop_last turned is run again without turning any,
and the case with that drop_last at once, unless it is known to hang: that is what breaks the law. From then
on no argument is turned to what is known to hang, or left out because of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from samplercheck.engine._checks import CaseChecks
from samplercheck.engine._evidence import judge_all
from samplercheck.engine._fallback import TOO_SLOW
from samplercheck.engine._judging import CaseSeen, LawVerdict
from samplercheck.laws import terminates
from samplercheck.laws.law import Law
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.record import Fault
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare

if TYPE_CHECKING:
    from samplercheck.engine._search import Search

TURNS = "knobs"
ENDLESS = ("deadline", "endless")
ARGUMENTS = ("drop_last", "shuffle", "batch_size")
WITH_ANOTHER = LawVerdict(
    Outcome.UNKNOWN,
    reason=f"the target hangs with another argument ({terminates.LAW.code})",
    blocked=terminates.LAW.code,
)


class TurnedArguments:
    """Runs the cases of a search; the small ones come in their phase, whatever is run of them before."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._ahead: dict[Case, CaseSeen] = {}
        self._hang: dict[Case, bool] = {}

    def see(
        self, case: Case, checks: CaseChecks, spare: Spare, end: Callable[[Trace], Trace] | None = None
    ) -> CaseSeen | None:
        """Run a case by its checks, and return what was seen; None if the target is too slow for it.

        ``end`` takes the trace of a case in which a job ended.
        """
        if case in self._ahead:
            return self._ahead.pop(case)
        turns = not self._is_known_to_hang(case)
        trace = self._trace(case, checks, spare, turns=turns)
        hung = _case_of_hang(trace)
        if hung is not None and self._hangs_too(hung, spare):
            turns, trace = False, self._trace(case, checks, spare, turns=False)
        if trace.not_carried == TOO_SLOW:
            return None
        trace = end(trace) if end is not None else trace
        if turns:
            return CaseSeen(trace, judge_all(checks.pages, trace))
        seen = iter(judge_all([one for one in checks.pages if not _turns(one[0])], trace))
        return CaseSeen(trace, [WITH_ANOTHER if _turns(law) else next(seen) for law, _ in checks.pages])

    def leave_out(self, experiments: tuple[str, ...], laws: tuple[Law, ...]) -> tuple[str, ...]:
        """Leave out what turns arguments, once that hung, unless one of these laws is about it."""
        if not any(self._hang.values()) or any(map(_turns, laws)):
            return experiments
        return tuple(name for name in experiments if name != TURNS)

    def _trace(self, case: Case, checks: CaseChecks, spare: Spare, *, turns: bool) -> Trace:
        experiments = tuple(name for name in checks.experiments if turns or name != TURNS)
        search = self._search
        return search.world.trace(search.binding, case, experiments, search.kind, spare)

    def _is_known_to_hang(self, case: Case) -> bool:
        """Whether the case with one argument turned hangs, or is left out because others like it do."""
        if not self._hang:
            return False
        named, avoided = self._search.binding.named, self._search.avoided
        turned = (case.but(**{name: case.turned(name)}) for name in ARGUMENTS if name in named)
        return any(self._hang.get(one) or avoided.holds_of(one) for one in turned)

    def _hangs_too(self, case: Case, spare: Spare) -> bool:
        """Whether the case that has the argument hangs by itself, and is entered, now or in its turn."""
        if case in self._search.hung or self._search.avoided.holds_of(case):
            return True
        if case not in self._hang:
            is_small = case in self._search.small
            checks = self._search.checks_of(case, counts=is_small)
            seen = self.see(case, checks, spare)
            if seen is None:
                return False
            self._hang[case] = any(_is_hang(fault) for fault in seen.trace.faults)
            if is_small:
                self._ahead[case] = seen
            elif self._hang[case]:
                self._search.course.append(case)
                self._search.enter(case, seen, checks, counts=False, goes_beyond=True)
        return self._hang[case]


def _turns(law: Law) -> bool:
    return TURNS in law.reads


def _is_hang(fault: Fault) -> bool:
    return fault.kind in ENDLESS and fault.experiment != TURNS


def _case_of_hang(trace: Trace) -> Case | None:
    """Return the case that has the argument with which a rank did not end in another one."""
    faults = (fault for fault in trace.faults if fault.kind in ENDLESS)
    name = next(filter(None, (terminates.turned_in(trace, fault) for fault in faults)), None)
    return None if name is None else trace.case.but(**{name: trace.case.turned(name)})
