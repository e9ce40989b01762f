"""Joining: the reports of the shards of one run become the report that one run of all cases would have made.

Called before reports are merged, with plain data; merging sums up by the same functions. Where a shard is
missing the report says so, and no law holds. The order of the reports does not matter. Pure.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import itemgetter
from typing import Any

from samplercheck.reports.standing import Plain
from samplercheck.values import report_form as form
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome, worst
from samplercheck.values.law_result import LawTally
from samplercheck.values.shard import Shard, describe_missing

IDENTITY = ("target", "contract", "kind", "profile", "versions", "seed")
SIMULATED = "simulated"
ANYWHERE = ("stored", "explain")
"""Phases that a shard goes through only where it has such cases."""
_PART = re.compile(r"^shards? [\d, ]+(?:/| of )\d+ of: ")
_FAILING = re.compile(r", and (\d+) failing cases?$")
BASELINE = ("known", "stale", "undecided")
_place = itemgetter("length", "world_size", "batch_size", "shuffle", "drop_last")


def join_shards(reports: Iterable[Plain]) -> list[Plain]:
    """Return the reports with those of shards joined; each shard counts once, however often it is there."""
    reports = list(reports)
    whole = [report for report in reports if not report.get("shard")]
    together: dict[str, list[Plain]] = {}
    for report in sorted((one for one in reports if one.get("shard")), key=_order):
        identity = [*(report[name] for name in IDENTITY), report["shard"]["of"]]
        together.setdefault(as_key(identity), []).append(report)
    return [*whole, *(_join(together[identity]) for identity in sorted(together))]


def _join(reports: list[Plain]) -> Plain:
    """Return one report of all shards of a run that are there."""
    kept, twice = _keep_once(reports)
    shard = Shard(of=kept[0]["shard"]["of"], parts=_parts(kept))
    timings = [one for report in kept for one in report.get("timings", ())]
    # Of what is known, as in one run, the smallest failing case decides what is.
    return {
        **kept[0],
        **sum_up(kept, _results(kept, shard)),
        "tried": _phases(kept, shard),
        "not_tried": _not_tried(kept, shard),
        "notes": [*_say_by_shard(kept, "notes"), *twice, *_made_of(kept, shard)],
        "timings": join_by(itemgetter("kind", "name"), adding("seconds", "calls"), timings),
        "shard": None if shard.is_whole else shard.to_dict(),
        **join_known(kept),
    }


def _order(report: Plain) -> tuple[Any, ...]:
    """Sort key: what was not interrupted and has most first, then by parts."""
    return report["interrupted"], -len(report["shard"]["parts"]), report["shard"]["parts"], as_key(report)


def _keep_once(reports: list[Plain]) -> tuple[list[Plain], list[str]]:
    """Return reports of different shards, in their order, and a note on each that came once more."""
    kept: list[Plain] = []
    notes = []
    for report in reports:
        if set(report["shard"]["parts"]) & set(_parts(kept)):
            notes.append(f"{Shard.from_dict(report['shard']).text} was there twice and counts once")
        else:
            kept.append(report)
    return sorted(kept, key=lambda report: report["shard"]["parts"]), sorted(set(notes))


def _parts(reports: Iterable[Plain]) -> tuple[int, ...]:
    return tuple(sorted(part for report in reports for part in report["shard"]["parts"]))


def _made_of(reports: list[Plain], shard: Shard) -> list[str]:
    """Say how many shards were joined, and which are missing."""
    joined = [f"joined from {len(shard.parts)} of {shard.of} shards"] if len(reports) > 1 else []
    return joined if shard.is_whole else [*joined, describe_missing(shard)]


# Laws


def _results(reports: list[Plain], shard: Shard) -> list[Plain]:
    """Return what all shards together say of each law."""
    by_code: dict[str, list[Plain]] = {}
    for report in reports:
        for one in report["results"]:
            by_code.setdefault(one["code"], []).append(one)
    told = frozenset(
        code for code, many in by_code.items() if many[0]["skipped"] or any(one["tally"] for one in many)
    )
    return [_result(many, told, shard) for many in by_code.values()]


def _result(results: list[Plain], told: frozenset[str], shard: Shard) -> Plain:
    """Return the result of one law: judged by the sum of its tallies, as one run would have been."""
    judging = [one for one in results if one["tally"]]
    if not judging:  # skipped, or not for this target, wherever it is run
        return results[0]
    tally = reduce(LawTally.add, (form.read(form.TallyData, LawTally, one["tally"]) for one in judging))
    broken = [one for one in judging if one["failure"]]
    outcome, reason = tally.outcome(told, is_broken=bool(broken), is_part=not shard.is_whole)
    if outcome is Outcome.HOLDS and not shard.is_whole:
        outcome, reason = Outcome.UNKNOWN, describe_missing(shard)
    order: Callable[[Plain], tuple[Any, ...]] = _failure_order
    number, first = sum(one["broken"] for one in judging), min(judging, key=order)
    return {
        **first,
        "outcome": outcome.value,
        "reason": reason,
        "judged": tally.judged,
        "broken": number,
        "unjudged": sum(one["unjudged"] for one in judging),
        "failure": _recount(first["failure"], number, tally.tried) if broken else None,
        "advice": next((one["advice"] for one in judging if one["advice"]), None),
        "advised": None if broken else _advised(judging, tally.tried),
        "tally": None if shard.is_whole else form.write(form.TallyData, tally),
    }


def _failure_order(result: Plain) -> tuple[Any, ...]:
    """Sort key as of the witnesses of one run: small cases first, simulated ones, then by their size."""
    failure = result["failure"]
    if not failure:
        return (True,)
    case = Case.from_dict(failure["case"])
    in_small_scope = result["tally"]["in_small_scope"]
    return False, not case.length, not in_small_scope, failure["world"] != SIMULATED, case


def _advised(results: list[Plain], tried: int) -> Plain | None:
    """Return what a strict run would call the failure, with the cases of all shards counted."""
    found = [one["advised"] for one in results if one["advised"]]
    if not found:
        return None
    smallest = min(found, key=lambda failure: Case.from_dict(failure["case"]))
    return _recount(smallest, sum(one["failing"] for one in found), tried)


def _recount(failure: Plain, failing: int, tried: int) -> Plain:
    """Return a failure that counts the cases of all shards, in its block as well."""
    before = f"{failure['failing']} of {failure['tried']} tried break it"
    text = failure["text"].replace(before, f"{failing} of {tried} tried break it")
    return {**failure, "failing": failing, "tried": tried, "text": text}


# What was tried


def _phases(reports: list[Plain], shard: Shard) -> list[Plain]:
    """Return the phases with the cases of all shards; where these looked differently far, each by itself."""
    found: dict[tuple[str, str], list[tuple[Plain, Plain]]] = {}
    for report in reports:
        for one in report["tried"]:
            scope = _FAILING.sub("", _PART.sub("", one["scope"]))
            found.setdefault((one["phase"], scope), []).append((report, one))
    names = list(dict.fromkeys(one["phase"] for report in reports for one in report["tried"]))
    keys = sorted(found, key=lambda key: names.index(key[0]))
    return [_phase(*key, found[key], shard) for key in keys]


def _phase(name: str, scope: str, found: list[tuple[Plain, Plain]], shard: Shard) -> Plain:
    parts = Shard(of=shard.of, parts=_parts(report for report, _ in found))
    matches = [_FAILING.search(one["scope"]) for _, one in found]
    failing = sum(int(match[1]) for match in matches if match)
    text = scope + (f", and {failing} failing case{'s' * (failing > 1)}" if failing else "")
    return {
        "phase": name,
        "scope": text if name in ANYWHERE else parts.describe(text),
        "cases": sum(one["cases"] for _, one in found),
        "planned": sum(one["planned"] for _, one in found),
    }


def _not_tried(reports: list[Plain], shard: Shard) -> list[str]:
    """Return what was left out; of what a single shard left out, which one it was."""
    missing = [] if shard.is_whole else [describe_missing(shard)]
    lines = _say_by_shard(reports, "not_tried")
    return [*missing, *(line for line in lines if not line.startswith("the cases of the other "))]


def _say_by_shard(reports: list[Plain], name: str) -> list[str]:
    """Return the lines of all reports, those that not all of them say with the shards that do."""
    said: dict[str, list[Plain]] = {}
    for report in reports:
        for line in dict.fromkeys(report[name]):
            said.setdefault(line, []).append(report)
    return [
        line
        if len(who) == len(reports)
        else f"{Shard(of=who[0]['shard']['of'], parts=_parts(who)).text}: {line}"
        for line, who in said.items()
    ]


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


def _add_squares(one: Plain, other: Plain) -> Plain:
    laws: Counter[str] = Counter(one.get("laws", {})) + Counter(other.get("laws", {}))
    return {**adding("tried", "broken")(one, other), "laws": dict(laws)}


def unite(*several: list[Any]) -> list[Any]:
    """Return what is in any of the lists, once."""
    return list({as_key(one): one for many in several for one in many}.values())


def as_key(plain: Any) -> str:
    """Return plain data as a text by which the like is found and sorted."""
    return json.dumps(plain, sort_keys=True)
