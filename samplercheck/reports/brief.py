"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from samplercheck.reports.brevity import drop_sentences
from samplercheck.reports.headline import verdict_lines
from samplercheck.reports.mistake_block import (
    IN_WORDS,
    KEEP_PICTURE,
    LENGTHY,
    STEPS,
    THAT_CONTRACT,
    Beside,
    excused_block,
    fitting,
    head_of,
    labelled,
    line_of,
    mistake_block,
    say_terms,
)
from samplercheck.reports.mistakes import (
    Mistake,
    is_harmless,
    is_settled,
    list_harms,
    may_be_meant,
    name_terms,
)
from samplercheck.reports.naming import COLUMN, name_more, name_unseeded, say_what_fix_does
from samplercheck.reports.proposed import (
    describe_proposal,
    list_untold,
    name_fault,
    name_followers,
    name_harm,
    tell_seen,
)
from samplercheck.reports.remedy import advise, name_contract
from samplercheck.reports.standing import Plain, exit_code, list_unjudged, proposal_of, unit_of
from samplercheck.reports.terminal import chance, list_baseline
from samplercheck.reports.undecided import list_undecided, name_laws
from samplercheck.reports.verdict import Verdict, verdict_of
from samplercheck.values.layout import cut, hint_label, printable, row
from samplercheck.values.wording import pluralise

SCREEN = 40
LEAST_BLOCK = 15
MOST_BLOCK = 28
MOST_BLOCKS = 3
MOST_REASONS = 3
MOST_NOTES = 2
EVEN_SO = "even if meant, {}"
NARROWEST, NARROW, WIDEST = 72, 80, 120


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns.

    What does not fit on a screen is said in fewer lines, the later mistakes first.
    """
    verdict = verdict_of(report)
    screens: dict[Terseness, str] = {}
    for terse in Terseness:
        parts = _list_parts(report, verdict, width - 2, terse)
        screens[terse] = "\n\n".join("\n".join(map(str.rstrip, part)) for part in parts)
        if screens[terse].count("\n") < SCREEN:
            return screens[terse]
    # Where it does not fit anyway, the first mistake is told in full.
    return screens[Terseness.LATER_IN_FEWER_WORDS]


class Terseness(IntEnum):
    """How much is left out of a first screen: nothing, or more and more of what comes later."""

    WHOLE = 0
    NAMED_IN_LINES = 1
    LATER_IN_SHORT = 2
    LATER_IN_FEWER_WORDS = 3
    ALL_IN_FEWER_WORDS = 4


def _list_parts(report: Plain, verdict: Verdict, width: int, terse: Terseness) -> list[list[str]]:
    """Return the paragraphs of a first screen: the verdict, the blocks, other mistakes by name, the end."""
    mistakes, head = [*verdict.found], verdict_lines(verdict.above_blocks, width=width)
    foot = _list_foot(report, width, verdict)
    hanging = [
        one.lead
        for one in mistakes
        if not may_be_meant(report, one) and one.lead["code"] in proposal_of(report)["found"]
    ]
    hidden = [one for one in list_untold(report, mistakes) if one not in hanging][:MOST_BLOCKS]
    first, retold = () if verdict.comes_first else mistakes[:1], {one["code"] for one in hidden}
    mistakes = [one for one in mistakes if one in first or one.lead["code"] not in retold]
    told, above = _choose(report, mistakes), " ".join(" ".join(head).split())
    named = _name_others(report, [one for one in mistakes if one not in told], above, width, terse)
    behind = [_tell_later(report, one, width, terse) for one in told[1:]]
    behind[:0] = [_tell_hidden(report, one, width, terse) for one in hidden]
    rest = [head, *behind, *([named] if named else []), foot]
    left = SCREEN - sum(len(part) + 1 for part in rest)
    is_alone, is_tight = len(verdict.found) == 1, terse == Terseness.ALL_IN_FEWER_WORDS
    most = max(LEAST_BLOCK, left) if is_alone or is_tight else MOST_BLOCK
    is_whole = is_alone or terse < Terseness.LATER_IN_FEWER_WORDS
    steps = STEPS if is_whole else KEEP_PICTURE if is_tight else STEPS[1:]
    attempt = say_what_fix_does(report, verdict.attempt)
    blocks = [
        mistake_block(one, Beside.of(report, one, attempt, also), width, most, above, steps=steps)
        for one, also in [(one, name_followers(report, one.codes, EVEN_SO)) for one in told[:1]]
    ]
    at = len(hidden) if verdict.comes_first else 0
    return [head, *behind[:at], *blocks, *behind[at:], *rest[len(behind) + 1 :]]


def _tell_later(report: Plain, one: Mistake, width: int, terse: Terseness) -> list[str]:
    """Return the block of a mistake behind the first one; how more is told of it stands in the first."""
    beside = Beside.of(report, one, "")
    if terse < Terseness.LATER_IN_SHORT:
        return mistake_block(one, beside, width, MOST_BLOCK, "")
    if terse >= Terseness.LATER_IN_FEWER_WORDS and beside.terms:
        return excused_block(one, beside.terms, width)
    beside = beside._replace(more=beside.page or beside.more, page="")
    is_long = terse >= Terseness.LATER_IN_FEWER_WORDS
    most, steps = (LEAST_BLOCK, (*KEEP_PICTURE[-1:], IN_WORDS)) if is_long else (MOST_BLOCK, KEEP_PICTURE)
    return mistake_block(one, beside, width, most, "", steps=steps)


def fit_width(columns: int) -> int:
    """Return how wide text on a terminal of this many columns is to be, as far as it is easy to read."""
    return min(WIDEST, max(NARROWEST, columns))


def index_line(report: Plain, *, width: int = NARROW) -> str:
    """Return the line of one target among several: the verdict and what happens in training."""
    verdict = verdict_of(report)
    words = ", ".join(list_harms(verdict.found)) or verdict.claim.partition(". ")[0].rstrip(".")
    target = cut(verdict.target.partition(" in ")[0], (width - COLUMN) // 2)
    return row(verdict.word, f"{target}  {words}", indent=0, column=COLUMN, width=width, most=1)[0].rstrip()


def _choose(report: Plain, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes that get a block: the first, and those that no proposed contract settles.

    Where that is one alone, also the first that loses or repeats data, or lets ranks wait, if not meant.
    """
    told = [one for one in mistakes if one is mistakes[0] or not is_settled(report, one)][:MOST_BLOCKS]
    if not told:
        return []
    doubted = [one for one in mistakes if one not in told and not is_harmless(report, one)]
    return told if len(told) > 1 or is_settled(report, told[0]) else [*told, *doubted[:1]]


def _tell_hidden(report: Plain, one: Plain, width: int, terse: Terseness) -> list[str]:
    """Return what was seen of a law that is broken under the proposed contract alone, and where to look."""
    proposal, code = proposal_of(report), one["code"]
    standing = f"broken with --contract {printable(proposal['words'])}"
    return [
        *head_of(one, "", width, standing, (name_fault(report, one), name_harm(report, one))),
        *(line for label, text in tell_seen(report, code) for line in fitting(label, text, width, LENGTHY)),
        *labelled("also", name_followers(report, {code}, f"{{}}: follows from {code}"), width),
        *fitting(hint_label(""), advise(proposal["hints"].get(code, ""), report), width, LENGTHY),
        *labelled("more", name_more(one) if terse < Terseness.LATER_IN_SHORT else "", width),
    ]


def _name_others(
    report: Plain, left: Sequence[Mistake], above: str, width: int, terse: Terseness
) -> list[str]:
    """Return the mistakes that have no block, and the contract that some of them are none under."""
    terms = {one.lead["code"]: name_terms(report, one) for one in left}
    excused = [one for one in left if terms[one.lead["code"]]]
    are_together = terse >= Terseness.NAMED_IN_LINES and len(excused) > 1
    lines = []
    for one in sorted(left, key=lambda one: are_together and one in excused):
        in_line = terse >= Terseness.NAMED_IN_LINES and (are_together or one not in excused)
        named = line_of(one.lead, one.rest, width) if in_line else None
        lines += named or head_of(one.lead, terms[one.lead["code"]], width, rest=one.rest)
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    if are_together:
        lines.append(say_terms(f"These {len(excused)} hold", report["proposal"]["words"], width))
    lines += [line for one in bare for line in head_of(one, "", width)]
    return [*lines, *_name_that_contract(report, lines, above, width)]


def _name_that_contract(report: Plain, named: Sequence[str], above: str, width: int) -> list[str]:
    """Return the proposed contract where lines speak of it and the head had no room for it."""
    if not any(line.endswith(THAT_CONTRACT) for line in named):
        return []
    is_said = report["proposal"]["words"] in above.replace(" ", "")
    text = "" if is_said else describe_proposal(report, is_brief=True)
    return row("if meant", text, indent=0, column=COLUMN, width=width)


def _list_foot(report: Plain, width: int, verdict: Verdict) -> list[str]:
    """Return what could not be checked, what was left out, and how the run ended.

    Where nothing is broken, also what was tried and what was not: that is then what the run says. The verdict
    has given the first reason for which laws are undecided.
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
    lines += _fact("advice", verdict.advice if mistakes else "", width)
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
