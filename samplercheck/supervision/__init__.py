"""Supervision: carries out a run in a child process, which the target may crash, hang or end.

``samplercheck run`` always runs like this, ``sc.run`` with ``isolate=True``. Neither torch nor the
target is imported in the process that calls this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.supervision._parent import supervise

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.report import Report
    from samplercheck.search.progress import Progress
    from samplercheck.supervision.request import RunRequest

__all__ = ["run_isolated", "run_supervised"]


def run_supervised(request: RunRequest, progress: Callable[[Progress], None] | None = None) -> dict[str, Any]:
    """Run the laws on the requested target and return the content of ``report.json``."""
    return supervise({"request": request.to_dict()}, progress)


def run_isolated(call: dict[str, Any], progress: Callable[[Progress], None] | None = None) -> Report:
    """Carry out ``samplercheck.run`` with the arguments in ``call``, closures and strategies included."""
    from samplercheck.report import Report
    from samplercheck.supervision._calls import law_of, packed

    return Report.from_dict(supervise({"call": packed(call)}, progress), law_of)
