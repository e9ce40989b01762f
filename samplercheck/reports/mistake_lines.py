"""Lines of the first screen around its blocks: on a mistake, on those that have no block, and the foot.

A mistake has a head, a name in one line, and rows that say a thing in as many lines as fit. The foot says
what could not be checked, what was left out, and how the run ended. From the plain data of a report. Pure,
ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from samplercheck.reports.brevity import SHORTENED, drop_sentences
from samplercheck.reports.mistake_words import list_undecided, name_advice, name_laws
from samplercheck.reports.mistakes import Mistake, name_terms
from samplercheck.reports.naming import COLUMN, name_unseeded
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.proposed import describe_proposal, name_fault, name_harm
from samplercheck.reports.remedy import name_contract
from samplercheck.reports.standing import (
    Plain,
    consequence_of,
    event_of,
    exit_code,
    fault_of,
    list_unjudged,
    proposal_of,
    unit_of,
)
from samplercheck.reports.terminal import chance, list_baseline
from samplercheck.reports.verdict import Verdict
from samplercheck.reports.whens import say_when_in_short
from samplercheck.values.layout import cut, printable, row, sentence, wrap
from samplercheck.values.wording import join_words, pluralise

INDENT, MOST_HARM = 8, 18
THAT_CONTRACT = "with that contract"
HOW_TO_SEE = "Add --select {} for that one alone, --verbose for all in full."
MOST_REASONS = 3
MOST_NOTES = 2


def labelled(label: str, text: str, width: int, most: int | None = None) -> list[str]:
    """Return a row of a block."""
    return row(label, text, column=COLUMN, width=width, most=most)


def fitting(label: str, text: str, width: int, most: int) -> list[str]:
    """Return a row in so many lines at most, in fewer words where these say all in them."""
    shorten = SHORTENED.get(label, drop_sentences)
    words = next((one for one in (text, *shorten(text)) if len(labelled(label, one, width)) <= most), text)
    return labelled(label, words, width, most)


def line_of(one: Plain, rest: Sequence[Plain], width: int) -> list[str]:
    """Return what is wrong in one line, with the laws and what it does to training; in two if it is long."""
    harm = cut(printable(consequence_of(one)), MOST_HARM)
    codes = [one["code"], *(other["code"] for other in rest)]
    laws = [", ".join(codes), f"{codes[0]} and {len(codes) - 1} more"][: len(codes)]
    faults = [printable(f"BROKEN  {sentence(fault_of(one)).rstrip('.')} ({some})") for some in laws]
    fault = next((some for some in faults if len(some) + len(harm) + 2 <= width), "")
    return [f"{fault:<{width - len(harm)}}{harm}"] if fault else head_of(one, "", width, rest=rest)


def head_of(
    one: Plain,
    terms: str,
    width: int,
    standing: str = "",
    said: tuple[str, str] = ("", ""),
    rest: Sequence[Plain] = (),
) -> list[str]:
    """Return what is wrong and what it does to training, with the law that it breaks in the second line.

    ``terms`` are the contract under which that law holds; of others ``standing`` says more, and ``said``
    what is wrong and what it does where the result says otherwise. Of the ``rest`` of a mistake
    without a block, its laws.
    """
    harm = cut(printable(said[1] or consequence_of(one)), MOST_HARM)
    fault = cut(f"BROKEN  {sentence(said[0] or fault_of(one)).rstrip('.')}", width - MOST_HARM - 2)
    standing = f"holds with --contract {terms}" if terms else standing
    others = [f" (also {join_words([other['code'] for other in rest])})", f" (and {len(rest)} more)"]
    laws = [
        _under(printable(", ".join(filter(None, (f"{one['code']} {one['name']}{also}", standing)))), width)
        for also in (others if rest else [""])
    ]
    law = next((line for line in laws if "..." not in line), laws[-1])
    return [f"{fault:<{width - len(harm)}}{harm}", law]


def say_terms(text: str, terms: str, width: int) -> str:
    """Return a line below names of mistakes, with the contract that they are none under."""
    return _under(f"{text} with --contract {printable(terms)}", width)


def _under(text: str, width: int) -> str:
    """Return an indented line; a contract that is too long for it stands above."""
    if len(text) > width - INDENT:
        text = cut(re.sub(r"with --contract .+", THAT_CONTRACT, text, flags=re.DOTALL), width - INDENT)
    return f"{'':<{INDENT}}{text}"


def list_others(
    report: Plain,
    others: tuple[Sequence[Plain], Sequence[Mistake]],
    above: str,
    width: int,
    *,
    in_lines: bool,
    whens: int,
) -> list[str]:
    """Return the mistakes that have no block, and the contract that some of them are none under.

    ``others`` are laws that are broken under that contract alone, and mistakes. ``in_lines`` one line names
    each, of so many another one says when: ``whens``.
    """
    hidden, left = others
    lines = [line for one in hidden for line in head_of_hidden(report, one, width)]
    terms = {one.lead["code"]: name_terms(report, one) for one in left}
    excused = [one for one in left if terms[one.lead["code"]]]
    are_together = in_lines and len(excused) > 1
    for one in sorted(left, key=lambda one: are_together and one in excused):
        in_line = in_lines and (are_together or one not in excused)
        named = line_of(one.lead, one.rest, width) if in_line else None
        lines += named or head_of(one.lead, terms[one.lead["code"]], width, rest=one.rest)
        when = _say_when(one, width) if whens and one not in excused else []
        lines, whens = [*lines, *when], whens - len(when)
    if are_together:
        lines.append(say_terms(f"These {len(excused)} hold", report["proposal"]["words"], width))
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    lines += [line for one in bare for line in head_of(one, "", width)]
    return [*lines, *_name_that_contract(report, lines, above, width)]


def say_how_to_see(code: str, width: int) -> list[str]:
    """Return how to see more of a mistake of this law, and of all."""
    return wrap(HOW_TO_SEE.format(code), indent=INDENT, width=width)


def head_of_hidden(report: Plain, one: Plain, width: int) -> list[str]:
    """Return what is wrong and what it does of a law that is broken under the proposed contract alone."""
    standing = f"broken with --contract {printable(proposal_of(report)['words'])}"
    return head_of(one, "", width, standing, (name_fault(report, one), name_harm(report, one)))


def _say_when(one: Mistake, width: int) -> list[str]:
    """Return when a mistake shows, in the line below it; nothing where no words of it have room there.

    Nor where these are what the name of the mistake says: after what a law can be broken at all.
    """
    text = describe_when(one.lead)
    fitting = (words for words in (text, *say_when_in_short(text)) if 0 < len(words) <= width - INDENT)
    told = next(fitting, "")
    return [f"{'':<{INDENT}}{told}"] if told not in ("", event_of(one.lead)) else []


def _name_that_contract(report: Plain, named: Sequence[str], above: str, width: int) -> list[str]:
    """Return the proposed contract where lines speak of it and the head had no room for it."""
    if not any(line.endswith(THAT_CONTRACT) for line in named):
        return []
    is_said = report["proposal"]["words"] in above.replace(" ", "")
    text = "" if is_said else describe_proposal(report, is_brief=True)
    return row("if meant", text, indent=0, column=COLUMN, width=width)


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
        said = tuple(why.rstrip(".") for _, why in list_undecided(report))
        untold = [one for one in report["not_tried"] if not one.rstrip(".").endswith(said)]
        lines += _fact("not tried", "; ".join(untold), width)
    ending = f"{report['seconds']:.1f} s  seed {report['seed']}  exit {exit_code(report)}"
    done = sum(one["cases"] for one in report["tried"])
    cases = f"{done:,} {unit.removesuffix('s') if done == 1 else unit} tried"
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
