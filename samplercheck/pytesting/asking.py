"""``law``: what a test function is given, and what happens when it is called.

Runs inside the test. The item that is being run is kept here, so that fixtures may call it too.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from samplercheck.errors import UsageError
from samplercheck.pytesting._questions import QUESTION
from samplercheck.pytesting._verdicts import conclude

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.pytesting._questions import Question

__all__ = ["LawCall", "answer", "check_asked", "running"]

_running: list[pytest.Item] = []
"""The items that are being run, the innermost last: a test may run a pytest session of its own."""

ASKED = pytest.StashKey[bool]()


class LawCall:
    """One law of one target; calling it passes, fails or skips the test."""

    def __init__(self, question: Question) -> None:
        self.question = question

    @property
    def code(self) -> str:
        """The law's code, such as SC104."""
        return self.question.law.code

    @property
    def name(self) -> str:
        """The law's name, such as equal-steps."""
        return self.question.law.name

    def __repr__(self) -> str:
        return f"<law {self.question.law.label}>"

    def __call__(self) -> None:
        """Judge the law; a broken one fails the test."""
        __tracebackhide__ = True
        if not _running or _running[-1].stash.get(QUESTION, None) is not self.question:
            raise UsageError(
                f"{self!r} was called outside of its test: call it in the function that takes ``law``."
            )
        answer(_running[-1])


def answer(item: pytest.Item) -> None:
    """Judge the law that an item asks for: returns where it holds, fails or skips where not."""
    __tracebackhide__ = True
    item.stash[ASKED] = True
    conclude(item)


@contextmanager
def running(item: pytest.Item) -> Iterator[None]:
    """Keep an item while it is run."""
    _running.append(item)
    item.stash[ASKED] = False
    try:
        yield
    finally:
        _running.pop()


def check_asked(item: pytest.Item) -> None:
    """Fail a test that has passed without asking: it would look as if the law held."""
    __tracebackhide__ = True
    question = item.stash.get(QUESTION, None)
    if question is not None and not item.stash.get(ASKED, False):
        pytest.fail(
            f"{item.name} has passed and never judged {question.law.label}: call ``law()`` in the test.",
            pytrace=False,
        )
