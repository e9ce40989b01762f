"""Headline: the verdict on a run as at most seven lines of text; it says what breaks, where and what to do.

Shown above all else on a terminal, by pytest and by ``samplercheck fix``. Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from samplercheck.explain.words import EITHER, NOT_ALWAYS, ONLY
from samplercheck.reports.verdict import COLUMN, FOR_THAT, Verdict
from samplercheck.values.layout import cut, row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_LINES = 7
DOTS = "..."
OTHER_CASES = "other cases"
HEAD_LINES, LONGEST_WORD = 2, 20
WHOLE = ("seems", "if meant", "more", "advice")
"""What is of no use where it is cut."""
_COUNTS = re.compile(rf" \([\d,]+ of [\d,]+[^()]*\)(?=$|, {ONLY} )")
_OF_ALL = re.compile(r"\(([\d,]+ of [\d,]+)")
_MISTAKES = re.compile(r"^(\d+ mistakes?), ([^,]+) broken\.$")
_ASIDE = re.compile(r" \([^()]* [^()]*\)")
_COMMA = re.compile(r", (?=[a-z])(?!and [\d\[n]|fails |yields |which |stopped |rank \d)")
_CLAUSE = re.compile(r"[;:] |, then ")
_ALTERNATIVE = re.compile(r", (?:or (?=with|on|where)|and (?:in some|in|perhaps in) other cases)")
_NECESSARY = (
    (re.compile(r"whenever (?!.*, or )(.+?)(?: and | but not |, (?=with|on ))"), "only when {}"),
    (re.compile(rf"always (.+), {EITHER} "), "only {}"),
)
_FAULT = re.compile(r"([^:(]+): .+ \((\w+)\)")
_NEXT = re.compile(r"(?<=[.!?]) (?=[A-Z])")


def verdict_lines(verdict: Verdict, *, width: int) -> list[str]:
    """Return the verdict as at most seven lines of text; what to do about it is in them, if only in part."""
    head = _head(verdict, width)
    room = MOST_LINES - len(head)
    rows: list[tuple[str, list[str]]] = []
    surplus = 0
    for one, most in _shorten(verdict):
        rows = [(label, _fit(label, text, width, most.get(label))) for label, text in one.rows]
        surplus = sum(len(lines) for _, lines in rows) - room
        if surplus <= 0:
            break
    while surplus > 0 and len(rows) > 1 and rows[-1][0] in WHOLE:
        surplus -= len(rows.pop()[1])
    return [*head, *[line for _, lines in rows for line in lines][:room]]


def _fit(label: str, text: str, width: int, most: int | None) -> list[str]:
    """Return a row in as many lines at most, of fewer words or sentences where these are whole."""
    shorten = SHORTENED.get(label, _drop_sentences)
    shorter = shorten(text)
    fitting = (one for one in (text, *shorter) if most and len(row(label, one, **_place(width))) <= most)
    return row(label, next(fitting, text), **_place(width), most=most)


def _say_when_in_short(text: str) -> Iterator[str]:
    seldom, smallest, case = text.partition("; the smallest: ")
    if smallest:
        often, _, _ = seldom.partition(", no ")
        yield from (f"{often}, such as {case}", f"{_COUNTS.sub('', often)}, such as {case}", seldom)
    bare = _COUNTS.sub("", text)
    yield bare
    curt = bare.replace("is not a multiple", "is no multiple").replace("in some other", "in other")
    yield from (curt, curt.replace("and in other cases", "and others"))
    if bare.startswith("seen only "):  # which says as much
        yield bare.removesuffix(f", {NOT_ALWAYS}")
    _, only, where = bare.partition(f", {ONLY} ")
    if only:
        yield f"sometimes, {ONLY} {where}"
        yield text.partition(f", {ONLY} ")[0]
    if OTHER_CASES in bare and (number := _OF_ALL.search(text)):  # no half of what is not all
        yield f"in {number[1]} small cases"
    for some in (bare, curt, text):  # a part of what is said is true as well
        ends = [found.start() for found in _ALTERNATIVE.finditer(some)]
        yield from (some[:end].replace(f", {EITHER} ", ", ") for end in reversed(ends))
    if not bare.endswith(OTHER_CASES):
        starts = [(pattern.match(bare), words) for pattern, words in _NECESSARY]
        yield from (words.format(found[1]) for found, words in starts if found)
    event, colon, _ = bare.partition(": ")
    if colon:
        yield event


def _drop_clauses(text: str) -> Iterator[str]:
    """Yield a sentence without its last clause, without its last two, and so on; no half of a comparison."""
    return (f"{text[: found.start()]}." for found in reversed([*_COMMA.finditer(text)]))


def _drop_sentences(text: str) -> Iterator[str]:
    """Yield a text without its last sentence, without its last two, and so on; then clauses of the first."""
    ends = [found.start() for found in _NEXT.finditer(text)]
    yield from (text[:end] for end in reversed(ends))
    first = text[: ends[0]] if ends else text
    bare = _ASIDE.sub("", first)
    yield bare
    for found in reversed([*_CLAUSE.finditer(bare)]):
        yield f"{bare[: found.start()]}."


def _drop_fault(text: str) -> Iterator[str]:
    """Yield what a mistake does to training with its law alone."""
    if found := _FAULT.match(text):
        yield f"{found[1]} ({found[2]})"


def _drop_faults(text: str) -> Iterator[str]:
    """Yield what happens in training with fewer of its faults, each of them whole, or the first in brief."""
    faults = text.split("; ")
    fewer = range(len(faults) - 1, 0, -1)
    yield from ("; ".join([*faults[:most], f"{len(faults) - most} more"]) for most in fewer)
    yield from _drop_sentences(faults[0])


def _keep_command(text: str) -> Iterator[str]:
    """Yield the command alone: without it nobody can do what is said."""
    _, colon, command = text.partition(": run with ")
    if colon:
        yield f"run with {command}"


SHORTENED: dict[str, Callable[[str], Iterator[str]]] = {
    "when": _say_when_in_short,
    "found": _drop_clauses,
    "and": _drop_fault,
    "training": _drop_faults,
    "if meant": _keep_command,
    "seems": _keep_command,
}


def _shorten(verdict: Verdict) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict in fewer and fewer words, with the most lines that some rows may have.

    The cause gives way first, so that a line of code is not cut; then other mistakes, and a line that says
    no more than where passes come from.
    What breaks, when, where and what to do stay to the end, each in a line if need be.
    """
    brief = replace(verdict, advice="")
    plain = replace(brief, example="")
    placed = replace(plain, line=verdict.place)
    short = replace(placed, cause="") if plain.remedy[1] else placed
    whole = replace(short, line=verdict.line) if DOTS in verdict.place else placed
    caused = [replace(one, also="") for one in (plain, whole, placed)]
    bare = replace(short, also="")
    fewer = [bare, *(replace(bare, mistakes=mistakes) for mistakes in verdict.fewer)]
    if verdict.is_aside:
        fewer += [replace(one, seems="") for one in fewer]
    last = replace(fewer[-1], more="")
    meant = replace(last, seems=verdict.declares if last.seems else "")
    yield from ((verdict, {}), (brief, {}), (brief, {"found": 2}), (brief, {"found": 1, "when": 1}))
    yield from ((one, {}) for one in (plain, *caused, short, *fewer, last))
    yield from ((one, {"and": 1}) for one in (last, meant))
    if verdict.is_vague:
        meant = replace(meant, line="")
        yield meant, {"and": 1}
    if verdict.hangs:
        meant = replace(meant, seems="")
        yield meant, {"and": 1}
    two, one_line = (
        dict.fromkeys((verdict.remedy[0], verdict.after[0], FOR_THAT), lines) for lines in (2, 1)
    )
    for room in (2, 1):
        yield meant, {"when": room, **two, "found": room, "and": 1}
    alone = replace(meant, mistakes=meant.mistakes[:1])  # the claim has counted the others
    yield alone, {"when": 1, **two, "where": 1, "found": 1, "seems": 2}
    last_words = {"when": 1, **one_line, "training": 1, "even so": 1, "where": 1, "found": 1, "seems": 2}
    yield alone, {**last_words, "if meant": 2}
    yield alone, {**last_words, "if meant": 1}
    yield replace(alone, when=""), {**last_words, "if meant": 2}


def _head(verdict: Verdict, width: int) -> list[str]:
    """Return the target with the claim, in one line if they fit; a far too long name loses its middle."""
    shorter = _MISTAKES.sub(r"\1 (\2).", verdict.claim)
    for claim in (verdict.claim, verdict.claim.removeprefix("1 mistake, "), shorter):
        one = f"{verdict.target}: {claim}"
        if len(one) <= width - COLUMN:
            return row(verdict.word, one, **_place(width))
    whole = row(verdict.word, f"{verdict.target}: {verdict.claim}", **_place(width))
    if len(verdict.target) > width - COLUMN and len(whole) <= HEAD_LINES:
        return whole
    target = cut(verdict.target, HEAD_LINES * (width - COLUMN) - LONGEST_WORD)
    head = row(verdict.word, target, **_place(width), most=HEAD_LINES)
    return [*head, *row("", verdict.claim, **_place(width), most=HEAD_LINES)]


def _place(width: int) -> dict[str, int]:
    return {"indent": 0, "column": COLUMN, "width": width}
