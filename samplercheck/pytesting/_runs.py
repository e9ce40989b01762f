"""Questions and runs: what each item asks, and the runs of a session, each carried out once and kept.

Questions are made with the items, and answered inside tests. Items that differ in nothing but the law share
a run, which judges the laws of those that are selected. Imports the engine, and with it torch, at the first.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from samplercheck.search.profiles import find_profile
from samplercheck.storage.store import Scripts, Store
from samplercheck.values.errors import SamplerCheckError
from samplercheck.worlds import SIMULATED

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan
    from samplercheck.laws.law import Law
    from samplercheck.pytesting._meeting import Meeting, Plain
    from samplercheck.pytesting.options import Options
    from samplercheck.running.config.known import KnownFailure
    from samplercheck.targets.provenance import Provenance
    from samplercheck.values.report import LawResult, Report


@dataclass(frozen=True, kw_only=True)
class Question:
    """What one item asks; ``in_group`` says that process groups have to answer.

    Items that have the very same plan may share a run, which then judges the laws of all of them. With
    ``known`` entries an item asks for their cases and for no others. What is ``skipped`` is listed with
    this reason and not run.
    """

    plan: Plan
    law: Law
    known: tuple[KnownFailure, ...] = ()
    skipped: str = ""
    in_group: bool = False


QUESTION = pytest.StashKey[Question]()


def question_of(item: pytest.Item) -> Question | None:
    """Return what an item asks, None for an item that is none of ours."""
    return item.stash.get(QUESTION, None)


def leave_undecided(question: Question, reason: str) -> NoReturn:
    """Skip an item whose law stayed undecided, or fail it where a run is strict."""
    __tracebackhide__ = True
    if question.plan.strict or find_profile(question.plan.profile).strict:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@dataclass(eq=False)
class SharedRun:
    """The laws that one run judges for its items."""

    plan: Plan
    laws: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    in_group: bool = False

    def add(self, item: pytest.Item, question: Question) -> None:
        """Enter an item."""
        self.items.append(item.nodeid)
        self.in_group |= question.in_group
        if question.law.code not in self.laws:
            self.laws.append(question.law.code)

    @property
    def name(self) -> str:
        """A name that is the same in all workers, and of no other run: that of its items."""
        return hashlib.sha256("\n".join(sorted(self.items)).encode()).hexdigest()[:16]


class Runs:
    """The runs of one session in this process; ``meeting`` is where it meets other workers."""

    def __init__(
        self, options: Options, meeting: Meeting | None, world_settings: dict[str, Any] | None = None
    ) -> None:
        self.options = options
        self.meeting = meeting
        self.world_settings = world_settings or {}
        self.answers: dict[str, Plain] = {}
        self._runs: dict[Any, SharedRun] = {}

    def plan(self, items: Iterable[pytest.Item]) -> None:
        """Enter all items that will be run, so that the first of them runs the laws of all."""
        for item in items:
            question = question_of(item)
            if question is not None and not question.known and not question.skipped:
                self._run_of(item, question).add(item, question)

    def result(self, item: pytest.Item, question: Question) -> Plain:
        """Return the result of the law that an item asks for, as plain data."""
        run = self._run_of(item, question)
        if not run.items:
            run.add(item, question)
        answer = self._answer(run)
        if "error" in answer:
            raise SamplerCheckError(answer["error"])
        results: list[Plain] = answer["report"]["results"]
        return next(one for one in results if one["code"] == question.law.code)

    def report(self, item: pytest.Item, question: Question) -> Plain:
        """Return the whole report behind the result of an item."""
        return self._answer(self._run_of(item, question))["report"]  # type: ignore[no-any-return]  # plain

    def worlds_of(self, asked: SharedRun | Question) -> Iterable[str] | None:
        """Return the worlds of a run: where the session leaves process groups out, none of them."""
        return (SIMULATED,) if self.options.without_groups and not asked.in_group else asked.plan.worlds

    def add(self, name: str, report: Report) -> None:
        """Enter the report of a run that a test has carried out by itself."""
        self.answers[name] = {"report": report.to_dict()}

    def store(self) -> Store:
        """Return the store of this session, which several workers may write at once."""
        lock = self.meeting.lock if self.meeting is not None else lambda _: nullcontext()
        return _SharedStore(self.options.store, lambda: lock("store"))

    def _run_of(self, item: pytest.Item, question: Question) -> SharedRun:
        return self._runs.setdefault(_scene(item, question), SharedRun(question.plan))

    def _answer(self, run: SharedRun) -> Plain:
        if run.name not in self.answers:

            def act() -> Plain:
                return self._carry_out(run)

            once = self.meeting.once if self.meeting is not None else lambda _name, _target, act: act()
            self.answers[run.name] = once(run.name, run.plan.name, act)
        return self.answers[run.name]

    def _carry_out(self, run: SharedRun) -> Plain:
        from samplercheck.engine import carry_out

        plan = replace(
            run.plan,
            select=run.laws,
            worlds=self.worlds_of(run),
            store=self.store(),
            world_settings=self.world_settings,
        )
        try:
            with with_warnings():
                report = carry_out(plan)
        except SamplerCheckError as error:
            return {"error": str(error)}
        answer = {"report": report.to_dict()}
        if report.interrupted:  # the user's Ctrl-C ends the session, with what was known until then
            self.answers[run.name] = answer
            raise KeyboardInterrupt
        return answer


def _scene(item: pytest.Item, question: Question) -> tuple[Any, ...]:
    """Return what items have in common that share a run: the plan, and all that surrounds the law.

    Fixtures and other parameters may change what the target does.
    """
    call = getattr(item, "callspec", None)
    # By identity: items have the values of one parametrisation in common, whatever these can be compared to.
    others = sorted((name, id(value)) for name, value in call.params.items() if name != "law") if call else []
    where = item.parent.nodeid if item.parent is not None else ""
    return (id(question.plan), where, getattr(item, "originalname", ""), tuple(others))


@contextmanager
def with_warnings() -> Iterator[None]:
    """Let warnings stay warnings: a filter that makes them errors belongs to one test, a run to many.

    What ends a session, SIGTERM too, ends a run so that nothing is left of it.
    """
    from samplercheck.running.watch import hear_endings

    with warnings.catch_warnings(), hear_endings():
        warnings.simplefilter("default")
        yield


class _SharedStore(Store):
    """A store that adds to files while no other worker does."""

    def __init__(self, directory: Path, lock: Callable[[], Any]) -> None:
        super().__init__(directory)
        self._lock = lock

    def keep(
        self,
        target: str,
        results: Iterable[LawResult],
        provenance: Provenance | None = None,
        fails: Callable[[str], bool] = lambda _: True,
    ) -> Scripts:
        with self._lock():
            return super().keep(target, results, provenance, fails)
