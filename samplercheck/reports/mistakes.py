"""Mistakes: which broken laws belong together, in order of the harm that they do to training.

Read by the verdict and the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from samplercheck.reports.standing import Standing, consequence_of, standing_of
from samplercheck.values.layout import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = Mapping[str, Any]

HARMS = (
    *("would hang", "crashes", "out of memory", "loses data", "repeats data", "crashes workers"),
    *("wrong gradients", "wrong batches", "uneven batches"),
    *("wrong order", "not reproducible", "wrong step count"),
)
"""What a broken law does to training, the most harmful first; what laws of users say comes last."""


class Mistake(NamedTuple):
    """Results of broken laws that belong together: the one that is told, and those that follow from it."""

    lead: Plain
    rest: tuple[Plain, ...]


def list_harms(mistakes: Sequence[Mistake]) -> dict[str, list[str]]:
    """Return what mistakes do to training, in order of harm, each with the codes of the laws."""
    harms: dict[str, list[str]] = {}
    for one in sorted((one for mistake in mistakes for one in (mistake.lead, *mistake.rest)), key=_harm):
        harms.setdefault(printable(consequence_of(one)), []).append(printable(one["code"]))
    return harms


def list_mistakes(report: Plain) -> list[Mistake]:
    """Return what is broken, known failures aside, in order of harm; one mistake for each tested cause."""
    broken = [
        one for one in report["results"] if one["failure"] and standing_of(report, one) is Standing.BROKEN
    ]
    groups: list[list[Plain]] = []
    for one in broken:
        near = [group for group in groups if any(_belong(one, other) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), one])
    return sorted(map(_mistake, groups), key=lambda mistake: _harm(mistake.lead))


def _belong(one: Plain, other: Plain) -> bool:
    """Whether one of two broken laws names the other as broken for its cause, or as what it follows from."""
    pairs = ((one, other), (other, one))
    return any(to["code"] in (*of["failure"]["also"], of["failure"].get("follows", "")) for of, to in pairs)


def _mistake(group: Sequence[Plain]) -> Mistake:
    codes = {one["code"] for one in group}
    ordered = sorted(group, key=lambda one: (one["failure"].get("follows") in codes, *_harm(one)))
    return Mistake(ordered[0], tuple(ordered[1:]))


def _harm(one: Plain) -> tuple[int, bool, int, str]:
    """Sort key: the harm, then what small cases show, then the code."""
    harm = consequence_of(one)
    known = HARMS.index(harm) if harm in HARMS else len(HARMS)
    return known, not one["failure"]["failing"], len(one["code"]), one["code"]


def order_failures(report: Plain) -> list[tuple[Plain, str]]:
    """Return the results with a failure in order of harm, those of one mistake together, known ones last.

    With each is the code of the law that it belongs to; nothing with the one that is told first.
    """
    ordered = [
        (one, "" if one is mistake.lead else str(mistake.lead["code"]))
        for mistake in list_mistakes(report)
        for one in (mistake.lead, *mistake.rest)
    ]
    shown = {one["code"] for one, _ in ordered}
    known = [one for one in report["results"] if one["failure"] and one["code"] not in shown]
    return [*ordered, *((one, "") for one in known)]
