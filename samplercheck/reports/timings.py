"""Where the time of a run went, for ``run --timings``: by phase, experiment and law.

Called by the command line with the plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.reports.standing import Plain
from samplercheck.values.layout import printable

LEAST = 0.005
"""What took less is summed up: it would be shown as 0.00 seconds."""
TABLES = (
    ("phase", "phase", "cases", "by the clock; start, end: rest"),
    ("experiment", "experiment", "ranks", "of processor time in this process"),
    ("law", "law", "cases", "of processor time"),
)


def describe_timings(report: Plain) -> str:
    """Return three tables; nothing where the run was not timed."""
    return "\n".join(line for table in TABLES for line in _table(report, *table))


def _table(report: Plain, kind: str, title: str, calls: str, how: str) -> Iterator[str]:
    rows = [one for one in report.get("timings", ()) if one["kind"] == kind]
    if not rows:
        return
    whole = report["seconds"] if kind == "phase" else sum(one["seconds"] for one in rows)
    yield f"\n{title:<22}{'seconds':>9}{calls:>9}   {how}"
    shown = [one for one in rows if kind == "phase" or one["seconds"] >= LEAST]
    for one in shown:
        yield f"  {printable(one['name']):<20}{one['seconds']:>9.2f}{one['calls']:>9,}"
    left = whole - sum(one["seconds"] for one in shown)
    if left >= LEAST:
        yield f"  {'(rest)':<20}{left:>9.2f}"
    yield f"  {'together':<20}{whole:>9.2f}"
