"""The report on a terminal: failure blocks, the summary of a run, where its time went; from plain data.

Called by the command line, whose process imports neither torch nor numpy; therefore plain data. Pure.
ASCII, 80 columns, no colour: words carry the meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samplercheck.reports.standing import (
    Plain,
    Standing,
    consequence_of,
    describe_advice,
    exit_code,
    fault_of,
    list_unjudged,
    name_versions,
    standing_of,
    unit_of,
)
from samplercheck.values.layout import cut, printable, row, wrap

SCREEN = 80
REASONS = 42
FACTS = 10
MOST_REASON_LINES = 4
LEAST = 0.005
"""What took less is summed up: it would be shown as 0.00 seconds."""
TABLES = (
    ("phase", "phase", "cases", "by the clock; start, end: rest"),
    ("experiment", "experiment", "ranks", "of processor time in this process"),
    ("law", "law", "cases", "of processor time"),
)
COUNTED = {"holds": "hold", "broken": "BROKEN", "unknown": "unknown", "not_applicable": "not applicable"}


def full(report: Plain, *, selected: bool = False, stored: bool = False) -> str:
    """Return every failure block, known failures aside, then the summary.

    Laws that are broken for the same cause share the block of the first, which names the others.
    """
    blocks: list[str] = []
    named: set[str] = set()
    for one in report["results"]:
        if one["failure"] and standing_of(report, one) is not Standing.KNOWN and one["code"] not in named:
            blocks.append(one["failure"]["text"])
            named.update(one["failure"]["also"])
    return "\n\n".join([*blocks, summary(report, selected=selected, stored=stored)])


def summary(report: Plain, *, selected: bool = False, stored: bool = False) -> str:
    """Return what held and what did not, and what was tried and what was not.

    ``selected`` says that not all laws of the profile were asked for, ``stored`` that failing cases
    were kept, so that they can be replayed.
    """
    lines = [verdicts(report), *_facts(report)]
    if stored and any(one["failure"] for one in report["results"]):
        lines += _fact("next", "samplercheck replay    these failures only")
    if report["outcome"] == "holds" and not report["interrupted"]:
        lines += ["", *wrap(f"{_clean(report, selected=selected)} It is not a proof.")]
    return "\n".join([*lines, "", _ending(report)])


def concise(report: Plain) -> str:
    """Return the counts, one line for each law that needs a look, and the ending."""
    return f"{verdicts(report)}\n{_ending(report)}"


def verdicts(report: Plain) -> str:
    """Return the target, the counts, and one line for each law that needs a look."""
    lines = [cut(printable(report["target"]), SCREEN), count_laws(report)]
    if report["interrupted"]:
        lines.append("INTERRUPTED: what follows is what was known until then.")
    remarks = [*_remarks(report["results"]), *list_baseline(report)]
    return "\n".join([*lines, *([""] if remarks else []), *remarks])


def count_laws(report: Plain) -> str:
    """Return how many laws came to what, in one line."""
    ran = [one["outcome"] for one in report["results"] if not one["skipped"]]
    numbers = [f"{ran.count(outcome)} {word}" for outcome, word in COUNTED.items()]
    return "   ".join([*numbers, f"{len(report['results']) - len(ran)} skipped"])


def _remarks(results: list[dict[str, Any]]) -> Iterator[str]:
    """One entry for each law that is broken or undecided, that gives advice or was skipped."""
    for one in results:
        if one["outcome"] == "broken":
            yield _describe_broken(one)
            yield f"        {cut(fault_of(one), SCREEN - 8)}"
    for one in results:
        if one["outcome"] == "unknown":
            yield from _remark("UNKNOWN", one, one["reason"])
    for one in results:
        if one["advice"]:
            yield from _remark("ADVICE", one, describe_advice(one))
    for one in results:
        if one["skipped"]:
            yield from _remark("SKIPPED", one, one["skipped"])


def list_baseline(report: Plain) -> Iterator[str]:
    """Say of a run beside a baseline which failures are no news, and which entries are to go."""
    standing = report.get("baseline", {})
    for code, case in standing.get("known", ()):
        yield f"KNOWN   {printable(code)} in the case {printable(case)}: it still fails"
    for word, label in (("stale", "STALE   "), ("undecided", "UNKNOWN ")):
        for line in standing.get(word, ()):
            yield from row(label.rstrip(), printable(line), indent=0, column=8)


def _describe_broken(one: dict[str, Any]) -> str:
    failure = one["failure"]
    consequence = cut(printable(consequence_of(one)), 16)
    line = f"{_label('BROKEN', one):<41}{consequence:<17}{failure['id']}  "
    if not failure["failing"]:
        return line + ("in larger cases" if failure["world"] == "simulated" else f"in {failure['world']}")
    numbers = f"{failure['failing']} of {failure['tried']}"
    fitting = (text for text in (f"{line}{numbers} cases", line + numbers) if len(text) <= SCREEN)
    return next(fitting, line.rstrip())


def _label(word: str, one: dict[str, Any]) -> str:
    return cut(f"{word:<8}{printable(one['code'])} {printable(one['name'])}", REASONS - 2)


def _remark(word: str, one: dict[str, Any], reason: str) -> list[str]:
    text = printable(" ".join(reason.split())) or "no reason is known"
    return row(_label(word, one), text, indent=0, column=REASONS, most=MOST_REASON_LINES)


def _facts(report: Plain) -> list[str]:
    lines = [""]
    if report["contract"] != "Contract()":
        lines += _fact("contract", report["contract"])
    if report.get("proposal"):
        lines += _fact("seems", printable(report["proposal"]["text"]).removeprefix("Seems "))
    for number, one in enumerate(report["tried"]):
        lines += _fact("" if number else "tried", f"{one['scope']}: {_cases(one, unit_of(report))}")
    for text in list_unjudged(report):
        lines += _fact("in part", text)
    lines += _fact("strict", _say_strict(report["results"]))
    lines += _fact("not tried", "; ".join(report["not_tried"]))
    for note in report["notes"]:
        lines += _fact("note", note)
    lines += _fact("with", name_versions(report))
    lines += [f"chance of a false alarm in this run   {chance(report['false_alarm_bound'])}", f"  {LUCK}"]
    return lines


LUCK = "by luck of orders and draws; not of targets that read the clock, or deadlines"
"""What the chance of a false alarm is about."""


def _say_strict(results: list[dict[str, Any]]) -> str:
    """Say which advice would break the run if it were strict; nothing where none would."""
    codes = [printable(one["code"]) for one in results if one.get("advised")]
    return f"--strict makes laws of the advice on {', '.join(codes)}" if codes else ""


def _fact(label: str, text: str) -> list[str]:
    return row(label, printable(text), indent=0, column=FACTS)


def _cases(tried: dict[str, Any], unit: str) -> str:
    done, planned = tried["cases"], tried["planned"]
    noun = unit[:-1] if planned == 1 else unit
    return f"{done:,} {noun}" if done >= planned else f"{done:,} of {planned:,} {noun}, the rest was cut"


def chance(bound: float) -> str:
    """Return a bound on the chance of a false alarm in words, in two digits."""
    if bound <= 0:
        return "none: nothing was left to chance"
    runs = round(1 / bound)
    rounded = runs // 10 ** max(0, len(str(runs)) - 2) * 10 ** max(0, len(str(runs)) - 2)
    return f"at most 1 in {rounded:,}"


def _clean(report: Plain, *, selected: bool) -> str:
    skipped = any(one["skipped"] for one in report["results"])
    which = "no selected law" if selected else "no law"
    aside = ", apart from the skipped ones," if skipped else ""
    return f"{which} of {report['profile']}{aside} was broken on the {unit_of(report)} above."


def _ending(report: Plain) -> str:
    return f"{report['seconds']:.1f} s    seed {report['seed']}    exit {exit_code(report)}"


def describe_timings(report: Plain) -> str:
    """Return three tables; nothing where the run was not timed."""
    return "\n".join(line for table in TABLES for line in _time_table(report, *table))


def _time_table(report: Plain, kind: str, title: str, calls: str, how: str) -> Iterator[str]:
    rows = [one for one in report.get("timings", ()) if one["kind"] == kind]
    if not rows:
        return
    whole = report["seconds"] if kind == "phase" else sum(one["seconds"] for one in rows)
    yield f"\n{title:<22}{'seconds':>9}{calls:>9}   {how}"
    shown = [one for one in rows if kind == "phase" or one["seconds"] >= LEAST]
    for one in shown:
        yield f"  {printable(one['name']):<20}{one['seconds']:>9.2f}{one['calls']:>9,}"
    left = whole - sum(one["seconds"] for one in shown)
    if left >= LEAST:
        yield f"  {'(rest)':<20}{left:>9.2f}"
    yield f"  {'together':<20}{whole:>9.2f}"
