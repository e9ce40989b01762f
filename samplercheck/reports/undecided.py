"""Undecided: what a run could not check, by the reasons, and what it advises without calling it broken.

Read by the verdict and the foot of the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.reports.mistakes import MOST_NAMED
from samplercheck.reports.standing import Plain, Standing, fault_of, standing_of
from samplercheck.values.layout import after_colon, printable

_UNJUDGED = re.compile(r"^not (judged in [\d,]+ cases|checked): ")
MOST_SAID = 40
"""So long may the names of further advice be in the one line that there is; else their codes stand."""


def describe_undecided(report: Plain) -> str:
    """Say why laws are undecided: the reason that most of them have."""
    reasons = list_undecided(report)
    return f"{reasons[0][1]} ({name_laws(reasons[0][0])})" if reasons else ""


def name_laws(codes: Sequence[str]) -> str:
    """Name some laws, many of them by their number and the first."""
    return ", ".join(codes) if len(codes) <= MOST_NAMED else f"{len(codes)} laws from {codes[0]} on"


def list_undecided(report: Plain) -> list[tuple[list[str], str]]:
    """Return the codes of undecided laws by the reason they share, what most share first."""
    reasons: dict[str, list[str]] = {}
    for one in report["results"]:
        if standing_of(report, one) is Standing.UNKNOWN:
            told = printable(" ".join(one["reason"].split())) or "no reason is known"
            reasons.setdefault(_UNJUDGED.sub("", told), []).append(printable(one["code"]))
    return sorted(((codes, why) for why, codes in reasons.items()), key=lambda pair: -len(pair[0]))


def list_advice(report: Plain) -> str:
    """Say what is no failure and yet worth a look, and which of it a strict run counts as one."""
    given = [one for one in report["results"] if one["advice"] or one.get("advised")]
    if not given:
        return ""
    first = given[0]
    seen = fault_of(first) if first.get("advised") else after_colon(first["advice"]["found"]).rstrip(".")
    named = ", ".join(f"{one['name']} ({one['code']})" for one in given[1:])
    named = named if len(named) <= MOST_SAID else ", ".join(one["code"] for one in given[1:])
    others = f"; also {named}" if named else ""
    grade = "a failure only with --strict" if first.get("advised") else "not a failure"
    return printable(f"{seen} ({first['code']}, {grade}){others}")
