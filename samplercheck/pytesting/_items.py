"""From a marked test function to its items: one for each target and law, in the order of the codes.

Called while pytest collects. Runs nothing, and imports no target that is given as text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from samplercheck.contract import Contract
from samplercheck.laws.law import Scope
from samplercheck.marking import MARK
from samplercheck.pytesting._asking import LawCall
from samplercheck.pytesting._options import GROUP_MARK, options_of
from samplercheck.pytesting._questions import Question, Subject
from samplercheck.worlds import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _pytest.mark import ParameterSet

    from samplercheck.laws.law import Law
    from samplercheck.marking import LawSuite
    from samplercheck.pytesting._options import Options

__all__ = ["group_marks", "marks_of", "parametrize", "questions"]

XDIST_GROUP = "samplercheck-pg"
TRAITS = frozenset({"set_epoch", "len", "collectives", "finds_place"})


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Parametrise a marked function by ``law``."""
    options = options_of(metafunc.config)
    suites = [mark.args[0] for mark in metafunc.definition.iter_markers(MARK)]
    asked = [one for suite in reversed(suites) for one in questions(suite, options)]
    names = _short_names([one.subject for one in asked])
    metafunc.parametrize("law", [_param(one, names, metafunc.config) for one in asked])


def questions(suite: LawSuite, options: Options) -> list[Question]:
    """Return what is asked of the targets of a suite."""
    asked = []
    chosen = options.chosen(suite)
    for target in suite.targets:
        subject = Subject(
            target=target,
            contract=suite.contract,
            axes=suite.axes,
            profile=chosen["profile"],
            worlds=chosen["worlds"] or None,
            seed=chosen["seed"],
            max_time=chosen["max-time"],
            max_cases=chosen["max-cases"],
        )
        asked += [
            Question(
                subject=subject,
                law=law,
                known=suite.known.get(law.code, ()),
                skipped=suite.skipped.get(law.code, ""),
                in_group=_needs_groups(law, subject.worlds),
            )
            for law in suite.laws
        ]
    return asked


def _needs_groups(law: Law, worlds: tuple[str, ...] | None) -> bool:
    """Whether only process groups can answer: nothing else is asked, or the law is about them."""
    names = worlds or ("auto",)
    if all(name in GROUPS for name in names):
        return True
    if all(name == "simulated" for name in names):
        return False
    simulated = Scope(contract=Contract(), named=frozenset(), traits=TRAITS)
    return law.applies(replace(simulated, traits=TRAITS | {"groups"})) and not law.applies(simulated)


def _param(asked: Question, names: dict[Subject, str], config: pytest.Config) -> ParameterSet:
    name = names[asked.subject]
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


def _short_names(subjects: Iterable[Subject]) -> dict[Subject, str]:
    """Name subjects as shortly as tells them apart: one alone needs no name."""
    distinct = list(dict.fromkeys(subjects))
    if len(distinct) == 1:
        return {distinct[0]: ""}
    full = [_legal(subject.name) for subject in distinct]
    short = [_legal(re.split(r"[.:]", subject.name)[-1]) for subject in distinct]
    named = short if len(set(short)) == len(short) else full
    return {
        subject: name if named.count(name) == 1 else f"{name}-{number}"
        for number, (subject, name) in enumerate(zip(distinct, named, strict=True), 1)
    }


def _legal(name: str) -> str:
    return re.sub(r"[^\w.]+", "-", name).strip("-") or "target"
