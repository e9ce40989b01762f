"""One report as the page shows it: its verdict, what was tried and what was not, and all of its laws.

Used by the page. Pure. The failures are elsewhere; here are links to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from samplercheck.reports.headline import verdict_rows
from samplercheck.reports.mistakes import order_failures
from samplercheck.reports.page._environment import shorten
from samplercheck.reports.page._failure import describe_failure
from samplercheck.reports.pictures.heat import ALL, HELD, SOME, UNTRIED, HeatRow, heat, legend, share_of
from samplercheck.reports.standing import (
    MARKS,
    Mark,
    Plain,
    Standing,
    describe_advice,
    describe_verdict,
    fault_of,
    name_versions,
    standing_of,
    tally,
    troubles,
)
from samplercheck.reports.terminal import LUCK, chance
from samplercheck.reports.verdict import verdict_of

MOST = 100
MOST_LAWS = 300
MOST_BROKEN = 12
MOST_SQUARES = 6_000
MOST_MAPS = 13
LONGEST = 400
COUNTED = {
    Standing.HOLDS: "hold",
    Standing.BROKEN: "broken",
    Standing.KNOWN: "known to fail",
    Standing.UNKNOWN: "undecided",
    Standing.NOT_APPLICABLE: "not applicable",
    Standing.SKIPPED: "skipped",
}
"""The words for how many laws came to what."""
FORMS = (
    (HELD, "tried, no law is broken"),
    (SOME, "a law is broken in some cases"),
    (ALL, "a law is broken in every case"),
    (UNTRIED, "not tried"),
)


def failures_of(report: Plain, number: int) -> list[dict[str, Any]]:
    """Return the failures of a report, what is known of the baseline last."""
    return [
        {**describe_failure(report, one, f"r{number}-f{place}"), "beside": shorten(beside, 40)}
        for place, (one, beside) in enumerate(order_failures(report))
    ]


def describe_report(report: Plain, number: int, failures: Sequence[Plain]) -> dict[str, Any]:
    """Return all that the template of a report says, but for its failures."""
    results, verdict = report["results"], verdict_of(report)
    return {
        "anchor": f"r{number}",
        "is_bare": False,
        "target": shorten(report["target"], 200),
        "verdict": describe_verdict(report),
        "rows": [(label, shorten(text, LONGEST)) for label, text in verdict_rows(verdict)],
        "harms": shorten(verdict.harms, LONGEST),
        "counts": list(_counts(report)),
        "failures": failures[:MOST_BROKEN],
        "more": max(0, len(failures) - MOST_BROKEN),
        "facts": [(label, shorten(text)) for label, text in _facts(report)],
        "tried": [_phase(one) for one in report["tried"][:MOST]],
        "not_tried": _short_list(report["not_tried"]),
        "notes": _short_list([*report["notes"], *_baseline_notes(report)]),
        **_map(report.get("map", ()), {one["code"]: fault_of(one) for one, _ in order_failures(report)}),
        "remarks": list(_remarks(results))[:MOST],
        **_laws(report),
    }


def _counts(report: Plain) -> Iterator[tuple[Mark, str]]:
    counts = tally([report])
    yield from ((MARKS[one], f"{counts[one]:,} {words}") for one, words in COUNTED.items() if counts[one])


def _facts(report: Plain) -> Iterator[tuple[str, str]]:
    yield "contract", report["contract"]
    yield "profile", f"{report['profile']}, seed {report['seed']}, {report['seconds']:.1f} s"
    yield "chance of a false alarm", f"{chance(report['false_alarm_bound'])}, {LUCK}"
    yield "versions", name_versions(report)


def _phase(one: Plain) -> dict[str, Any]:
    done, planned = one["cases"], one["planned"]
    cases = f"{done:,}" if done >= planned else f"{done:,} of {planned:,}"
    scope = shorten(one["scope"], LONGEST)
    return {"phase": shorten(one["phase"], 80), "scope": scope, "cases": cases, "cut": done < planned}


def _short_list(texts: Sequence[str]) -> list[str]:
    more = [f"and {len(texts) - MOST:,} more, in report.json"] if len(texts) > MOST else []
    return [*(shorten(text, LONGEST) for text in texts[:MOST]), *more]


def _baseline_notes(report: Plain) -> Iterator[str]:
    """Yield what is wrong with the baseline; the verdict says that it was interrupted."""
    yield from (text for _, text in troubles({**report, "interrupted": False}))


def _map(squares: Sequence[Plain], faults: Mapping[str, str]) -> dict[str, Any]:
    """Return the map of any law and that of each broken one, with a legend of what occurs in the first."""
    codes = {code for one in squares for code in one.get("laws", ())}
    laws = [code for code in faults if code in codes and len(codes) > 1]
    shown = [("", "any law"), *((code, f"{code}: {faults[code]}") for code in laws)]
    maps = [
        {"law": code, "words": shorten(words, 80), "rows": _rows(heat(squares, code))}
        for code, words in shown[:MOST_MAPS]
        if squares and len(squares) <= MOST_SQUARES
    ]
    met = {share_of(one) for one in squares}
    keys = [(Markup(legend(form)), words) for form, words in FORMS if form in met]  # noqa: S704  (no text of others)
    return {"maps": maps, "legend": keys, "has_map": bool(squares)}


def _rows(drawn: Sequence[HeatRow]) -> list[tuple[str, list[tuple[str, Markup]]]]:
    return [(label, [(words, Markup(one)) for words, one in row]) for label, row in drawn]  # noqa: S704


def _remarks(results: Sequence[Plain]) -> Iterator[dict[str, str]]:
    """Yield what there is to say of laws that are not broken: undecided, advice, skipped."""
    for result in results:
        label = {"code": shorten(result["code"], 40), "name": shorten(result["name"], 80)}
        if result["outcome"] == "unknown":
            yield {**label, "kind": "undecided", "text": shorten(result["reason"], LONGEST)}
        if result["advice"]:
            yield {**label, "kind": "advice", "text": shorten(describe_advice(result), LONGEST)}
        if result["outcome"] == "holds" and result["reason"]:
            yield {**label, "kind": "judged in part", "text": shorten(result["reason"], LONGEST)}
        if result["skipped"]:
            yield {**label, "kind": "skipped", "text": shorten(result["skipped"], LONGEST)}


def _laws(report: Plain) -> dict[str, Any]:
    """Return the laws that were judged, and the names of those that do not apply to this target."""
    laws = [(_law(one), standing_of(report, one)) for one in report["results"][:MOST_LAWS]]
    return {
        "laws": [(law, MARKS[one], one.value) for law, one in laws if one is not Standing.NOT_APPLICABLE],
        "not_applicable": [law for law, one in laws if one is Standing.NOT_APPLICABLE],
        "more_laws": max(0, len(report["results"]) - MOST_LAWS),
    }


def _law(one: Plain) -> dict[str, str]:
    return {
        "code": shorten(one["code"], 40),
        "name": shorten(one["name"], 80),
        "statement": shorten(one["statement"], LONGEST),
        "judged": f"{one['judged']:,}" if one["judged"] else "",
    }
