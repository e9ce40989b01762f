"""Merging: the reports of parallel runs, of which those that belong together become one.

Called by ``samplercheck report`` with plain data. Reports of one target, contract, kind and profile under
the same versions belong together; all others stay apart. Shards of one run are joined first. The order of
the reports does not matter. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from operator import itemgetter
from typing import Any

from samplercheck.reports.shards import adding, as_key, join_by, join_known, join_shards, sum_up, unite
from samplercheck.reports.standing import Plain
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome

IDENTITY = ("target", "contract", "kind", "profile", "versions")
WORDS = ("name", "statement", "consequence")
PARTS = re.compile(r"merged from (\d{1,9}) reports")


def merge(reports: Iterable[Plain]) -> list[Plain]:
    """Return one report for each target, contract, kind, profile and set of versions, sorted by these.

    What is still a part of the cases, because shards are missing, stays apart.
    """
    together: dict[str, list[Plain]] = {}
    for report in sorted(join_shards(reports), key=as_key):
        part = [report["shard"], report["seed"]] if report.get("shard") else []
        together.setdefault(as_key([*(report[name] for name in IDENTITY), *part]), []).append(report)
    return [reduce(merge_two, together[identity]) for identity in sorted(together)]


def merge_two(one: Plain, other: Plain) -> Plain:
    """Return the report of two runs that belong together.

    Of a law the worst outcome and the smallest failing case stay; counts, chances and seconds add up.
    """
    first, second = sorted((one, other), key=lambda report: int(report["seed"]))
    return {
        **first,
        **sum_up([one, other], join_by(itemgetter("code"), _results, [*one["results"], *other["results"]])),
        "tried": join_by(
            itemgetter("phase", "scope"), adding("cases", "planned"), [*one["tried"], *other["tried"]]
        ),
        "not_tried": unite(one["not_tried"], other["not_tried"]),
        "notes": _notes(first, second),
        **_baseline(one, other),
    }


def _results(one: Plain, other: Plain) -> Plain:
    """Return what two runs say of one law; the words are those of the worse one."""
    worse = min((one, other), key=_standing)
    failures = [result["failure"] for result in (one, other) if result["failure"]]
    advised = [result["advised"] for result in (one, other) if result["advised"]]
    advice = [result["advice"] for result in (one, other) if result["advice"]]
    return {
        **worse,
        "skipped": min(one["skipped"], other["skipped"]),
        "judged": one["judged"] + other["judged"],
        "broken": one["broken"] + other["broken"],
        "failure": min(failures, key=_size, default=None),
        "advice": min(advice, key=as_key, default=None),
        "advised": None if failures else min(advised, key=_size, default=None),
        "unjudged": one["unjudged"] + other["unjudged"],
    }


def _standing(result: Plain) -> tuple[Any, ...]:
    """Return a key by which the worst comes first, what was skipped after what was not, then by words."""
    badness = list(Outcome).index(Outcome(result["outcome"]))
    return -badness, bool(result["skipped"]), result["reason"], *(result[word] for word in WORDS)


def _size(failure: Plain) -> tuple[Case, str]:
    return Case.from_dict(failure["case"]), as_key(failure)


def _notes(first: Plain, second: Plain) -> list[str]:
    """Return the notes of both, how many reports they were, and the seed that is no longer the report's."""
    notes = [note for note in unite(first["notes"], second["notes"]) if not PARTS.fullmatch(note)]
    if first["seed"] != second["seed"]:
        notes = unite(notes, [f"also with seed {second['seed']}"])
    return [*notes, f"merged from {_parts(first) + _parts(second)} reports"]


def _parts(report: Plain) -> int:
    counted = [PARTS.fullmatch(note) for note in report["notes"]]
    return sum(int(found[1]) for found in counted if found) or 1


def _baseline(one: Plain, other: Plain) -> Plain:
    """Return what is known beside either; nothing where no run had a baseline.

    A law that is newly broken in one of them is not known to be broken, whichever case is smaller.
    """
    joined = join_known([one, other])
    news = {code for report in (one, other) for code in _newly_broken_codes(report)}
    for baseline in joined.values():
        baseline["known"] = [pair for pair in baseline["known"] if pair[0] not in news]
    return joined


def _newly_broken_codes(report: Plain) -> list[str]:
    """Return the codes of the laws that are broken and not known to be."""
    known = report["baseline"]["known"] if "baseline" in report else []
    return [
        one["code"]
        for one in report["results"]
        if one["outcome"] == "broken" and [one["code"], (one["failure"] or {}).get("id")] not in known
    ]
