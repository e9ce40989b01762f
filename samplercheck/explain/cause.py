"""Cause: the first change with which a broken law holds in every failing case that it was tried on.

Called by the engine, which hands in what judges a case. Nothing is said that no run has shown; a
change that cannot be made in half of the cases shows nothing. What a cause says of all cases of a kind is
held against those in which the law holds, too.
"""

from __future__ import annotations

from functools import cached_property
from random import Random

from samplercheck.explain.causes import CAUSES, PARTITION, Cause
from samplercheck.explain.change import Change
from samplercheck.explain.seen import MOST_CASES, Afresh, Found, Judge, Seen
from samplercheck.laws import deterministic, in_range
from samplercheck.laws.law import Law
from samplercheck.search.chosen import thin_out
from samplercheck.targets.binding import Binding
from samplercheck.targets.features import LEAVES_AS_MUCH, lengthen
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome

MOST_IN_ALL = 160
FEWEST_CASES = 12
MOST_TELLING, MOST_OTHERS, MOST_AFRESH = 24, 1_000, 3
OF_FEW = ("back", "beside", "ends", "in turn", "raises", "still", "whole")
"""Evidence that a state, or another object, disturbs one, or is wrong at ends alone, that nothing came but an
exception, or about ranks of which some do what others do not: few changes say why."""
RARE, OFTEN, MOST_HOLDING, TRIALS = 0.25, 0.75, 0.75, 8
"""So many runs of cases, with a change and without, tell luck apart."""


def find_cause(
    law: Law, binding: Binding, seen: Seen, judge: Judge, afresh: Afresh | None = None
) -> Found | None:
    """Return the cause of a law's failing, or None where no change shows one."""
    inquiry = _Inquiry(law, binding, seen, judge, afresh)
    causes = filter(inquiry.considers, CAUSES)
    found = (inquiry.alike(cause) if cause.matters else inquiry.test(cause) for cause in causes)
    return next(filter(None, found), None)


def try_cause(law: Law, binding: Binding, seen: Seen, judge: Judge, cause: Cause) -> Found | None:
    """Return a cause that was found for another law, if this one holds with its change too."""
    inquiry = _Inquiry(law, binding, seen, judge)
    return None if cause.matters or not inquiry.can_be_made(cause) else inquiry.test(cause)


class _Inquiry:
    """The test of causes for one law."""

    def __init__(
        self, law: Law, binding: Binding, seen: Seen, judge: Judge, afresh: Afresh | None = None
    ) -> None:
        self.afresh = afresh
        self.law, self.binding, self.seen, self.judge = law, binding, seen, judge
        most = max(FEWEST_CASES, min(seen.most, MOST_IN_ALL // len(seen.broken)))
        # An endless target that has nothing to yield hangs, and of many laws nothing is told by it.
        self.cases = thin_out([case for case in seen.failing if case.length] or seen.failing, most)

    def considers(self, cause: Cause) -> bool:
        """Whether a cause is about this law, this target and what was found."""
        kind = self.seen.evidence.kind
        if self.law.code not in cause.laws or ((kind in OF_FEW or cause.kind) and kind != cause.kind):
            return False
        if cause.meant and cause.meant(self.binding.contract, self.binding.named):
            return False
        is_asked = cause.matters and self._is_about_an_argument
        if is_asked and self.seen.evidence.argument != cause.change.needs[0]:
            return False
        return self.can_be_made(cause)

    def can_be_made(self, cause: Cause) -> bool:
        """Whether a cause's change can be made in this target, and says what it means."""
        lacks = cause.along and not self.seen.broken & {*cause.along}
        return self._can_be_made(cause.change) and not (lacks or self.seen.broken & {*cause.unless})

    def test(self, cause: Cause) -> Found | None:
        """Return the cause if the law holds with its change, and not with another that speaks against it."""
        shown = self._holding(cause.change)
        if not self._is_enough(shown, len(self.cases)) or self._is_rare(cause):
            return None
        if any(self._holding(change) for change in cause.besides if self._can_be_made(change)):
            return None
        moves = self.law.code in PARTITION and self._breaks_another(cause.change)
        if moves or (self.law.code == in_range.LAW.code and self._breaks_what_held(cause.change)):
            return None
        if not self._fails_unchanged(cause.change):
            return None
        by_luck = cause.redraws and "seed" in self.binding.named and self._holds_by_luck(cause.change)
        if by_luck or (cause.longer and not self.law.despite_faults and self._breaks_when_longer(cause)):
            return None
        return Found(cause, shown, len(self.cases))

    def alike(self, cause: Cause) -> Found | None:
        """Return the cause if the target yields the very same wherever the argument must matter."""
        assert cause.matters is not None
        failing = [case for case in self.cases if cause.matters(self.binding, case)]
        is_explained = len(failing) == len(self.cases) or self._is_about_an_argument
        if not is_explained or not self._is_enough(len(failing), len(self.cases)):
            return None
        others = [case for case in self._others if cause.matters(self.binding, case)]
        telling = [*failing, *others[:MOST_TELLING]]
        changed, shown = cause.change.binding(self.binding), 0
        for case in telling:
            other = cause.change.case(case)
            is_alike = other is not None and self.judge.alike(self.binding, case, changed, other)
            if is_alike is False:
                return None
            shown += is_alike is True
        # What is remembered for one case may be handed out in the next, whatever the argument.
        if self.afresh and not all(self.afresh(cause, case) for case in telling[:MOST_AFRESH]):
            return None
        return Found(cause, shown, shown) if shown else None

    def _can_be_made(self, change: Change) -> bool:
        return self.binding.named.issuperset(change.needs)

    @property
    def _is_about_an_argument(self) -> bool:
        return self.seen.evidence.kind == "ignored"

    def _is_enough(self, shown: int, tried: int) -> bool:
        return shown >= max(self.seen.fewest, tried / 2)

    def _holding(self, change: Change) -> int:
        """Return in how many cases the law holds with a change; 0 as soon as it does not in one.

        It does not where the case was so without the change. A case of which the law has nothing to say
        any more, once changed, shows nothing.
        """
        changed = change.binding(self.binding)
        shown = 0
        if any(map(change.is_made_in, (*self.cases, *self.seen.beyond))):
            return 0
        for case in self.cases:
            other = change.case(case)
            if other is None:
                continue
            outcome = self.judge.outcome(self.law, changed, other)
            if outcome not in (Outcome.HOLDS, Outcome.NOT_APPLICABLE):
                return 0
            shown += outcome is Outcome.HOLDS
        return shown

    def _breaks_another(self, change: Change) -> bool:
        """Whether another law of who yields what is broken by a change: that moves the fault."""
        changed = change.binding(self.binding)
        pairs = [(case, other) for case in self.cases if (other := change.case(case)) is not None]
        return any(
            self.judge.outcome(law, changed, other) is Outcome.BROKEN
            and self.judge.outcome(law, self.binding, case) is Outcome.HOLDS
            for case, other in pairs[:MOST_AFRESH]
            for law in self.seen.beside
            if law is not self.law
        )

    def _breaks_what_held(self, change: Change) -> bool:
        """Whether a change of what is built breaks the law in other cases, which are right without it.

        The few indices of the smallest datasets may be made right by what is no reason elsewhere.
        """
        if change.rebuild is None:
            return False
        changed, failing = change.binding(self.binding), {*self.seen.failing}
        others = [case for case in self._others if case not in failing]
        return any(
            self.judge.outcome(self.law, changed, case) is Outcome.BROKEN
            and self.judge.outcome(self.law, self.binding, case, again=False) is Outcome.HOLDS
            for case in thin_out(others, MOST_TELLING)
        )

    def _fails_unchanged(self, change: Change) -> bool:
        """Whether cases still fail without the change, run again beside it in this process.

        What is drawn at random may hold now and then; what fails no longer was not made to hold by a change.
        Where what is built again yields otherwise, few cases are run several times with the change and
        without, and must say the same each time: a clock or chance could make one hold.
        """
        cases = [case for case in self.cases if change.case(case) is not None]
        told = [self.judge.outcome(self.law, self.binding, case) for case in cases]
        if len(cases) >= TRIALS or deterministic.LAW.code not in self.seen.broken:
            return told.count(Outcome.HOLDS) <= MOST_HOLDING * len(told)
        rounds = -(-TRIALS // max(1, len(cases))) - 1
        told += [self.judge.outcome(self.law, self.binding, case) for _ in range(rounds) for case in cases]
        return set(told) == {Outcome.BROKEN} and all(self._holding(change) for _ in range(rounds))

    def _breaks_when_longer(self, cause: Cause) -> bool:
        """Whether longer cases break the law with the change, too: what decides is how much there is.

        Some of them leave over what the case leaves, of which many times as many may leave nothing.
        """
        changed = cause.change.binding(self.binding)
        cases = self.cases[:MOST_AFRESH]
        longer = [*map(lengthen, cases), *(lengthen(case, LEAVES_AS_MUCH) for case in cases)]
        others = [other for case in longer if (other := cause.change.case(case)) is not None]
        return any(self.judge.outcome(self.law, changed, one) is Outcome.BROKEN for one in others)

    def _holds_by_luck(self, change: Change) -> bool:
        """Whether the law is broken with the change under another seed: it held by the order that came."""
        changed, turns = change.binding(self.binding), range(1, 2 + MOST_CASES // len(self.cases))
        others = (case.but(seed=case.seed + turn) for turn in turns for case in self.cases)
        return any(self.judge.outcome(self.law, changed, other) is Outcome.BROKEN for other in others)

    def _is_rare(self, cause: Cause) -> bool:
        """Whether the law holds nearly everywhere where the change would change the case.

        Then the failing cases have more in common than what the change takes away; of a cause that shows
        everywhere some are enough. Nothing is rare among cases that a law has for itself.
        """
        change, failing = cause.change, set(self.seen.failing)
        if change.rebuild is not None:
            return self._is_broken_by_luck
        alike = [case for case in self._comparable if not change.is_made_in(case) and change.case(case)]
        return sum(case in failing for case in alike) < (OFTEN if cause.everywhere else RARE) * len(alike)

    @cached_property
    def _is_broken_by_luck(self) -> bool:
        """Whether few draws break the law, of what yields otherwise each time it is built.

        Built with any change it draws again, and holds by luck. What the law says nothing of does not count,
        and neither does what yields alike whenever it is built.
        """
        if deterministic.LAW.code not in self.seen.broken:
            return False
        failing = {*self.seen.failing}
        places = {(case.world_size, *_settings(case)) for case in failing}
        near = [case for case in self._comparable if (case.world_size, *_settings(case)) in places]
        others = [case for case in near if case not in failing]
        some = thin_out(others, MOST_TELLING)
        holding = sum(self._holds_though_drawn(case) for case in some)
        broken = len(near) - len(others)
        return bool(some) and broken < RARE * (broken + holding * len(others) / len(some))

    def _holds_though_drawn(self, case: Case) -> bool:
        """Whether the law holds in a case that yields otherwise when it is built again."""
        both = ((self.law, Outcome.HOLDS), (deterministic.LAW, Outcome.BROKEN))
        outcomes = (self.judge.outcome(law, self.binding, case, again=False) for law, _ in both)
        return all(outcome is wanted for outcome, (_, wanted) in zip(outcomes, both, strict=True))

    @cached_property
    def _others(self) -> list[Case]:
        """Cases of the small scope in no order, failing ones among them."""
        small = list(self.seen.small)
        return Random(MOST_OTHERS).sample(small, min(MOST_OTHERS, len(small)))  # always the same ones

    @cached_property
    def _comparable(self) -> list[Case]:
        """Other cases with settings under which some fail; none if the failing are not of the small scope."""
        first = self.seen.failing[0]
        if first not in self.seen.small:
            return []
        settings = {_settings(case) for case in self.seen.failing}
        return [case for case in self._others if _settings(case) in settings]


def _settings(case: Case) -> tuple[object, ...]:
    """Return what a case sets, its length and its world aside."""
    return case.batch_size, case.shuffle, case.drop_last, case.options
