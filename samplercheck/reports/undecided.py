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
NONSENSE = "nonsense"
"""The experiment that builds a target with impossible values."""
GRADE = "a failure only with --strict"
MOST_SAID = 40
"""So long may the names of laws be in a line; else the first stands for them."""


def describe_undecided(report: Plain) -> str:
    """Say why laws are undecided: the reason that most of them have."""
    reasons = list_undecided(report)
    return f"{reasons[0][1]} ({name_laws(report, reasons[0][0])})" if reasons else ""


def name_laws(report: Plain, codes: Sequence[str]) -> str:
    """Name some laws in words, more of them by the first and their number, many by that alone."""
    if len(codes) > MOST_NAMED:
        return f"{len(codes)} laws from {codes[0]} on"
    names = {one["code"]: printable(one["name"]) for one in report["results"]}
    named = [f"{names[code]} ({code})" for code in codes]
    whole = ", ".join(named)
    return whole if not named[1:] or len(whole) <= MOST_SAID else f"{named[0]} and {len(codes) - 1} more"


def list_undecided(report: Plain) -> list[tuple[list[str], str]]:
    """Return the codes of undecided laws by the reason they share, what most share first."""
    reasons: dict[str, list[str]] = {}
    for one in report["results"]:
        if standing_of(report, one) is Standing.UNKNOWN:
            told = printable(" ".join(one["reason"].split())) or "no reason is known"
            reasons.setdefault(_UNJUDGED.sub("", told), []).append(printable(one["code"]))
    return sorted(((codes, why) for why, codes in reasons.items()), key=lambda pair: -len(pair[0]))


def _is_of_trainings(one: Plain) -> bool:
    """Whether a strict run calls broken what a usual training does: it has samples and possible values."""
    advised = one.get("advised")
    is_usual = advised and advised["case"]["length"] and advised["violations"][0]["experiment"] != NONSENSE
    return bool(is_usual)


def name_advice(report: Plain, room: int) -> str:
    """Say in so many columns what is no failure and yet worth a look, or name the laws that say so."""
    told, grade, _ = list_advice(report).partition(f", {GRADE}")
    codes = [one["code"] for one in report["results"] if one["advice"] or one.get("advised")]
    return f"{told})" if grade and len(told) < room else name_laws(report, codes)


def list_advice(report: Plain) -> str:
    """Say what is no failure and yet worth a look, and which of it a strict run counts as one."""
    given = [one for one in report["results"] if one["advice"] or one.get("advised")]
    if not given:
        return ""
    given.sort(key=lambda one: not _is_of_trainings(one))
    first = given[0]
    if advised := first.get("advised"):
        is_empty = "" if advised["case"]["length"] else " for an empty dataset"
        seen = f"{advised['violations'][0]['fault'] or fault_of(first)}{is_empty}"
    else:
        seen = after_colon(first["advice"]["found"]).rstrip(".")
    others = f"; see {name_laws(report, [one['code'] for one in given[1:]])}" if given[1:] else ""
    grade = GRADE if first.get("advised") else "not a failure"
    return printable(f"{seen} ({first['code']}, {grade}){others}")
