"""Foot of the first screen: what could not be checked, what was left out, and how the run ended.

Made for ``brief``, from the plain data of a report. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samplercheck.reports.brevity import drop_sentences
from samplercheck.reports.mistake_words import list_undecided, name_advice, name_laws
from samplercheck.reports.naming import COLUMN, name_unseeded
from samplercheck.reports.remedy import name_contract
from samplercheck.reports.standing import Plain, exit_code, list_unjudged, unit_of
from samplercheck.reports.terminal import chance, list_baseline
from samplercheck.reports.verdict import Verdict
from samplercheck.values.layout import cut, printable, row
from samplercheck.values.wording import pluralise

MOST_REASONS = 3
MOST_NOTES = 2


def list_foot(report: Plain, width: int, verdict: Verdict, *, is_list: bool) -> list[str]:
    """Return what could not be checked, what was left out, and how the run ended.

    Where nothing is broken, also what was tried and what was not: that is then what the run says. The verdict
    has given the first reason for which laws are undecided. Beside what ``is_list`` advice has a line.
    """
    mistakes, unit = verdict.found, unit_of(report)
    undecided = list_undecided(report)[not mistakes :]
    lines = [*_list_undecided(report, undecided, width), *list_baseline(report)]
    skipped = [f"{one['code']}: {one['skipped']}" for one in report["results"] if one["skipped"]]
    lines += _fact("SKIPPED", "; ".join(skipped), width)
    if report["contract"] != "Contract()":
        lines += _fact("contract", name_contract(report["contract"]), width)
    for text in [] if mistakes else list(list_unjudged(report))[:1]:
        lines += _fact("in part", text, width)
    for note in report["notes"][:MOST_NOTES]:
        lines += _fact("note", note, width, most=3)
    advice = name_advice(report, width - COLUMN) if is_list else verdict.advice
    lines += _fact("advice", advice if mistakes else "", width)
    left = len(report["notes"]) - MOST_NOTES
    lines += _fact("note", f"and {left} more" if left > 0 else "", width)
    if any(seen["chance"] for one in mistakes for seen in one.lead["failure"]["violations"]):
        lines += _fact("chance", f"of a false alarm: {chance(report['false_alarm_bound'])}", width)
    lines += _fact("not tried", name_unseeded(report) if mistakes else "", width)
    if not mistakes:
        lines += _fact("tried", _describe_tried(report["tried"], unit), width)
        lines += _fact("not tried", "; ".join(report["not_tried"]), width)
    ending = f"{report['seconds']:.1f} s  seed {report['seed']}  exit {exit_code(report)}"
    cases = f"{sum(one['cases'] for one in report['tried']):,} {unit} tried"
    left_out = f", {pluralise(len(report['not_tried']), 'thing')} not tried" if report["not_tried"] else ""
    return [cut(line, width) for line in (*lines, f"{cases}{left_out} (--verbose)  {ending}")]


def _fact(label: str, text: str, width: int, most: int = 2) -> list[str]:
    """Return a row of the foot, in whole parts: of a list, those that have room; --verbose has all."""
    place = {"indent": 0, "column": COLUMN, "width": width}
    parts = printable(text).split("; ")
    fewer = ["; ".join(parts[:number]) for number in range(len(parts), 0, -1)]
    told = (row(label, one, **place) for one in (*fewer, *drop_sentences(parts[0])))
    fitting = next((lines for lines in told if len(lines) <= most), None)
    return fitting or row(label, printable(text), **place, most=most)


def _list_undecided(report: Plain, reasons: Sequence[tuple[list[str], str]], width: int) -> Iterator[str]:
    """Yield one line for each reason for which laws are undecided."""
    for codes, why in reasons[:MOST_REASONS]:
        named = name_laws(report, codes)
        yield from row("not checked", f"{named}: {why}", indent=0, column=COLUMN, width=width, most=2)
    left = sum(len(codes) for codes, _ in reasons[MOST_REASONS:])
    yield from row("not checked", f"{left} more" if left else "", indent=0, column=COLUMN, width=width)


def _describe_tried(phases: Sequence[Plain], unit: str) -> str:
    """Say what the first phase tried, and how much the others did."""
    if not phases:
        return "nothing"
    first, *rest = sorted(phases, key=lambda one: one["phase"] == "stored")  # those are few, and known
    done = sum(one["cases"] for one in rest)
    left = sum(one["planned"] - one["cases"] for one in phases)
    more = f"; {done:,} {'larger or longer ones' if unit == 'cases' else 'more'}" if done else ""
    return f"{first['cases']:,} {unit}: {first['scope']}{more}" + (f"; {left:,} were cut" if left > 0 else "")
