"""Merging: the reports of parallel runs, of which those that belong together become one.

Called by ``samplercheck report`` with plain data. Reports of one target, contract, kind and profile under
the same versions belong together; all others stay apart. Shards of one run are joined first. The order of
the reports does not matter. Pure.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from samplercheck.reports.shards import join_shards
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome, worst

Plain = dict[str, Any]

IDENTITY = ("target", "contract", "kind", "profile", "versions")
WORDS = ("name", "statement", "consequence")
BASELINE = ("known", "stale", "undecided")
PLACE = ("length", "world_size", "batch_size", "shuffle", "drop_last")
PARTS = re.compile(r"merged from (\d{1,9}) reports")


def merge(reports: Iterable[Plain]) -> list[Plain]:
    """Return one report for each target, contract, kind, profile and set of versions, sorted by these.

    What is still a part of the cases, because shards are missing, stays apart.
    """
    together: dict[str, list[Plain]] = {}
    for report in sorted(join_shards(reports), key=_text):
        part = [report["shard"], report["seed"]] if report.get("shard") else []
        together.setdefault(_text([*(report[name] for name in IDENTITY), *part]), []).append(report)
    return [reduce(merge_two, together[identity]) for identity in sorted(together)]


def merge_two(one: Plain, other: Plain) -> Plain:
    """Return the report of two runs that belong together.

    Of a law the worst outcome and the smallest failing case stay; counts, chances and seconds add up.
    """
    first, second = sorted((one, other), key=lambda report: int(report["seed"]))
    results = _by(lambda result: str(result["code"]), _results, one["results"], other["results"])
    outcome = worst(Outcome(result["outcome"]) for result in results)
    interrupted = one["interrupted"] or other["interrupted"]
    return {
        **first,
        "outcome": outcome.value,
        "ok": outcome is Outcome.HOLDS and not interrupted,
        "interrupted": interrupted,
        "false_alarm_bound": min(1.0, one["false_alarm_bound"] + other["false_alarm_bound"]),
        "tried": _by(_phase, _add("cases", "planned"), one["tried"], other["tried"]),
        "not_tried": _union(one["not_tried"], other["not_tried"]),
        "map": sorted(_by(_place, _squares, one["map"], other["map"]), key=_place),
        "notes": _notes(first, second),
        "results": sorted(results, key=lambda result: (len(result["code"]), result["code"])),
        "seconds": round(one["seconds"] + other["seconds"], 3),
        **_baseline(one, other),
    }


def _by(
    key: Callable[[Plain], Any], join: Callable[[Plain, Plain], Plain], one: list[Plain], other: list[Plain]
) -> list[Plain]:
    """Join what has the same key, in the order of first appearance."""
    known: dict[Any, Plain] = {}
    for part in (*one, *other):
        at = key(part)
        known[at] = join(known[at], part) if at in known else part
    return list(known.values())


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
        "advice": min(advice, key=_text, default=None),
        "advised": None if failures else min(advised, key=_size, default=None),
        "unjudged": one["unjudged"] + other["unjudged"],
    }


def _standing(result: Plain) -> tuple[Any, ...]:
    """Return a key by which the worst comes first, what was skipped after what was not, then by words."""
    badness = list(Outcome).index(Outcome(result["outcome"]))
    return -badness, bool(result["skipped"]), result["reason"], *(result[word] for word in WORDS)


def _size(failure: Plain) -> tuple[Case, str]:
    return Case.from_dict(failure["case"]), _text(failure)


def _phase(tried: Plain) -> tuple[str, str]:
    return tried["phase"], tried["scope"]


def _place(square: Plain) -> tuple[int, ...]:
    return tuple(square[name] for name in PLACE)


def _squares(one: Plain, other: Plain) -> Plain:
    laws: Counter[str] = Counter(one.get("laws", {})) + Counter(other.get("laws", {}))
    return {**_add("tried", "broken")(one, other), "laws": dict(laws)}


def _add(*names: str) -> Callable[[Plain, Plain], Plain]:
    """Return what joins two parts by adding up these numbers."""
    return lambda one, other: {**one, **{name: one[name] + other[name] for name in names}}


def _notes(first: Plain, second: Plain) -> list[str]:
    """Return the notes of both, how many reports they were, and the seed that is no longer the report's."""
    notes = [note for note in _union(first["notes"], second["notes"]) if not PARTS.fullmatch(note)]
    if first["seed"] != second["seed"]:
        notes = _union(notes, [f"also with seed {second['seed']}"])
    return [*notes, f"merged from {_parts(first) + _parts(second)} reports"]


def _parts(report: Plain) -> int:
    counted = [PARTS.fullmatch(note) for note in report["notes"]]
    return sum(int(found[1]) for found in counted if found) or 1


def _baseline(one: Plain, other: Plain) -> Plain:
    """Return what is known beside either; nothing where no run had a baseline.

    A law that is newly broken in one of them is not known to be broken, whichever case is smaller.
    """
    both = [report["baseline"] for report in (one, other) if "baseline" in report]
    if not both:
        return {}
    joined = {part: _union(*(standing[part] for standing in both)) for part in BASELINE}
    news = {code for report in (one, other) for code in _newly_broken_codes(report)}
    return {"baseline": {**joined, "known": [pair for pair in joined["known"] if pair[0] not in news]}}


def _newly_broken_codes(report: Plain) -> list[str]:
    """Return the codes of the laws that are broken and not known to be."""
    known = report["baseline"]["known"] if "baseline" in report else []
    return [
        one["code"]
        for one in report["results"]
        if one["outcome"] == "broken" and [one["code"], (one["failure"] or {}).get("id")] not in known
    ]


def _union(*several: list[Any]) -> list[Any]:
    """Return what is in any of the lists, once."""
    return list({_text(one): one for many in several for one in many}.values())


def _text(plain: Any) -> str:
    return json.dumps(plain, sort_keys=True)
