"""Supervision: carries out a run in a child process, which the target may crash, hang or end.

``samplercheck run`` always runs like this, ``sc.run`` with ``isolate=True``. Neither torch nor the
target is imported in the process that calls this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.supervision._calls import law_of, packed
from samplercheck.supervision._parent import supervise
from samplercheck.supervision._watch import Interrupts

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.report import Report
    from samplercheck.search.profiles import Progress
    from samplercheck.supervision.request import RunRequest

__all__ = [
    "Interrupts",
    "ask_supervised",
    "examine_supervised",
    "law_of",
    "question_of_call",
    "run_isolated",
    "run_supervised",
]


def run_supervised(request: RunRequest, progress: Callable[[Progress], None] | None = None) -> dict[str, Any]:
    """Run the laws on the requested target and return the content of ``report.json``."""
    return supervise({"request": request.to_dict()}, progress)


def examine_supervised(
    request: RunRequest,
    progress: Callable[[Progress], None] | None = None,
    *,
    allow_dirty: bool,
    directory: str | None = None,
) -> dict[str, Any]:
    """Return all that a certificate says of a target; ``directory`` is that of its stored cases."""
    certifies = {"allow_dirty": allow_dirty, "directory": directory}
    return supervise({"request": request.to_dict(), "certifies": certifies}, progress)


def run_isolated(call: dict[str, Any], progress: Callable[[Progress], None] | None = None) -> Report:
    """Carry out ``samplercheck.run`` with the arguments in ``call``, closures and strategies included."""
    from samplercheck.report import Report

    return Report.from_dict(supervise({"call": packed(call)}, progress), law_of)


def ask_supervised(questions: list[dict[str, Any]], interrupts: Interrupts) -> list[dict[str, Any]]:
    """Carry out several small runs in one child process and return what became of each.

    A question holds a "request" or a "call", as text that travels. An answer holds the "report" and
    the digest of the target's "source", or an "error": its class and its text.
    """
    answers: list[dict[str, Any]] = supervise({"questions": questions}, None, interrupts)["answers"]
    return answers


def question_of_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return the question that the arguments of ``run`` are, whatever they hold."""
    return {"call": packed(call)}
