"""Headline: the verdict on a run as at most seven lines of text; it says what breaks, where and what to do.

Shown above all else on a terminal, by pytest and by ``samplercheck fix``; its rows on pages, which wrap
lines by themselves. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from samplercheck.reports.brevity import SHORTENED, drop_sentences
from samplercheck.reports.first_line import IF_MEANT, head_lines, place
from samplercheck.reports.mistake_words import WITH_CONTRACT
from samplercheck.reports.mistakes import HARMS
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.occurrence import DIVIDED
from samplercheck.reports.proposed import STAYS
from samplercheck.reports.remedy import PLACES
from samplercheck.reports.verdict import FOR_THAT, UNLESS_MEANT, Verdict
from samplercheck.reports.whens import names_kind, say_when_in_fewer_words
from samplercheck.values.layout import row

MOST_LINES = 7
UNBOUND = 100_000
DOTS = "..."
CONTRACTS = ("seems", "if meant")
WHOLE = (*CONTRACTS, "more", "advice", "not tried")
"""What is of no use where it is cut."""
_FLAG = re.compile(r"--contract [^\s;]+")
_CODES, _FAULT = re.compile(r"\bSC\d+\b"), re.compile(r"^[^:]+: (.+) \(\w+\)$")


def verdict_lines(verdict: Verdict, *, width: int) -> list[str]:
    """Return the verdict as at most seven lines of text; what to do about it is in them, if only in part."""
    head = head_lines(verdict, width)
    room = MOST_LINES - len(head)
    rows: list[tuple[str, list[str]]] = []
    surplus = 0
    for one, most in _shorten(verdict, _room_for_words(verdict, width), width):
        rows = [(label, _fit(label, text, width, most.get(label))) for label, text in one.rows]
        surplus = sum(len(lines) for _, lines in rows) - room
        is_whole = not any(label in CONTRACTS and lines[-1].endswith(DOTS) for label, lines in rows)
        if surplus <= 0 and is_whole:
            break
    told = [number for number, (label, _) in enumerate(rows) if label in PLACES]
    for number in told[:1] if surplus < 0 else ():  # where to look says little without what was seen there
        label, lines = rows[number]
        rows[number] = label, _fit(label, one.rows[number][1], width, len(lines) - surplus)
        surplus += len(rows[number][1]) - len(lines)
    surplus += _add_what_stays(rows, verdict, width, -surplus, is_brief=one.seems == verdict.declares)
    if surplus < 0 and verdict.untried and not one.untried:
        rows.append(("not tried", _fit("not tried", verdict.untried, width, 1)))
    while surplus > 0 and len(rows) > 1 and rows[-1][0] in WHOLE:
        surplus -= len(rows.pop()[1])
    if surplus < 0 and verdict.mistakes[1:] and not any(label == "and" for label, _ in rows):
        rows.append(("and", _fit("and", verdict.fewer[-1][-1], width, 1)))
    rows = _tell_hang(rows, verdict, width)
    kept = [*_keep_whole(_show_seen(rows, verdict, width, is_roomy=surplus < 0), room)]
    if not any(label in CONTRACTS for label, _ in kept):  # no count of what stays without its contract
        head = head_lines(replace(verdict, claim=IF_MEANT.sub("", verdict.claim)), width)
    return [*head, *(line for _, lines in kept for line in lines)]


def verdict_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Return what stands below the first of these lines where none is wrapped or cut."""
    lines = verdict_lines(verdict, width=UNBOUND)[len(head_lines(verdict, UNBOUND)) :]
    return [(line[:COLUMN].strip(), line[COLUMN:]) for line in lines]


def _add_what_stays(
    rows: list[tuple[str, list[str]]], verdict: Verdict, width: int, room: int, *, is_brief: bool
) -> int:
    """Add what stays broken under the proposed contract, unless it is said; return the number of lines."""
    at = next((place for place, (label, _) in enumerate(rows) if label == "if meant"), len(rows))
    says_so = any(label == "even so" or STAYS.search(" ".join(lines)) for label, lines in rows)
    if room > 0 and is_brief and verdict.remains and at < len(rows) and not says_so:
        rows.insert(at + 1, ("even so", _fit("even so", verdict.remains, width, 1)))
        return 1
    told = " ".join(line.strip() for label, lines in rows if label == "and" for line in lines)
    still = "; ".join(one for one in verdict.still.split("; ") if _FAULT.sub(r"\1", one) not in told)
    others = {*_CODES.findall(still)}.difference(*(one.codes for one in verdict.found[:1]))
    if room > 0 and others and not any(label in CONTRACTS for label, _ in rows):
        named = _FLAG.search(f"{verdict.declares} {verdict.seems}")
        under = f"with {named[0]}" if named else WITH_CONTRACT
        rows.append(("and", _fit("and", f"even {under}, {still}", width, room)))
        return len(rows[-1][1])
    return 0


def _tell_hang(
    rows: list[tuple[str, list[str]]], verdict: Verdict, width: int
) -> list[tuple[str, list[str]]]:
    """Return the rows with another mistake that lets a job hang, which comes before what may be meant."""
    told = " ".join(line for _, lines in rows for line in lines)
    later = [text for text in next(iter(verdict.fewer), ())[1:] if text.startswith(HARMS[0])]
    aside = next((label for label in ("even so", "if meant") if any(one == label for one, _ in rows)), "")
    if not later or HARMS[0] in told or not aside:
        return rows
    room = sum(len(lines) for label, lines in rows if label == aside)
    return [*(one for one in rows if one[0] != aside), ("and", _fit("and", later[0], width, room))]


def _show_seen(
    rows: list[tuple[str, list[str]]], verdict: Verdict, width: int, *, is_roomy: bool
) -> list[tuple[str, list[str]]]:
    """Return the rows with what was seen if a line is left for it, and without it where it would be cut."""
    example = "" if verdict.comes_first else verdict.example  # what is told first has been seen otherwise
    seen = _fit("found", example, width, 1) if example else []
    if is_roomy and seen and rows[0][0] == "training" and not any(label == "found" for label, _ in rows):
        rows.insert(1, ("found", seen))
    return [row for row in rows if row[0] != "found" or not row[1][-1].endswith(DOTS)]


def _keep_whole(rows: Iterable[tuple[str, list[str]]], room: int) -> Iterator[tuple[str, list[str]]]:
    """Yield as much of some rows as there is room for; nothing of those that are of no use where cut."""
    for label, lines in rows:
        if room and (len(lines) <= room or label not in WHOLE):
            yield label, lines[:room]
            room -= min(room, len(lines))


def _room_for_words(verdict: Verdict, width: int) -> dict[str, int]:
    """Return how many lines are enough to say what was seen, and when, without cutting a word of sense."""
    seen = (verdict.example, *SHORTENED["found"](verdict.example))
    room = {"found": 1 if _choose_fitting(seen, width, 1) else 2}
    return room | ({"when": 1} if _choose_fitting(say_when_in_fewer_words(verdict.when), width, 1) else {})


def _room_for_remedy(verdict: Verdict, width: int) -> dict[str, int]:
    """Return that what to do gets a line, if it can be said in one."""
    label, text = verdict.remedy
    return {label: 1} if _choose_fitting((text, *drop_sentences(text)), width, 1) else {}


def _fit(label: str, text: str, width: int, most: int | None) -> list[str]:
    """Return a row in as many lines at most, of fewer words or sentences where these are whole."""
    shorten = SHORTENED.get(label, drop_sentences)
    fitting = _choose_fitting((text, *shorten(text)), width, most) if most else ""
    return row(label, fitting or text, **place(width), most=most)


def _choose_fitting(texts: Iterable[str], width: int, most: int) -> str:
    """Return the first of some texts that takes so many lines at most, or nothing."""
    return next((one for one in texts if len(row("", one, **place(width))) <= most), "")


def _shorten(verdict: Verdict, usual: dict[str, int], width: int) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict in fewer and fewer words, with the most lines that some rows may have.

    What was seen and when get as many lines as they need, which is ``usual``. The cause gives way first, so
    that a line of code is not cut; then other mistakes, and what was not tried. What breaks, when, where and
    what to do stay to the end, each in a line if need be.
    """
    bare = _leave_out_cause(verdict)
    fewer = [replace(bare, mistakes=mistakes) for mistakes in verdict.fewer]
    if verdict.is_aside:
        fewer += [replace(one, seems="") for one in fewer]
    yield from _shorten_first(verdict, usual, width)
    yield from ((one, usual) for one in fewer)
    if verdict.untried:
        yield from _shorten(replace(verdict, untried=""), usual, width)
        return
    last = replace([bare, *fewer][-1], more="")
    meant = replace(last, seems=verdict.declares if last.seems else "")
    yield last, usual
    yield from ((one, {**usual, "and": 1}) for one in (last, meant))
    counted = [replace(one, seems=verdict.declares) for one in fewer if one.seems]
    counted += [replace(one, example="") for one in counted]
    for room in ({"if meant": 1}, {**_room_for_remedy(bare, width), "if meant": 2}):
        yield from ((one, {**usual, "and": 1, **room}) for one in counted)
    yield from _shorten_on(meant, {**usual, "and": 1})


def _leave_out_cause(verdict: Verdict) -> Verdict:
    """Return a verdict that says of the first mistake no more than what, when, where and what to do."""
    placed = replace(verdict, advice="", line=verdict.place, also="")
    return replace(placed, cause="") if placed.remedy[1] else placed


def _shorten_first(
    verdict: Verdict, usual: dict[str, int], width: int
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict that still says of each mistake what to do."""
    bare, brief = _leave_out_cause(verdict), replace(verdict, advice="")
    placed, short = replace(brief, line=verdict.place), replace(bare, also=verdict.also)
    whole = replace(short, line=verdict.line) if DOTS in verdict.place else placed
    caused = [replace(one, also="") for one in (brief, whole, placed)]
    told = replace(bare, more="", seems=verdict.declares if verdict.seems else "")
    yield from ((verdict, {}), (brief, {}), (brief, {"found": 2}))
    yield from ((one, usual) for one in (brief, *caused, short, bare))
    briefly = {**usual, **_room_for_remedy(bare, width)}
    others = (bare, told, replace(told, example="")) if verdict.mistakes[1:] else ()
    yield from ((one, briefly | room) for one in others for room in ({}, {"if meant": 1}))
    rooms = ({"and": 1}, {"and": 1, "if meant": 1}, {"and": 1, "when": 1})
    yield from ((one, briefly | room) for one in others[-1:] for room in rooms)


def _shorten_on(verdict: Verdict, usual: dict[str, int]) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict that has lost what it can do without in fewer and fewer words yet."""
    yield verdict, usual
    if verdict.comes_first and verdict.seen[2:]:  # the line that decides it says more than what was seen
        verdict = replace(verdict, seen=verdict.seen[1:])
        yield from ((verdict, usual), (verdict, {**usual, "when": 1}))
    if verdict.remedy[0] == "fix":
        verdict = replace(verdict, example="")
        yield from ((verdict, usual), (verdict, {**usual, "if meant": 3}))
    if verdict.hangs:
        yield verdict, {**usual, "if meant": 1}
        verdict = replace(verdict, seems="")
        yield verdict, usual
    dealt_with = (verdict.remedy[0], verdict.after[0], FOR_THAT)
    two, one_line = (dict.fromkeys(dealt_with, lines) for lines in (2, 1))
    yield from ((verdict, {**usual, **two, "when": room}) for room in (2, 1))
    yield verdict, {**usual, **two, "when": 1, "seems": 1, "training": 1}
    if verdict.is_sure and verdict.seems and verdict.mistakes[1:]:  # what to do about it comes before these
        yield from _leave_out_others(verdict, usual, two, one_line)
    if verdict.seems and verdict.mistakes[1:] and verdict.remedy[0] != "fix":
        yield replace(verdict, remedy=("fix", "")), {**usual, "when": 1}
    bare = {**two, "found": 1, "and": 1, "when": 1}
    # A fix was tested; where to look is said in full below.
    told = ({"seems": 1, "training": 1}, {}, *([one_line] if verdict.remedy[0] != "fix" else []))
    yield from ((verdict, bare | more) for more in told)
    if verdict.seems and verdict.mistakes[0].startswith(UNLESS_MEANT):  # in no other row is it said as what
        yield replace(verdict, example="", remedy=("look at", "")), {**usual, "when": 1}
    yield from _shorten_alone(replace(verdict, mistakes=verdict.mistakes[:1]), two, one_line)


def _shorten_alone(
    alone: Verdict, two: dict[str, int], one_line: dict[str, int]
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict on the first mistake alone, whose claim has counted the others, in few words."""
    few = {"when": 1, **two, "where": 1, "found": 1}
    yield from ((alone, few | more) for more in ({"seems": 1, "training": 1}, {"seems": 2}))
    last_words = {"when": 1, **one_line, "training": 1, "even so": 1, "where": 1, "found": 1, "seems": 2}
    yield from ((alone, {**last_words, "if meant": lines}) for lines in (2, 1))
    # What was seen stands in its block as well.
    unseen = replace(alone, seen=tuple(row for row in alone.seen if row[0] != "found"))
    # What no single epoch shows, a line of code does not tell either.
    placed = replace(alone, line="") if names_kind(alone.when) else replace(alone, when="")
    fewer = (unseen, replace(alone, example=""), placed, replace(placed, still=""))  # it has its own block
    yield from ((one, {**last_words, "if meant": 2}) for one in fewer)
    yield unseen, {**last_words, "seems": 2}  # without its contract it says nothing


def _leave_out_others(
    verdict: Verdict, usual: dict[str, int], two: dict[str, int], one_line: dict[str, int]
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict on the first mistake alone, of which a contract excuses nothing."""
    sure = replace(verdict, mistakes=verdict.mistakes[:1])
    unseen = replace(sure, example="")
    if DIVIDED in verdict.when:  # what hides behind the contract has a block of its own
        yield replace(unseen, still=""), {**usual, **one_line, "when": 2}
    yield from ((one, {**usual, **two, "when": 1}) for one in (sure, unseen))
    yield unseen, {**usual, **one_line, "when": 1, "even so": 1}
