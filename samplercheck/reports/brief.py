"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from samplercheck.reports.mistakes import MOST_NAMED, Mistake, describe_region, is_settled, list_harms
from samplercheck.reports.standing import (
    consequence_of,
    exit_code,
    fault_of,
    list_unjudged,
    shown_case,
    unit_of,
)
from samplercheck.reports.terminal import chance, list_baseline
from samplercheck.reports.verdict import (
    COLUMN,
    Verdict,
    list_undecided,
    name_laws,
    name_more,
    verdict_lines,
    verdict_of,
)
from samplercheck.values.layout import (
    after_colon,
    case_text,
    cut,
    frame,
    hint_label,
    printable,
    row,
    sentence,
    shorten_place,
)
from samplercheck.values.wording import pluralise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Plain = Mapping[str, Any]

SCREEN = 40
LEAST_BLOCK = 15
MOST_BLOCK = 28
MOST_BLOCKS = 3
MOST_PICTURE = 8
MOST_TRACEBACK = 4
NARROWEST, NARROW, WIDEST = 72, 80, 120
INDENT = 8
LENGTHY = 2
MOST_HARM = 18
FRAME = re.compile(r"^Traceback|:\d+ in ", re.MULTILINE)
MOST_REASONS = 3
MOST_NOTES = 2


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns."""
    text_width = width - 2
    verdict = verdict_of(report)
    mistakes, head = verdict.found, verdict_lines(verdict.above_blocks, width=text_width)
    foot = _foot(report, text_width, verdict)
    room = SCREEN - len(head) - len(foot) - 2
    most = max(LEAST_BLOCK, room) if len(mistakes) == 1 else MOST_BLOCK
    told = [one for one in mistakes if one is mistakes[0] or not is_settled(report, one)][:MOST_BLOCKS]
    attempts = (verdict.attempt, *("" for _ in told))
    blocks = [_block(*both, text_width, most) for both in zip(told, attempts, strict=False)]
    named = [line for one in mistakes if one not in told for line in _head(one.lead, text_width)]
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    named += [line for one in bare for line in _head(one, text_width)]
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


def _block(mistake: Mistake, attempt: str, width: int, most: int) -> list[str]:
    """Return the block in the most lines that fit: sentences are cut first, then the picture."""
    one = mistake.lead
    lines: list[str] = []
    for lengthy, drawn in ((3, MOST_PICTURE), (2, MOST_PICTURE), (2, 6), (2, 4), (1, 6), (1, 0)):
        picture = _picture(one["failure"], drawn, width)
        lines = [
            *_head(one, width),
            *_row("found", sentence(one["failure"]["message"]), width, lengthy),
            *(["", *picture, ""] if picture else []),
            *_explain(mistake, width, lengthy),
            *_row("try", attempt, width),
        ]
        if len(lines) <= most:
            break
    return lines


def _row(label: str, text: str, width: int, most: int | None = None) -> list[str]:
    return row(label, text, column=COLUMN, width=width, most=most)


def _head(one: Plain, width: int) -> list[str]:
    """Return what is wrong and what it does to training, with the law that it breaks in the second line."""
    harm = cut(printable(consequence_of(one)), MOST_HARM)
    fault = cut(f"BROKEN  {sentence(fault_of(one)).rstrip('.')}", width - MOST_HARM - 2)
    law = cut(printable(f"{one['code']} {one['name']}"), width - INDENT)
    return [f"{fault:<{width - len(harm)}}{harm}", f"{'':<{INDENT}}{law}"]


def _explain(mistake: Mistake, width: int, lengthy: int) -> Iterator[str]:
    """Yield the rows below the picture."""
    one = mistake.lead
    failure, why = one["failure"], mistake.explained
    smallest = f"{case_text(failure['case'])} ({failure['id']})"
    if shown_case(failure) != failure["case"]:
        yield from _row("case", f"{case_text(shown_case(failure))}, drawn above", width, 2)
        yield from _row("smallest", smallest, width, 2)
    else:
        yield from _row("case", smallest, width, 2)
    yield from _row("when", describe_region(failure), width, lengthy)
    line = shorten_place(failure.get("line", ""))
    yield from _row("where", "" if FRAME.search(_detail(failure)) else line, width, max(lengthy, 2))
    yield from _row("cause", after_colon(why["cause"]) if why["cause"] else "", width, lengthy)
    tested = f"tested: {why['evidence']}" if why["evidence"] else ""
    yield from _row("", printable(tested), width, max(1, lengthy - 1))
    yield from _row(hint_label(why["mend"]), sentence(why["hint"]), width, lengthy)
    yield from _row("usual fix", sentence(why.get("usual", "")), width, lengthy)
    yield from _list_rest(mistake, width, MOST_NAMED if lengthy > LENGTHY else 1)
    again = [printable(line) for line in failure.get("again", ())]
    yield from (f"  {'' if number else 'again':<{COLUMN - 2}}{line}" for number, line in enumerate(again))
    more = name_more(one)
    yield from _row("more", more if more not in again else "", width)


def _list_rest(mistake: Mistake, width: int, most: int) -> Iterator[str]:
    """Say what else is wrong for the same cause or because of another law, each with its law and its case.

    Where there are more than ``most``, by their codes: no case is left out.
    """
    codes = {mistake.lead["code"], *(one["code"] for one in mistake.rest)}
    named: dict[str, list[Plain]] = {"for the same cause": []}
    for one in mistake.rest:
        after = one["failure"].get("follows")
        named.setdefault(f"follows from {after}" if after in codes else "for the same cause", []).append(one)
    for words, laws in named.items():
        told = [(fault_of(one), f"{one['code']}, case {one['failure']['id']}") for one in laws]
        texts = (
            [f"{fault} ({law})" for fault, law in told]
            if len(laws) <= most
            else [law for _, law in told]
        )
        yield from _row("also", printable(f"{'; '.join(texts)}: {words}") if laws else "", width)


def _picture(failure: Plain, most: int, width: int) -> list[str]:
    """Return the picture, of a long one the lines that are marked, or else the end of a traceback."""
    if not most:
        return []
    seen = _detail(failure)
    detail = [line for line in seen.splitlines() if line.strip()][-min(most, MOST_TRACEBACK) :]
    if detail and (FRAME.search(seen) or not failure["grid"]):
        return [f"    {frame(line, width - 4)}" for line in detail]
    lines = [printable(line) for line in failure["grid"]]
    return [f"    {cut(line, width - 4)}" for line in _shorten(lines, most)]


def _detail(failure: Plain) -> str:
    """Return the traceback of a failure, or what else was seen of it line by line; often nothing."""
    return str((failure.get("shown") or (failure["violations"] or [{"detail": ""}])[0])["detail"])


def _shorten(lines: list[str], most: int) -> list[str]:
    """Leave lines out that are not marked, those at the end first; dots stand where some are missing."""
    if len(lines) <= most:
        return lines
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("step")), 0)
    marked = [at for at, line in enumerate(lines) if "<-" in line and at > head]
    wanted = [*range(head + 1), *marked, *(at for at in range(len(lines)) if at > head)]
    kept = sorted(list(dict.fromkeys(wanted))[: most - 1])
    return [*(lines[at] for at in kept), *([] if lines[kept[-1]] == "..." else ["..."])]


def _foot(report: Plain, width: int, verdict: Verdict) -> list[str]:
    """Return what could not be checked, what was left out, and how the run ended.

    Where nothing is broken, also what was tried and what was not: that is then what the run says. The verdict
    has given the first reason for which laws are undecided.
    """
    mistakes, unit = verdict.found, unit_of(report)
    undecided = list_undecided(report)[not mistakes :]
    lines = [*_list_undecided(undecided, width), *list_baseline(report)]
    skipped = [f"{one['code']}: {one['skipped']}" for one in report["results"] if one["skipped"]]
    lines += _fact("SKIPPED", "; ".join(skipped), width)
    if report["contract"] != "Contract()":
        lines += _fact("contract", report["contract"], width)
    for text in [] if mistakes else list(list_unjudged(report))[:1]:
        lines += _fact("in part", text, width)
    for note in report["notes"][:MOST_NOTES]:
        lines += _fact("note", note, width, most=3)
    lines += _fact("advice", verdict.advice if mistakes else "", width)
    left = len(report["notes"]) - MOST_NOTES
    lines += _fact("note", f"and {left} more" if left > 0 else "", width)
    if any(seen["chance"] for one in mistakes for seen in one.lead["failure"]["violations"]):
        lines += _fact("chance", f"of a false alarm: {chance(report['false_alarm_bound'])}", width)
    if not mistakes:
        lines += _fact("tried", _describe_tried(report["tried"], unit), width)
        lines += _fact("not tried", "; ".join(report["not_tried"]), width)
    ending = f"{report['seconds']:.1f} s  seed {report['seed']}  exit {exit_code(report)}"
    cases = f"{sum(one['cases'] for one in report['tried']):,} {unit} tried"
    left_out = f", {pluralise(len(report['not_tried']), 'thing')} not tried" if report["not_tried"] else ""
    return [cut(line, width) for line in (*lines, f"{cases}{left_out} (--verbose)  {ending}")]


def _fact(label: str, text: str, width: int, most: int = 2) -> list[str]:
    return row(label, printable(text), indent=0, column=COLUMN, width=width, most=most)


def _list_undecided(reasons: Sequence[tuple[list[str], str]], width: int) -> Iterator[str]:
    """Yield one line for each reason for which laws are undecided."""
    for codes, why in reasons[:MOST_REASONS]:
        named = name_laws(codes)
        yield from row("not checked", f"{named}: {why}", indent=0, column=COLUMN, width=width, most=1)
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
