"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.reports.mistakes import Mistake, list_harms, list_mistakes
from samplercheck.reports.standing import consequence_of, exit_code, list_unjudged
from samplercheck.reports.terminal import chance, count_laws, list_baseline
from samplercheck.reports.verdict import (
    describe_region,
    list_advice,
    list_undecided,
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
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Plain = Mapping[str, Any]

SCREEN = 40
LEAST_BLOCK = 15
MOST_BLOCK = 24
MOST_BLOCKS = 3
MOST_PICTURE = 8
MOST_TRACEBACK = 4
NARROWEST, NARROW, WIDEST = 72, 80, 120
COLUMN = 12
FACTS = 12
MOST_REASONS = 3
MOST_NOTES = 2
MOST_NAMED = 4


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns."""
    text_width = width - 2
    head = verdict_lines(verdict_of(report), width=text_width)
    mistakes = list_mistakes(report)
    foot = _foot(report, text_width, is_told=not mistakes)
    room = SCREEN - len(head) - len(foot) - 2
    most = max(LEAST_BLOCK, room) if len(mistakes) == 1 else MOST_BLOCK
    blocks = [_block(mistake, text_width, most) for mistake in mistakes[:MOST_BLOCKS]]
    named = [_head(mistake.lead, text_width) for mistake in mistakes[MOST_BLOCKS:]]
    bare = [one for one in report["results"] if one["outcome"] == "broken" and not one["failure"]]
    named += [cut(printable(f"BROKEN  {one['code']} {one['name']}"), text_width) for one in bare]
    parts = [head, *blocks, *([named] if named else []), foot]
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts)


def fit_width(columns: int) -> int:
    """Return how wide text on a terminal of this many columns is to be, as far as it is easy to read."""
    return min(WIDEST, max(NARROWEST, columns))


def index_line(report: Plain, *, width: int = NARROW) -> str:
    """Return the line of one target among several: the verdict and what happens in training."""
    verdict, mistakes = verdict_of(report), list_mistakes(report)
    words = ", ".join(list_harms(mistakes)) or verdict.claim.partition(". ")[0].rstrip(".")
    told = cut(printable(words), width // 2)
    return f"{verdict.word:<{FACTS}}{cut(verdict.target, width - FACTS - len(told) - 4)}  {told}".rstrip()


def _block(mistake: Mistake, width: int, most: int) -> list[str]:
    """Return the block in the most lines that fit: sentences are cut first, then the picture."""
    one = mistake.lead
    lines: list[str] = []
    for lengthy, drawn in ((3, MOST_PICTURE), (2, MOST_PICTURE), (2, 6), (1, 6), (1, 0)):
        picture = _picture(one["failure"], drawn, width)
        lines = [
            _head(one, width),
            *_row("found", sentence(one["failure"]["message"]), width, lengthy),
            *(["", *picture, ""] if picture else []),
            *_explain(mistake, width, lengthy),
        ]
        if len(lines) <= most:
            break
    return lines


def _row(label: str, text: str, width: int, most: int | None = None) -> list[str]:
    return row(label, text, column=COLUMN, width=width, most=most)


def _head(one: Plain, width: int) -> str:
    case = f"case {one['failure']['id']}"
    law = cut(printable(f"BROKEN  {one['code']} {one['name']}"), width - 34)
    harm = cut(printable(consequence_of(one)), 18)
    return f"{law:<{width - 33}}{harm:<20}{case}"


def _explain(mistake: Mistake, width: int, lengthy: int) -> Iterator[str]:
    """Yield the rows below the picture."""
    failure = mistake.lead["failure"]
    yield from _row("case", case_text(failure["case"]), width, 2)
    yield from _row("fails", describe_region(failure), width, lengthy)
    yield from _row("cause", after_colon(failure["cause"]) if failure["cause"] else "", width, lengthy)
    tested = f"tested: {failure['evidence']}" if failure["evidence"] else ""
    yield from _row("", printable(tested), width, min(lengthy, 2))
    yield from _row(hint_label(failure["mend"]), sentence(failure["hint"]), width, lengthy)
    yield from _list_rest(mistake, width)
    again = [printable(line) for line in failure.get("again", ())]
    yield from (f"  {'' if number else 'again':<{COLUMN - 2}}{line}" for number, line in enumerate(again))


def _list_rest(mistake: Mistake, width: int) -> Iterator[str]:
    """Name the laws that are broken for the same cause or because of another, each with its case.

    Where there are many, without their names: no case is left out.
    """
    codes = {mistake.lead["code"], *(one["code"] for one in mistake.rest)}
    named: dict[str, list[Plain]] = {"broken for the same cause": []}
    for one in mistake.rest:
        after = one["failure"].get("follows")
        words = f"follows from {after}" if after in codes else "broken for the same cause"
        named.setdefault(words, []).append(one)
    for words, laws in named.items():
        parts = ("code", "name") if len(laws) <= MOST_NAMED else ("code",)
        told = [" ".join([*(one[part] for part in parts), one["failure"]["id"]]) for one in laws]
        yield from _row("also", printable(f"{', '.join(told)}: {words}") if laws else "", width)


def _picture(failure: Plain, most: int, width: int) -> list[str]:
    """Return the picture, of a long one the lines that are marked, or else the end of a traceback."""
    if not most:
        return []
    raised = "".join(seen["detail"] for seen in failure["violations"][:1])
    detail = [line for line in raised.splitlines() if line.strip()][-min(most, MOST_TRACEBACK) :]
    if detail:
        return [f"    {frame(line, width - 4)}" for line in detail]
    lines = [printable(line) for line in failure["grid"]]
    return [f"    {cut(line, width - 4)}" for line in _shorten(lines, most)]


def _shorten(lines: list[str], most: int) -> list[str]:
    """Leave lines out that are not marked, those at the end first; dots stand where some are missing."""
    if len(lines) <= most:
        return lines
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("step")), 0)
    marked = [at for at, line in enumerate(lines) if "<-" in line and at > head]
    wanted = [*range(head + 1), *marked, *(at for at in range(len(lines)) if at > head)]
    kept = sorted(list(dict.fromkeys(wanted))[: most - 1])
    return [*(lines[at] for at in kept), *([] if lines[kept[-1]] == "..." else ["..."])]


def _foot(report: Plain, width: int, *, is_told: bool) -> list[str]:
    """Return the counts, what is undecided, what was tried and what was not, and how the run ended.

    Where the verdict says the first reason for which laws are undecided, ``is_told``, the others follow.
    """
    undecided = list_undecided(report)[is_told:]
    lines = [count_laws(report), *_list_undecided(undecided, width), *list_baseline(report)]
    lines += _fact("advice", "" if is_told else list_advice(report), width, most=1)
    for text in list(list_unjudged(report))[:1]:
        lines += _fact("in part", text, width)
    skipped = [f"{one['code']}: {one['skipped']}" for one in report["results"] if one["skipped"]]
    lines += _fact("SKIPPED", "; ".join(skipped), width)
    if report["contract"] != "Contract()":
        lines += _fact("contract", report["contract"], width)
    lines += _fact("tried", _describe_tried(report["tried"]), width)
    lines += _fact("not tried", "; ".join(report["not_tried"]), width)
    for note in report["notes"][:MOST_NOTES]:
        lines += _fact("note", note, width, most=3)
    left = len(report["notes"]) - MOST_NOTES
    lines += _fact("note", f"and {left} more" if left > 0 else "", width)
    lines += _fact("chance", f"of a false alarm: {chance(report['false_alarm_bound'])}", width)
    ending = f"{report['seconds']:.1f} s    seed {report['seed']}    exit {exit_code(report)}"
    return [*(cut(line, width) for line in lines), f"--verbose shows everything    {ending}"]


def _fact(label: str, text: str, width: int, most: int = 2) -> list[str]:
    return row(label, printable(text), indent=0, column=FACTS, width=width, most=most)


def _list_undecided(reasons: Sequence[tuple[list[str], str]], width: int) -> Iterator[str]:
    """Yield one line for each reason for which laws are undecided."""
    for codes, why in reasons[:MOST_REASONS]:
        named = ", ".join(codes) if len(codes) <= MOST_REASONS else f"{len(codes)} laws from {codes[0]} on"
        yield from row("UNKNOWN", f"{named}: {why}", indent=0, column=FACTS, width=width, most=1)
    left = sum(len(codes) for codes, _ in reasons[MOST_REASONS:])
    yield from row("UNKNOWN", f"{left} more" if left else "", indent=0, column=FACTS, width=width)


def _describe_tried(phases: Sequence[Plain]) -> str:
    """Say what the first phase tried, and how much the others did."""
    if not phases:
        return "nothing"
    first, rest = phases[0], phases[1:]
    done = sum(one["cases"] for one in rest)
    left = sum(one["planned"] - one["cases"] for one in phases)
    more = f"; {done:,} larger or longer ones" if done else ""
    return f"{first['cases']:,} cases: {first['scope']}{more}" + (f"; {left:,} were cut" if left > 0 else "")
