"""What a report has to say against a target that should keep every law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.values.finding import Outcome

if TYPE_CHECKING:
    from samplercheck.values.report import Report


def complaints(report: Report) -> dict[str, str]:
    """Return, by code, what is broken or undecided."""
    return {
        result.code: result.failure.message if result.failure else result.reason
        for result in report.results
        if result.outcome in (Outcome.BROKEN, Outcome.UNKNOWN)
    }
