"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samplercheck.reports.headline import verdict_lines
from samplercheck.reports.mistake_block import (
    LENGTHY,
    THAT_CONTRACT,
    Beside,
    head_of,
    labelled,
    mistake_block,
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
from samplercheck.reports.proposed import describe_proposal, list_hidden, name_fault, name_harm, tell_seen
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
NARROWEST, NARROW, WIDEST = 72, 80, 120


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns."""
    text_width = width - 2
    verdict = verdict_of(report)
    mistakes, head = [*verdict.found], verdict_lines(verdict.above_blocks, width=text_width)
    foot = _list_foot(report, text_width, verdict)
    room = SCREEN - len(head) - len(foot) - 2
    most = max(LEAST_BLOCK, room) if len(mistakes) == 1 else MOST_BLOCK
    hanging = [
        one.lead
        for one in mistakes
        if not may_be_meant(report, one) and one.lead["code"] in proposal_of(report)["found"]
    ]
    hidden = [one for one in list_hidden(report) if one not in hanging][:MOST_BLOCKS]
    first, retold = () if verdict.comes_first else mistakes[:1], {one["code"] for one in hidden}
    mistakes = [one for one in mistakes if one in first or one.lead["code"] not in retold]
    told = _choose(report, mistakes)
    above, attempt = " ".join(" ".join(head).split()), say_what_fix_does(report, verdict.attempt)
    blocks = [
        mistake_block(one, Beside.of(report, one, "" if at else attempt), text_width, most, above)
        for at, one in enumerate(told)
    ]
    at = 0 if verdict.comes_first else 1
    blocks[at:at] = [_tell_hidden(report, one, text_width) for one in hidden]
    left = [one for one in mistakes if one not in told]
    named = [
        line for one in left for line in head_of(one.lead, name_terms(report, one), text_width, rest=one.rest)
    ]
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    named += [line for one in bare for line in head_of(one, "", text_width)]
    named += _name_that_contract(report, named, above, text_width)
    parts = [head, *blocks, *([named] if named else []), foot]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts)


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


def _tell_hidden(report: Plain, one: Plain, width: int) -> list[str]:
    """Return what was seen of a law that is broken under the proposed contract alone, and where to look."""
    proposal, code = proposal_of(report), one["code"]
    standing = f"broken with --contract {printable(proposal['words'])}"
    return [
        *head_of(one, "", width, standing, (name_fault(report, one), name_harm(report, one))),
        *(line for label, text in tell_seen(report, code) for line in labelled(label, text, width, LENGTHY)),
        *labelled(hint_label(""), advise(proposal["hints"].get(code, ""), report), width, LENGTHY),
        *labelled("more", name_more(one), width),
    ]


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
    return row(label, printable(text), indent=0, column=COLUMN, width=width, most=most)


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
