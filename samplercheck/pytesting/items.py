"""From a marked test function to its items: one for each target and law, in the order of the codes.

Called while pytest collects. ``pytest --samplercheck`` makes items of the targets in pyproject.toml without a
test file, ``samplercheck::bucket[SC104-equal-steps]``. Runs nothing, and imports no target that is given as
text before its laws are run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.engine.plan import Plan
from samplercheck.laws.law import Law, Scope
from samplercheck.pytesting._runs import QUESTION, Question
from samplercheck.pytesting.asking import LawCall, answer
from samplercheck.pytesting.marking import MARK, LawSuite, parametrize_with_laws
from samplercheck.pytesting.options import GROUP_MARK, NODE, PREFIX, Options, options_of, project_of
from samplercheck.running.config import SECTION
from samplercheck.running.config.settings import plan_fields
from samplercheck.running.config.targets import ConfiguredTarget
from samplercheck.values.contract import Contract
from samplercheck.values.errors import SamplerCheckError, did_you_mean
from samplercheck.worlds import GROUPS, SIMULATED

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

XDIST_GROUP = "samplercheck-pg"
TRAITS = frozenset({"set_epoch", "len", "collectives", "finds_place"})
ITEM_LOCATION = "_use_item_location"
"""Lets a skip be listed where its item stands; not public, and without it only the place is less helpful."""


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrise a marked function by ``law``."""
    options = options_of(metafunc.config)
    suites = [mark.args[0] for mark in metafunc.definition.iter_markers(MARK)]
    asked = [one for suite in reversed(suites) for one in questions(suite, options)]
    names = _short_names([question.plan for question in asked])
    metafunc.parametrize("law", [_param(one, names, metafunc.config) for one in asked])


def questions(suite: LawSuite, options: Options) -> list[Question]:
    """Return what is asked of the targets of a suite."""
    asked = []
    chosen = options.choose(suite)
    for named in suite.plans:
        plan = replace(named, **plan_fields(chosen, os.environ))
        asked += [
            Question(
                plan=plan,
                law=law,
                known=suite.known.get(law.code, ()),
                skipped=suite.skipped.get(law.code, ""),
                in_group=_needs_groups(law, chosen["worlds"]),
            )
            for law in suite.laws
        ]
    return asked


def _needs_groups(law: Law, worlds: tuple[str, ...]) -> bool:
    """Whether only process groups can answer: nothing else is asked, or the law is about them."""
    names = worlds or ("auto",)
    if all(name in GROUPS for name in names):
        return True
    if all(name == SIMULATED for name in names):
        return False
    simulated = Scope(contract=Contract(), named=frozenset(), traits=TRAITS)
    return law.applies(replace(simulated, traits=TRAITS | {"groups"})) and not law.applies(simulated)


def _param(asked: Question, names: dict[int, str], config: pytest.Config) -> ParameterSet:
    name = names[id(asked.plan)]
    label = f"{name}-{asked.law.label}" if name else asked.law.label
    return pytest.param(LawCall(asked), id=label, marks=marks_of(asked, config))


def marks_of(asked: Question, config: pytest.Config) -> list[pytest.MarkDecorator]:
    """Return the marks of the item that asks a question."""
    marks = [pytest.mark.skip(reason=f"{asked.law.label}: {asked.skipped}")] if asked.skipped else []
    return marks + (group_marks(config) if asked.in_group else [])


def group_marks(config: pytest.Config) -> list[pytest.MarkDecorator]:
    """Return the marks of whatever needs process groups, whose ranks must not fight for cores."""
    # Registered by pytest-xdist: without it the mark means nothing, and may be refused.
    grouping = any(line.startswith("xdist_group") for line in config.getini("markers"))
    marks = [getattr(pytest.mark, GROUP_MARK)]
    return [*marks, pytest.mark.xdist_group(XDIST_GROUP)] if grouping else marks


def _short_names(plans: Iterable[Plan]) -> dict[int, str]:
    """Name the targets of plans, by the plans' ids, as shortly as tells them apart: one needs no name."""
    distinct = {id(plan): plan.name for plan in plans}
    if len(distinct) == 1:
        return dict.fromkeys(distinct, "")
    full = [_legal(name) for name in distinct.values()]
    short = [_legal(re.split(r"[.:]", name)[-1]) for name in distinct.values()]
    names = short if len(set(short)) == len(short) else full
    return {
        plan: name if names.count(name) == 1 else f"{name}-{number}"
        for number, (plan, name) in enumerate(zip(distinct, names, strict=True), 1)
    }


def _legal(name: str) -> str:
    return re.sub(r"[^\w.]+", "-", name).strip("-") or "target"


def add_configured(session: pytest.Session, report: Any) -> None:
    """Add the configured targets to what a session has collected, or leave nothing but them."""
    path = project_of(session.config).path or session.config.rootpath
    found = ConfiguredTargets.from_parent(session, name=NODE, nodeid=NODE, path=path)
    others = [] if getattr(session.config.option, "samplercheck_alone", False) else report.result
    report.result = [*others, found]


class ConfiguredTargets(pytest.Collector):
    """All targets of pyproject.toml."""

    def collect(self) -> Iterator[pytest.Item]:
        """Make the items of each target."""
        project, options = project_of(self.config), options_of(self.config)
        if not project.targets:
            raise self.CollectError(
                f"No target is configured: add [{SECTION}.targets.NAME] with its factory to pyproject.toml."
            )
        asked = {
            f"{target.name}[{one.law.label}]": one
            for target in project.targets.values()
            for one in _questions(target, options)
        }
        for name in self._select(asked):
            # Said in full, so that pytest reads the law as a parameter where it compares ids (--lf).
            yield LawItem.from_parent(self, name=name, nodeid=PREFIX + name, question=asked[name])

    def _select(self, names: dict[str, Question]) -> list[str]:
        """Return the names of the items that the command line asks for, all where it names none."""
        words = [one.removeprefix(PREFIX) for one in getattr(self.config.option, "samplercheck_chosen", [])]
        for word in words:
            if not any(_is_named(name, word) for name in names):
                known_words = [*names, *{name.partition("[")[0] for name in names}]
                raise self.CollectError(f"No item is called {word!r}. {did_you_mean(word, known_words)}")
        return [name for name in names if not words or any(_is_named(name, word) for word in words)]


class LawItem(pytest.Item):
    """One law of a configured target."""

    def __init__(self, *, question: Question, **others: Any) -> None:
        super().__init__(**others)
        self.stash[QUESTION] = question
        self.add_marker(MARK)
        for mark in marks_of(question, self.config):
            self.add_marker(mark)

    def runtest(self) -> None:
        """Judge the law."""
        __tracebackhide__ = True
        try:
            answer(self)
        except pytest.skip.Exception as skipped:
            setattr(skipped, ITEM_LOCATION, True)  # the table in pyproject.toml, not this line
            raise

    def reportinfo(self) -> tuple[Any, int, str]:
        """Say where this comes from."""
        return self.path, 0, self.name


def _is_named(name: str, word: str) -> bool:
    return word in (name, name.partition("[")[0])


def _questions(target: ConfiguredTarget, options: Options) -> list[Question]:
    """Return what is asked of a target; what is wrong with its table is an error of collecting."""
    target.open_path()
    try:
        return questions(_suite(target), options)
    except SamplerCheckError as error:
        where = f"{options.project.path}: {SECTION}.targets.{target.name}"
        raise pytest.Collector.CollectError(f"{where}: {error}") from None


def _suite(target: ConfiguredTarget) -> LawSuite:
    """Return what a test of this target would say."""
    mark = parametrize_with_laws(
        target.reference,
        select=target.select,
        skip=target.skip,
        known_failures=target.known,
        contract=target.contract,
        axes=target.axes or None,
    )
    suite: LawSuite = mark.args[0]
    return replace(suite, settings=target.settings)
