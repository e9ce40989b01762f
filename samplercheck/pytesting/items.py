"""From a marked test function to its items: one for each target and law, in the order of the codes.

Called while pytest collects. Runs nothing, and imports no target that is given as text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from samplercheck.engine.plan import Plan
from samplercheck.laws.law import Law, Scope
from samplercheck.pytesting._runs import Question
from samplercheck.pytesting.asking import LawCall
from samplercheck.pytesting.marking import MARK, LawSuite
from samplercheck.pytesting.options import GROUP_MARK, Options, options_of
from samplercheck.running.config.settings import plan_fields
from samplercheck.values.contract import Contract
from samplercheck.worlds import GROUPS

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

XDIST_GROUP = "samplercheck-pg"
TRAITS = frozenset({"set_epoch", "len", "collectives", "finds_place"})


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
    if all(name == "simulated" for name in names):
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
