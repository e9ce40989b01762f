"""Reports: a report in, text or a file out; one file for each form.

Called by the engine (the failure block) and the command line, and by ``Report`` through the two functions
here. Imports values, neither torch nor numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_text(report: Mapping[str, Any]) -> str:
    """Return what ``print`` shows of the plain data of a report."""
    from samplercheck.reports.brief import brief

    return brief(report)


def as_html(report: Mapping[str, Any]) -> str:
    """Return what a notebook shows of the plain data of a report."""
    from samplercheck.reports.notebook import report_html

    return report_html(report)
