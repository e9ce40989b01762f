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
from samplercheck.reports.proposed import STAYS
from samplercheck.reports.remedy import LABELS, PLACES
from samplercheck.reports.shortening import DOTS, choose_fitting, room_for_words, shorten_verdict
from samplercheck.reports.verdict import Verdict
from samplercheck.values.layout import row

MOST_LINES = 7
UNBOUND = 100_000
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
    for one, most in shorten_verdict(verdict, room_for_words(verdict, width), width):
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
    surplus += _add_place(rows, verdict, width, -surplus)
    while surplus > 0 and len(rows) > 1 and rows[-1][0] in WHOLE:
        surplus -= len(rows.pop()[1])
    if surplus < 0 and verdict.mistakes[1:] and not any(label == "and" for label, _ in rows):
        rows.append(("and", _fit("and", verdict.fewer[-1][-1], width, 1)))
    rows = _tell_hang(rows, verdict, width)
    kept = [*_keep_whole(_show_seen(rows, verdict, width, is_roomy=surplus < 0), room)]
    if not any(label in CONTRACTS for label, _ in kept):  # no count of what stays without its contract
        head = head_lines(replace(verdict, claim=IF_MEANT.sub("", verdict.claim)), width)
    return [*head, *(line for _, lines in kept for line in lines)]


def _add_place(rows: list[tuple[str, list[str]]], verdict: Verdict, width: int, room: int) -> int:
    """Add where to look if it is not meant, where lines are left for that; return the number of lines."""
    label, text = verdict.usual
    at = next((place for place, (name, _) in enumerate(rows) if name == "if meant"), len(rows))
    if room <= 0 or at == len(rows) or label not in PLACES or any(name in LABELS for name, _ in rows):
        return 0
    rows.insert(at, (label, _fit(label, text, width, room)))
    return len(rows[at][1])


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


def _fit(label: str, text: str, width: int, most: int | None) -> list[str]:
    """Return a row in as many lines at most, of fewer words or sentences where these are whole."""
    shorten = SHORTENED.get(label, drop_sentences)
    fitting = choose_fitting((text, *shorten(text)), width, most) if most else ""
    return row(label, fitting or text, **place(width), most=most)
