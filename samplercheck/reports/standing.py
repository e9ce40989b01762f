"""Standing: what one law, and a whole report, asks of its reader; known failures aside.

Read by the renderings that show one word or one colour for each: junit, summary, badge, page, notebook. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from samplercheck.values.exits import BROKEN, HOLDS, INTERRUPTED, NOTHING, UNDECIDED
from samplercheck.values.finding import NOT_HERE
from samplercheck.values.layout import printable, sentence
from samplercheck.values.shard import Shard
from samplercheck.values.wording import pluralise

Plain = Mapping[str, Any]
"""A report, or a part of one, as ``report.json`` holds it."""


class Standing(Enum):
    """What one law comes to, the worst first."""

    BROKEN = "broken"
    UNKNOWN = "undecided"
    KNOWN = "known failure"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not applicable"
    HOLDS = "holds"


_OUTCOMES = {
    "broken": Standing.BROKEN,
    "unknown": Standing.UNKNOWN,
    "not_applicable": Standing.NOT_APPLICABLE,
    "holds": Standing.HOLDS,
}
_EXITS = {"holds": HOLDS, "broken": BROKEN, "unknown": UNDECIDED, "not_applicable": NOTHING}

_NO_PROPOSAL: Plain = {
    "words": "",
    **dict.fromkeys(("signs", "settled", "left", "doubted"), ()),
    **{name: {} for name in ("found", "hints", "often", "faults", "harms", "lines", "follows")},
}


def proposal_of(report: Plain) -> Plain:
    """Return the contract that the target seems to keep; where none is proposed, all about it is empty."""
    return {**_NO_PROPOSAL, **(report.get("proposal") or {})}


def name_versions(report: Plain) -> str:
    """Return with what a report, or the run of a certificate, was made."""
    return ", ".join(f"{name} {number}" for name, number in report["versions"].items())


def standing_of(report: Plain, one: Plain) -> Standing:
    """Return what one result of a report comes to."""
    if one["skipped"]:
        return Standing.SKIPPED
    if _is_known(report, one):
        return Standing.KNOWN
    return _OUTCOMES[one["outcome"]]


def _is_known(report: Plain, one: Plain) -> bool:
    """Whether a result is a failure that the baseline holds."""
    baseline, failure = report.get("baseline"), one["failure"]
    return bool(baseline and failure and [one["code"], failure["id"]] in baseline["known"])


def exit_code(report: Plain) -> int:
    """Return the exit code that a report stands for; beside a baseline, of what is not known."""
    if report["interrupted"]:
        return INTERRUPTED
    baseline = report.get("baseline")
    if baseline is None and not report.get("shard"):
        return _EXITS[report["outcome"]]
    known = baseline or {"stale": (), "undecided": (), "known": ()}
    elsewhere = [one for one in report["results"] if _is_elsewhere(report, one)]
    outcomes = {
        one["outcome"] for one in report["results"] if not _is_known(report, one) and one not in elsewhere
    }
    if "broken" in outcomes or known["stale"]:
        return BROKEN
    if "unknown" in outcomes or known["undecided"]:
        return UNDECIDED
    judged = "holds" in outcomes or known["known"] or elsewhere
    return HOLDS if judged else NOTHING


def _is_elsewhere(report: Plain, one: Plain) -> bool:
    """Whether a shard had no case for a law, so that others decide it."""
    return bool(report.get("shard")) and one["reason"] == NOT_HERE


def consequence_of(one: Plain) -> str:
    """Return what a broken law does to training: what this failure does, or else what the law says."""
    return str(_first_violation(one).get("consequence") or one["consequence"])


def fault_of(one: Plain) -> str:
    """Return in a few words what a target does that breaks this law; files of earlier versions do not say."""
    said = _first_violation(one).get("fault") or one.get("fault")
    return printable(said or f"the law {one['name']} is broken")


def event_of(one: Plain) -> str:
    """Return what comes before a law is broken in a run: before this failure, or else what the law says."""
    return printable(_first_violation(one).get("event") or one.get("event", ""))


def _first_violation(one: Plain) -> Plain:
    """Return what was seen first in the smallest case of a broken law; nothing of other laws."""
    seen = (one.get("failure") or {}).get("violations") or [{}]
    first: Plain = seen[0]
    return first


def shown_case(failure: Plain) -> Plain:
    """Return the case that the message and the picture of a failure are of."""
    case: Plain = failure["realistic_case"] if failure.get("shown") else failure["case"]
    return case


def detail_of(failure: Plain) -> str:
    """Return the traceback of a failure, or what else was seen of it line by line; often nothing."""
    return str((failure.get("shown") or (failure["violations"] or [{"detail": ""}])[0])["detail"])


def describe_advice(one: Plain) -> str:
    """Return what a law advises, in sentences; of what only a strict run counts also the case."""
    advised, advice = one.get("advised"), one["advice"]
    told = []
    if advised:
        first = advised["violations"][0]
        told += [sentence(first["found"]), f"Case {advised['id']}, strict.", sentence(first["hint"])]
    if advice and not (advised and advice.get("grade") == "strict"):
        told += [sentence(advice["found"]), sentence(advice["hint"])]
    return " ".join(filter(None, told))


def list_unjudged(report: Plain) -> Iterator[str]:
    """Say of the laws that hold, by the reason, in how many cases the target left them nothing to judge."""
    codes: dict[str, list[str]] = {}
    for one in report["results"]:
        if one["outcome"] == "holds" and one["reason"]:
            codes.setdefault(one["reason"], []).append(one["code"])
    for reason, laws in codes.items():
        yield f"{reason}; in all others {', '.join(laws)} {'hold' if len(laws) > 1 else 'holds'}"


def unit_of(report: Plain) -> str:
    """Return what a report counts: the cases of a run, or the epochs of a training job."""
    return "epochs" if report["kind"] == "history" else "cases"


def tally(reports: Iterable[Plain]) -> Counter[Standing]:
    """Return how many results of all reports come to what."""
    return Counter(standing_of(report, one) for report in reports for one in report["results"])


def troubles(report: Plain) -> Iterator[tuple[Standing, str]]:
    """Yield what is wrong with a run beyond its laws."""
    if report["interrupted"]:
        yield Standing.UNKNOWN, "interrupted: the report says what was known until then"
    baseline = report.get("baseline") or {}
    for line in baseline.get("stale", ()):
        yield Standing.BROKEN, f"stale: {line}"
    for line in baseline.get("undecided", ()):
        yield Standing.UNKNOWN, line


class Mark(NamedTuple):
    """The class that gives something its colour, and the sign that says the same without."""

    look: str
    sign: str


NONE = "\N{EN DASH}"
MARKS = {
    Standing.HOLDS: Mark("holds", "✓"),
    Standing.BROKEN: Mark("broken", "✕"),
    Standing.KNOWN: Mark("known", "✕"),
    Standing.UNKNOWN: Mark("unknown", "?"),
    Standing.NOT_APPLICABLE: Mark("aside", NONE),
    Standing.SKIPPED: Mark("aside", NONE),
}


class RunVerdict(NamedTuple):
    """What runs come to by their exit code: how a page, a summary and a badge show it."""

    code: int
    mark: Mark
    word: str
    title: str
    colour: str


_VERDICTS = (
    RunVerdict(INTERRUPTED, Mark("unknown", "!"), "Interrupted", "interrupted", "orange"),
    RunVerdict(BROKEN, MARKS[Standing.BROKEN], "Broken", "BROKEN", "red"),
    RunVerdict(UNDECIDED, MARKS[Standing.UNKNOWN], "Undecided", "undecided", "yellow"),
    RunVerdict(HOLDS, MARKS[Standing.HOLDS], "No law is broken", "every law holds", "brightgreen"),
    RunVerdict(NOTHING, Mark("unknown", NONE), "Nothing to check", "nothing to check", "lightgrey"),
)
"""The worst first."""


def verdict(reports: Iterable[Plain]) -> RunVerdict:
    """Return what all reports together come to; the worst wins."""
    codes = {exit_code(report) for report in reports}
    return next((one for one in _VERDICTS if one.code in codes), _VERDICTS[-1])


class PageVerdict(NamedTuple):
    """A word with its mark, and what is claimed by it."""

    mark: Mark
    word: str
    claim: str


def describe_verdict(report: Plain, *, is_brief: bool = False) -> PageVerdict:
    """Return the verdict that the exit code of a run stands for; where it is brief, in fewer numbers."""
    what = verdict([report])
    return PageVerdict(what.mark, what.word, " ".join(_claims(report, is_brief=is_brief)))


def _claims(report: Plain, *, is_brief: bool) -> list[str]:
    counts = tally([report])
    judged = sum(counts[one] for one in (Standing.HOLDS, Standing.BROKEN, Standing.KNOWN, Standing.UNKNOWN))
    broken, known, unknown = (counts[one] for one in (Standing.BROKEN, Standing.KNOWN, Standing.UNKNOWN))
    claims = ["What follows is what was known until then."] if report["interrupted"] else []
    if report.get("shard"):
        shard = Shard.from_dict(report["shard"])
        claims.append(f"{shard.text[0].upper()}{shard.text[1:]} alone, a part of the cases.")
    if broken:
        held, undecided = counts[Standing.HOLDS], f", {unknown} could not be checked" if unknown else ""
        holds = f", {held} {'holds' if held == 1 else 'hold'}" if held else ""
        of_checked = f"{broken} of {pluralise(judged - unknown, 'law')} broken."
        claims.append(of_checked if is_brief else f"{pluralise(broken, 'law')} broken{holds}{undecided}.")
    if (report.get("baseline") or {}).get("stale"):
        claims.append("The baseline is stale: a failure that it holds does not fail any more.")
    if unknown and not broken:
        claims.append(f"{unknown} of {pluralise(judged, 'law')} could not be checked.")
    if not judged:
        claims.append("No law has judged this target.")
    if not claims:
        also = f", {pluralise(known, 'known failure')} aside" if known else ""
        cases = sum(one["cases"] for one in report["tried"])
        where = f"{cases:,} {unit_of(report)}"
        claims.append(f"{pluralise(judged, 'law')} held in the {where} below{also}. It is not a proof.")
    return claims
