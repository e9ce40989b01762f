"""Two samplers beside one another: lengths, coverage, order, and the states of each loaded by the other.

Called by the command line. Every case of the small scope is carried out by both sides, the smallest first,
and then some larger ones; what they record is compared by ``differences``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from samplercheck.engine import refuse_shared_place
from samplercheck.engine.plan import Plan, target_of
from samplercheck.explain.conditions import Conditions, Places
from samplercheck.explain.larger import larger_cases
from samplercheck.running.comparing.differences import ALL, KINDS, find_differences, find_foreign
from samplercheck.running.comparing.sides import LocalSide, ProcessSide, Side, trace_with
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import SmallScope, scope_of
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.errors import UsageError
from samplercheck.values.wording import join_words
from samplercheck.worlds.simulated import SimulatedWorld

LARGER = 64
EXPERIMENTS = ("epochs", "lengths", "again", "saved")


@dataclass(slots=True)
class Aspect:
    """What was found of one kind: in how many cases it was compared, and in which the sides differ."""

    kind: str
    compared: int = 0
    different: int = 0
    smallest: Case | None = None
    found: str = ""
    region: str = ""

    @property
    def label(self) -> str:
        """The name of this kind of comparison on the screen."""
        return KINDS[self.kind]

    def enter(self, case: Case, found: str) -> None:
        """Enter what was found in one case, nothing where both sides do the same."""
        self.compared += 1
        if found:
            self.different += 1
            if self.smallest is None:
                self.smallest, self.found = case, found


@dataclass(slots=True)
class Comparison:
    """Two sides, the kinds of questions with their answers, and what was left out."""

    old: Side
    new: Side
    cases: int = 0
    scope: str = ""
    questions: dict[str, Aspect] = field(default_factory=lambda: {kind: Aspect(kind) for kind in KINDS})
    notes: list[str] = field(default_factory=list)

    @property
    def is_alike(self) -> bool:
        """Whether the sides differ in no case."""
        return not any(question.different for question in self.questions.values())


def compare(
    old: str,
    new: str,
    *,
    contract: Mapping[str, Any] | None = None,
    axes: Mapping[str, Any] | None = None,
    profile: str = "quick",
    most: int | None = None,
    python: str = "",
) -> Comparison:
    """Compare two targets, the old one in another interpreter where ``python`` names its program.

    Both are asked by the contract and the axes of the new one. Where only so many cases are to be tried at
    ``most``, these are the smallest, and nothing is said of others.
    """
    target = target_of(Plan(target=new, contract=dict(contract or {}), axes=axes, changes=True))
    binding, options = target.bind(), combinations(target.axes, 0)[0]
    plan = Plan(target=old, contract=binding.contract, axes=target.axes)
    behind = None if python else target_of(plan).bind()
    for one in filter(None, (behind, binding)):
        refuse_shared_place(one, options)
    with ExitStack() as stack:
        world = stack.enter_context(SimulatedWorld())
        other: Side
        if behind is None:
            other = stack.enter_context(ProcessSide("OLD", python, old, binding))
        else:
            other = LocalSide("OLD", behind, world)
        found = Comparison(other, LocalSide("NEW", binding, world))
        _carry_out(found, _scope(binding, other, profile, found.notes), most)
    return found


def _carry_out(found: Comparison, scope: SmallScope, most: int | None) -> None:
    pair, step = _Pair(found.old, found.new), found.new.contract.replicas
    small = list(islice(scope.cases(), most))
    larger = larger_cases(small, number=LARGER, step=step) if most is None else []
    told = [pair.ask(case) for case in (*small, *larger)]
    for case, answers in zip((*small, *larger), told, strict=True):
        for kind, answer in answers.items():
            found.questions[kind].enter(case, answer)
    found.cases, found.scope = len(told), scope.text
    found.notes += pair.notes
    if most is None:
        _find_regions(found, small, told[: len(small)], pair)


def _scope(binding: Binding, other: Side, profile: str, notes: list[str]) -> SmallScope:
    """Return the small scope of what both sides name; what one of them cannot be told does not vary."""
    options = combinations(binding.axes, 0)
    scope = scope_of(binding, find_profile(profile), options)
    here, there = binding.varied, other.named
    if ("world_size" in here) != ("world_size" in there):
        raise UsageError(
            f"Only {'NEW' if 'world_size' in here else 'OLD'} names world_size: wrap the other in a function "
            "that does, so that both deal out to the same ranks."
        )
    alone = sorted((here ^ there) & scope.columns.keys())
    if alone:
        says = [f"{name} ({'NEW' if name in here else 'OLD'} alone names it)" for name in alone]
        notes.append(f"not varied: {join_words(says)}")
    columns = scope.columns.items()
    return replace(scope, columns={name: some[:1] if name in alone else some for name, some in columns})


class _Pair:
    """Asks both sides the same, and compares what they record."""

    def __init__(self, old: Side, new: Side) -> None:
        self._old, self._new = old, new
        self.notes: list[str] = []

    def ask(self, case: Case) -> dict[str, str]:
        """Return by kind how the sides differ in a case, empty text where they do not; some left out."""
        self._old.start(case, EXPERIMENTS)
        new = trace_with(self._new, case, EXPERIMENTS)
        old = self._old.answer()
        answers = find_differences(old, new, self._note)
        if answers.keys() >= ALL and not any(answers.values()):
            answers.update(find_foreign(self._old, self._new, old, new))
        return answers

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _find_regions(found: Comparison, small: list[Case], told: list[dict[str, str]], pair: _Pair) -> None:
    """Say of each kind in which cases the sides differ, as far as larger cases agree."""
    if found.is_alike:
        return
    conditions = Conditions(small, step=found.new.contract.replicas)
    for question in (one for one in found.questions.values() if one.different):
        answers = [answer.get(question.kind) for answer in told]
        region = conditions.region(
            Places.of([None if one is None else bool(one) for one in answers]),
            _differs(pair, question.kind),
        )
        if region is not None:
            claim, where = region
            question.region = f"{claim} {where.text}" if any(where.clauses) else where.text


def _differs(pair: _Pair, kind: str) -> Callable[[Case], bool | None]:
    def differs(case: Case) -> bool | None:
        answer = pair.ask(case).get(kind)
        return None if answer is None else bool(answer)

    return differs
