"""Sums: what several reports come to together, as far as it does not matter how the runs are related.

Used where reports are merged, and where shards of one run are joined. Pure.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from samplercheck.reports.standing import Plain
from samplercheck.values.finding import Outcome, worst

BASELINE = ("known", "stale", "undecided")
PLACE = ("length", "world_size", "batch_size", "shuffle", "drop_last")


def sum_up(reports: Sequence[Plain], results: Iterable[Plain]) -> Plain:
    """Return what reports with these results in all come to: worst outcome, chances, map and seconds."""
    results = sorted(results, key=lambda result: (len(result["code"]), result["code"]))
    outcome = worst(Outcome(result["outcome"]) for result in results)
    interrupted = any(report["interrupted"] for report in reports)
    squares = join_by(_place, _add_squares, [one for report in reports for one in report["map"]])
    return {
        "outcome": outcome.value,
        "ok": outcome is Outcome.HOLDS and not interrupted,
        "interrupted": interrupted,
        "false_alarm_bound": min(1.0, sum(report["false_alarm_bound"] for report in reports)),
        "map": sorted(squares, key=_place),
        "results": results,
        "seconds": round(sum(report["seconds"] for report in reports), 3),
    }


def join_known(reports: Iterable[Plain]) -> Plain:
    """Return what is known beside any of the reports; nothing where no run had a baseline."""
    baselines = [report["baseline"] for report in reports if "baseline" in report]
    joined = {part: unite(*(baseline[part] for baseline in baselines)) for part in BASELINE}
    return {"baseline": joined} if baselines else {}


def join_by(
    key: Callable[[Plain], Any], join: Callable[[Plain, Plain], Plain], parts: Iterable[Plain]
) -> list[Plain]:
    """Join what has the same key, in the order of first appearance."""
    known: dict[Any, Plain] = {}
    for part in parts:
        at = key(part)
        known[at] = join(known[at], part) if at in known else part
    return list(known.values())


def adding(*names: str) -> Callable[[Plain, Plain], Plain]:
    """Return what joins two parts by adding up these numbers."""
    return lambda one, other: {**one, **{name: one[name] + other[name] for name in names}}


def _place(square: Plain) -> tuple[int, ...]:
    return tuple(square[name] for name in PLACE)


def _add_squares(one: Plain, other: Plain) -> Plain:
    laws: Counter[str] = Counter(one.get("laws", {})) + Counter(other.get("laws", {}))
    return {**adding("tried", "broken")(one, other), "laws": dict(laws)}


def unite(*several: list[Any]) -> list[Any]:
    """Return what is in any of the lists, once."""
    return list({as_key(one): one for many in several for one in many}.values())


def as_key(plain: Any) -> str:
    """Return plain data as a text by which the like is found and sorted."""
    return json.dumps(plain, sort_keys=True)
