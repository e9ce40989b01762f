"""Laws without a test file: ``pytest --samplercheck`` makes items of the targets in pyproject.toml.

Called while pytest collects. The items are ``samplercheck::bucket[SC104-equal-steps]``; no target is
imported before its laws are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from samplercheck.pytesting._runs import QUESTION, Question
from samplercheck.pytesting.asking import answer
from samplercheck.pytesting.items import marks_of, questions
from samplercheck.pytesting.marking import MARK, LawSuite, parametrize_with_laws
from samplercheck.pytesting.options import NODE, PREFIX, Options, options_of, project_of
from samplercheck.running.config import SECTION
from samplercheck.running.config.targets import ConfiguredTarget
from samplercheck.values.errors import SamplerCheckError, did_you_mean

ITEM_LOCATION = "_use_item_location"
"""Lets a skip be listed where its item stands; not public, and without it only the place is less helpful."""


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
