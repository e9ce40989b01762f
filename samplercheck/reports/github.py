"""The report as annotations of a GitHub workflow: one line for each law that needs a look.

Called by the command line with the report's plain data. Pure. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samplercheck.reports.standing import consequence_of, describe_advice, fault_of, shown_case
from samplercheck.values.layout import after_colon, case_text, cut, printable
from samplercheck.values.site import page_of

MOST_ANNOTATIONS = 10
"""GitHub shows so many annotations of a step and drops the others."""
LONGEST = 400


def workflow_lines(report: Mapping[str, Any], most: int = MOST_ANNOTATIONS) -> list[str]:
    """Return at most ``most`` annotations: errors for broken laws, warnings for undecided ones, notices."""
    lines = [_error(report, one) for one in report["results"] if one["failure"]]
    lines += [
        _line("warning", f"{one['code']} {one['name']} undecided", report, one["reason"])
        for one in report["results"]
        if one["outcome"] == "unknown"
    ]
    lines += [
        _line("notice", f"{one['code']} {one['name']} advice", report, describe_advice(one))
        for one in report["results"]
        if one["advice"]
    ]
    if len(lines) <= most or not most:
        return lines[:most]
    left = len(lines) - most + 1
    more = f"{left} more laws are broken or undecided, or give advice: see the log"
    return [*lines[: most - 1], f"::notice title=samplercheck::{more}"]


def _error(report: Mapping[str, Any], one: dict[str, Any]) -> str:
    failure = one["failure"]
    case = case_text(shown_case(failure))
    message = f"{one['statement']} Found: {after_colon(failure['message'])} In the case {case}"
    more = page_of(report.get("documentation", ""), one["code"])
    return _line("error", f"{one['code']} {fault_of(one)} ({consequence_of(one)})", report, message, more)


def _line(level: str, title: str, report: Mapping[str, Any], message: str, more: str = "") -> str:
    """Escape what has a meaning in a workflow command; line breaks have become escapes before."""
    where = cut(printable(report["target"]), 120)
    text = cut(f"{where}: {printable(' '.join(message.split()))}", LONGEST - len(more) - 1)
    text = (f"{text} {more}" if more else text).replace("%", "%25")
    name = printable(title).strip().replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{text}"
