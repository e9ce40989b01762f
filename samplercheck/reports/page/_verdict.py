"""The verdict of a report in words, and the claim that stands behind it.

Used by the page. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from samplercheck.reports.standing import Standing, tally, verdict
from samplercheck.values.wording import pluralise

if TYPE_CHECKING:
    from collections.abc import Mapping

    Plain = Mapping[str, Any]


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
_WORDS = {
    "holds": (MARKS[Standing.HOLDS], "No law is broken"),
    "broken": (MARKS[Standing.BROKEN], "Broken"),
    "undecided": (MARKS[Standing.UNKNOWN], "Undecided"),
    "interrupted": (Mark("unknown", "!"), "Interrupted"),
    "nothing to check": (Mark("unknown", NONE), "Nothing to check"),
}


class PageVerdict(NamedTuple):
    """A word with its mark, and what is claimed by it."""

    mark: Mark
    word: str
    claim: str


def verdict_of(report: Plain) -> PageVerdict:
    """Return the verdict that the exit code of a run stands for."""
    mark, word = _WORDS[verdict([report])]
    return PageVerdict(mark, word, " ".join(_claims(report)))


def _claims(report: Plain) -> list[str]:
    counts = tally([report])
    judged = sum(counts[one] for one in (Standing.HOLDS, Standing.BROKEN, Standing.KNOWN, Standing.UNKNOWN))
    broken, known, unknown = (counts[one] for one in (Standing.BROKEN, Standing.KNOWN, Standing.UNKNOWN))
    claims = ["What follows is what was known until then."] if report["interrupted"] else []
    if broken:
        claims.append(f"{broken} of {pluralise(judged, 'law')} {'is' if broken == 1 else 'are'} broken.")
    if (report.get("baseline") or {}).get("stale"):
        claims.append("The baseline is stale: a failure that it holds does not fail any more.")
    if unknown and not broken:
        claims.append(f"{unknown} of {pluralise(judged, 'law')} could not be decided.")
    if not judged:
        claims.append("No law has judged this target.")
    if not claims:
        also = f", {pluralise(known, 'known failure')} aside" if known else ""
        cases = sum(one["cases"] for one in report["tried"])
        claims.append(
            f"{pluralise(judged, 'law')} held in the {cases:,} cases below{also}. It is not a proof."
        )
    return claims
